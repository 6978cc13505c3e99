// The search of the site: what it looks through, and its box as assistive technology hears it.
import type { DefaultTheme } from 'vitepress';

/** Lists of everything: each has every word, and would stand before the page that explains it. */
const LISTS = ['CHANGELOG.md', 'docs/features.md', 'docs/promises.md'];

export const search: NonNullable<DefaultTheme.Config['search']> = {
  provider: 'local',
  options: {
    detailedView: true,
    // All words, not any: "undo a compaction" is no search for "a".
    miniSearch: { searchOptions: { combineWith: 'AND' } },
    _render: (source, env, markdown) =>
      LISTS.includes(env.relativePath) ? '' : markdown.render(source, env),
  },
};

/** The theme's box is a button that holds links, in options of a list: nobody can say what it is. Here it is a dialog with links. */
const PLAINER: readonly (readonly [theirs: RegExp, ours: string])[] = [
  [
    /role="button"\s+:aria-owns=".*"\s+aria-expanded="true"\s+aria-haspopup="listbox"/,
    'role="dialog" aria-modal="true"',
  ],
  [/:aria-activedescendant=".*"\s+aria-autocomplete="both"/, ''],
  [/:role="results\?\.length \? 'listbox' : undefined"\s+:aria-labelledby=".*"/, ''],
  [/:aria-selected=".*"\s+role="option"/, ''],
  [/:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/, ''],
  [/<kbd :aria-label=".*">/g, '<kbd>'],
];

export const plainSearchBox = {
  name: 'plain-search-box',
  enforce: 'pre' as const,
  transform(code: string, id: string): string | undefined {
    if (!id.endsWith('/VPLocalSearchBox.vue')) return undefined;
    return PLAINER.reduce((text, [theirs, ours]) => {
      if (!theirs.test(text)) throw new Error(`VPLocalSearchBox.vue has no ${theirs} any more.`);
      return text.replace(theirs, ours);
    }, code);
  },
};
