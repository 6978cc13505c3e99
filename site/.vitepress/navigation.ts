// What a reader finds on the left, by what he wants. Files are named as they stand in the repository; a test holds that each is
// there, and that no page of docs/ is missing.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { headingOf, root, targetOf } from './repository.js';

/** A file and what it is called here; without a name by its own heading. */
type Entry = string | readonly [file: string, name: string];

export interface Group {
  readonly name: string;
  readonly entries: readonly Entry[];
}

export const GUIDES: readonly Group[] = [
  {
    name: 'Start',
    entries: [
      ['docs/install.md', 'Install'],
      ['site/guides/drop-in.md', 'Drop-in'],
      ['site/guides/by-hand.md', 'By hand'],
      ['examples/README.md', 'Examples'],
      ['README.md', 'All on one page'],
    ],
  },
  {
    name: 'In front of an agent',
    entries: [
      ['docs/proxy.md', 'The proxy'],
      ['docs/agents/claude-code.md', 'Claude Code'],
      ['docs/agents/codex.md', 'Codex'],
      ['docs/agents/opencode.md', 'OpenCode'],
      ['docs/agents/others.md', 'Other agents'],
    ],
  },
  {
    name: 'Keep sessions',
    entries: [
      ['docs/sessions.md', 'Sessions'],
      ['docs/stores.md', 'Stores'],
      ['docs/recall.md', 'Recall'],
    ],
  },
  {
    name: 'Tune thresholds',
    entries: [
      ['site/guides/stages.md', 'The six stages'],
      ['docs/settings.md', 'Settings'],
      ['docs/profiles.md', 'Profiles'],
      ['src/stages/snip/README.md', 'snip'],
      ['src/stages/micro/README.md', 'micro'],
      ['src/stages/collapse/README.md', 'collapse'],
      ['src/stages/auto/README.md', 'auto'],
      ['src/stages/partial/README.md', 'partial'],
      ['src/stages/full/README.md', 'full'],
    ],
  },
  {
    name: 'Write a stage',
    entries: [
      ['docs/writing-a-stage.md', 'A stage of your own'],
      ['docs/plugins.md', 'Plugins'],
      ['docs/container.md', "A platform's container"],
      ['docs/CONTRACT.md', 'What they are held to'],
    ],
  },
  {
    name: 'Run it for others',
    entries: [
      ['docs/operating.md', 'Operating'],
      ['docs/page.md', 'The Compactor page'],
      ['docs/operating/metrics.md', 'Metrics'],
      ['docs/errors.md', 'Errors'],
      ['SECURITY.md', 'Security'],
    ],
  },
  {
    name: 'Measure retention',
    entries: [
      ['docs/bench.md', 'The bench'],
      ['docs/benchmarks.md', 'What was measured'],
      ['benchmarks/retention/README.md', 'Retention, by hand'],
    ],
  },
  {
    name: 'Understand it',
    entries: [
      ['docs/architecture.md', 'Architecture'],
      ['docs/features.md', 'Features and their tests'],
      ['docs/promises.md', 'What profiles promise'],
      ['CHANGELOG.md', 'Changelog'],
      ['CONTRIBUTING.md', 'Contributing'],
    ],
  },
];

export const REFERENCE: readonly Group[] = [
  {
    name: 'Reference',
    entries: [
      ['docs/api.md', "The library's doors"],
      ['docs/commands.md', 'Commands'],
      ['docs/http-api.md', 'HTTP API'],
      ['docs/settings.md', 'Settings'],
      ['docs/errors.md', 'Errors'],
    ],
  },
];

/** As VitePress takes it. */
interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: Item[];
}

/** Where the reference of the code is written; `npm run docs` makes it. */
export const REFERENCE_FOLDER = 'site/reference';
export const DECISIONS_FOLDER = 'docs/decisions';

export const fileOf = (entry: Entry): string => (typeof entry === 'string' ? entry : entry[0]);

const linked = (entry: Entry): Item => {
  const file = fileOf(entry);
  return { text: typeof entry === 'string' ? headingOf(file) : entry[1], link: targetOf('', file)! };
};

const shown = ({ name, entries }: Group): Item => ({ text: name, items: entries.map(linked) });

/** The modules as they are imported, each a page. */
function modules(): Item {
  const files = readdirSync(join(root, REFERENCE_FOLDER), { recursive: true })
    .map((file) => `${REFERENCE_FOLDER}/${String(file).replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.md') && !file.endsWith('README.md'));
  return { text: 'By module', items: files.sort().map((file) => linked(file)) };
}

function decisions(): Item {
  const files = readdirSync(join(root, DECISIONS_FOLDER)).filter((file) => /^\d/.test(file));
  const items = files.sort().map((file) => linked(`${DECISIONS_FOLDER}/${file}`));
  return { text: 'Decisions', link: '/decisions/', items };
}

/** Of addresses that are as deep the first takes a page: the one that has all stands last. */
export const sidebar = (): Record<string, Item[]> => {
  const reference = [...REFERENCE.map(shown), modules()];
  return {
    '/reference/': reference,
    '/api': reference,
    '/commands': reference,
    '/http-api': reference,
    '/decisions/': [decisions()],
    '/': GUIDES.map(shown),
  };
};
