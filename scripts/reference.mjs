// A plugin of TypeDoc: modules go by the names they are imported by, `spillway/openai` and not
// `adapters/openai`, and links to the second of two headings lead to the first where there is but one.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Converter, PageEvent } from 'typedoc';

const manifest = resolve(fileURLToPath(import.meta.url), '../../package.json');

/** `adapters/openai` -> `spillway/openai`, of every door of the package. */
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

/** A class that also has a type of its name which is left out counts twice where links are made, and once where headings are. */
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
