// Links and places as the documents have them, which are written to be read in the repository too.
import { headingSlug } from './slug.js';
import { targetOf } from './repository.js';

/** As much of markdown-it as is used; its types come with VitePress under another name. */
interface Token {
  readonly type: string;
  readonly children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}
interface State {
  readonly tokens: Token[];
  readonly env: { readonly path?: string; readonly realPath?: string };
}
interface Markdown {
  readonly core: { readonly ruler: { push(name: string, rule: (state: State) => void): void } };
}

/** Relative links become addresses on this site, wherever the page was moved. */
export function repositoryLinks(markdown: Markdown, root: string): void {
  markdown.core.ruler.push('repository-links', ({ tokens, env }) => {
    const file = (env.realPath ?? env.path ?? '').slice(root.length).replace(/^\//, '');
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      if (token.type !== 'link_open') continue;
      const href = token.attrGet('href')!;
      const target = targetOf(file, decodeURI(href));
      if (target !== undefined) token.attrSet('href', target);
    }
  });
}

export { headingSlug };
