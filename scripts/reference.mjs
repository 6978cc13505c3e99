// A TypeDoc plugin: it names modules as they are imported (`spillway/openai`, not `adapters/openai`),
// and points links to a second heading at the first if only one exists.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Converter, PageEvent } from 'typedoc';

const manifest = resolve(fileURLToPath(import.meta.url), '../../package.json');

/** `adapters/openai` -> `spillway/openai`, for every entry point of the package. */
function importNames() {
  const { name, exports } = JSON.parse(readFileSync(manifest, 'utf8'));
  return new Map(
    Object.entries(exports)
      .filter(([, entry]) => entry.types)
      .map(([door, entry]) => [
        /^\.\/dist\/(.+?)(?:\/index)?\.d\.ts$/.exec(entry.types)[1],
        name + door.slice(1),
      ]),
  );
}

/** TypeDoc counts a class with an omitted type of the same name twice for links, but once for headings. */
function withoutSeconds(text) {
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => heading.toLowerCase());
  const count = (name) => headings.filter((heading) => heading === name).length;
  return text.replace(/\(#(\w+)-1\)/g, (link, name) => (count(name) === 1 ? `(#${name})` : link));
}

export function load(app) {
  const names = importNames();
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name;
  });
  app.renderer.on(PageEvent.END, (page) => {
    if (page.contents) page.contents = withoutSeconds(page.contents);
  });
}
