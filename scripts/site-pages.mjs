// A plugin of TypeDoc: the pages of docs/ under their own headings, at their own paths, in the groups and the order of the
// README's table of contents, and the decisions behind them.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application, Converter, KindRouter } from 'typedoc';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const DECISIONS = 'docs/decisions/';

/** Group of each page, by the table under `## Where to go on`: a row a group, its links the pages. */
function groupsOfPages() {
  const [, table] = readFileSync(resolve(root, 'README.md'), 'utf8').split('\n## Where to go on\n');
  const groups = new Map();
  for (const [, group, pages] of table.matchAll(/^\| (?!to \|)([^|]+?) \| (.+) \|$/gm))
    for (const [, file] of pages.matchAll(/\]\((docs\/[^)#]+\.md)\)/g))
      groups.set(file, file.startsWith(DECISIONS) ? 'Decisions' : group[0].toUpperCase() + group.slice(1));
  for (const name of readdirSync(resolve(root, DECISIONS)).sort()) groups.set(DECISIONS + name, 'Decisions');
  const missing = readdirSync(resolve(root, 'docs'), { recursive: true })
    .map((file) => `docs/${file}`)
    .filter((file) => file.endsWith('.md') && !groups.has(file));
  if (missing.length > 0)
    throw new Error(`The table of README.md, "Where to go on", does not name ${missing.join(', ')}.`);
  return groups;
}

const fileOf = (document) => relative(root, document.project.files.getReflectionPath(document));

class PagesRouter extends KindRouter {
  getIdealBaseName(reflection) {
    return reflection.isDocument()
      ? fileOf(reflection).replace(/\.md$/, '')
      : super.getIdealBaseName(reflection);
  }
}

/** Names of modules as they are imported: `adapters/openai` is `spillway/openai`. */
function importNames() {
  const { name, exports } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8'));
  return new Map(
    Object.entries(exports)
      .filter(([, entry]) => entry.default)
      .map(([door, entry]) => [
        /^\.\/dist\/(.+?)(?:\/index)?\.js$/.exec(entry.default)[1],
        name + door.slice(1),
      ]),
  );
}

export function load(app) {
  const names = importNames();
  const groups = groupsOfPages();
  const order = [...new Set(groups.values())].filter((group) => group !== 'Decisions');
  app.renderer.defineRouter('pages', PagesRouter);
  app.on(Application.EVENT_BOOTSTRAP_END, () => {
    app.options.setValue('projectDocuments', [...groups.keys()]);
    app.options.setValue('groupOrder', [...order, 'Modules', '*', 'Decisions']);
  });
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.children ?? []) module.name = names.get(module.name) ?? module.name;
  });
  app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
    const file = fileOf(document);
    const [, heading] = /^# (.+)$/m.exec(readFileSync(resolve(root, file), 'utf8'));
    document.name = heading;
    document.frontmatter.group = groups.get(file);
  });
}
