import { normalizePath } from '../files/paths.js';
import type { Check } from './checks.js';

/** Whether the end of one tells how another would end: the same check of as much, or a larger one that contains it. */
export function speaksFor(newer: Check, older: Check): boolean {
  if (newer.settings !== older.settings) return false;
  if (newer.narrowed.some((part) => !older.narrowed.includes(part))) return false;
  const isChosen = newer.filters.length > 0;
  if (isChosen && newer.filters.join('\n') !== older.filters.join('\n')) return false;
  if (newer.family === older.family) return covers(newer, older);
  if (newer.paths.length > 0 || !holdsPlace(newer.place, older.place)) return false;
  const runner = runnerOf(newer);
  if (!runner) return false;
  // `mise lint` runs `lint:go`.
  if (older.family.startsWith(`${newer.family}:`) || older.family.startsWith(`${newer.family}-`)) return true;
  if (!runner.runs(toolOf(older))) return false;
  // `npm test` runs the project's tests, whatever runs them; `npm run check` what reads the code.
  const kinds = KINDS_OF_TASKS[runner.task];
  const kind = kindOf(older);
  return kinds !== undefined && kind !== undefined && kinds.includes(kind) && !isPartOfTask(older);
}

function covers(newer: Check, older: Check): boolean {
  const isChosen = newer.filters.length > 0;
  const isElsewhere =
    !holdsPlace(newer.place, older.place) || (newer.paths.length > 0 && newer.place !== older.place);
  if (isElsewhere) {
    const [whole, parts] = [fullPaths(newer), fullPaths(older)];
    return (
      whole.length > 0 && parts.length > 0 && parts.every((path) => whole.some((one) => contains(one, path)))
    );
  }
  if (newer.paths.length === 0) return true;
  // The same tests by name, once from their own folder and once by it.
  if (isChosen && older.paths.length === 0) return true;
  return (
    older.paths.length > 0 && older.paths.every((path) => newer.paths.some((whole) => contains(whole, path)))
  );
}

/**
 * Whether what runs in one place runs what is in another: where one does not say where it runs, and the other runs at a whole
 * path, both are taken to run where the work is; and there the packages below are run, too.
 */
function holdsPlace(newer: string, older: string): boolean {
  if (newer === older || (newer === '' && isWhole(older))) return true;
  return newer === '' || isWhole(newer) ? !isWhole(older) || older.startsWith(`${newer}/`) : false;
}

const isWhole = (path: string): boolean => /^(?:[/~]|\w:\/)/.test(path);

/** What is checked, from where the session works; empty for all of that. */
function fullPaths({ place, paths }: Check): string[] {
  if (paths.length === 0) return place === '' ? [] : [place];
  return paths.map((path) => normalizePath(path, place));
}

/** Runners of a project's tasks; what is in no list of tools may be run by those of any. */
const OF_JAVASCRIPT = /^(?:npm|pnpm|yarn|bun|deno|nx|turbo|lerna|rush)$/;
const OF_ANY = /^(?:make|just|task|rake|mise|ninja|composer|mix|sbt)$/;
const JAVASCRIPT =
  /^(?:jest|vitest|mocha|ava|tap|karma|cypress|playwright|node|tsc|vue-tsc|eslint|oxlint|biome|prettier|stylelint|npm|pnpm|yarn|bun|deno|nx|turbo|lerna|rush)$/;

interface Runner {
  readonly task: string;
  /** Whether it may run what this tool checks. */
  readonly runs: (tool: string) => boolean;
}

function runnerOf({ family }: Check): Runner | undefined {
  const [tool = '', task] = family.split(' ');
  if (task === undefined) return undefined;
  if (OF_JAVASCRIPT.test(tool)) return { task, runs: (other) => JAVASCRIPT.test(other) };
  return OF_ANY.test(tool) ? { task, runs: () => true } : undefined;
}

const toolOf = ({ family }: Check): string => family.split(' ')[0]!;

/** `test:unit` is a part of `test`. */
const isPartOfTask = ({ family }: Check): boolean => /[:_-]/.test(family.split(' ')[1] ?? '');

type Kind = 'test' | 'types' | 'lint' | 'format';

/** What a task of a runner is understood to run. A task of another name runs itself. */
const KINDS_OF_TASKS: Readonly<Partial<Record<string, readonly Kind[]>>> = {
  test: ['test'],
  tests: ['test'],
  lint: ['lint', 'format'],
  typecheck: ['types'],
  'type-check': ['types'],
  check: ['types', 'lint', 'format'],
  ci: ['test', 'types', 'lint', 'format'],
};

const KINDS: readonly (readonly [kind: Kind, pattern: RegExp])[] = [
  [
    'test',
    /(?:^|[ :_-])(?:tests?|jest|vitest|mocha|ava|tap|karma|pytest|py\.test|tox|nox|unittest|rspec|phpunit|ctest|spec|runtests\.py)\b/,
  ],
  ['types', /(?:^|[ :_-])(?:tsc|vue-tsc|typecheck|type-check|mypy|pyright)\b/],
  [
    'lint',
    /(?:^|[ :_-])(?:lint|eslint|oxlint|biome|ruff|flake8|pylint|vet|clippy|golangci-lint|staticcheck)\b/,
  ],
  ['format', /(?:^|[ :_-])(?:prettier|fmt|format|black|isort|gofmt)\b/],
];

function kindOf({ family }: Check): Kind | undefined {
  return KINDS.find(([, pattern]) => pattern.test(family))?.[0];
}

/** A folder contains what lies below it: `./internal/...` contains `internal/planner`. */
function contains(whole: string, path: string): boolean {
  const folder = whole.replace(/^\.\//, '').replace(/\/?(?:\.\.\.|\*\*?)?$/, '');
  const inner = path.replace(/^\.\//, '').replace(/\/?(?:\.\.\.)?$/, '');
  return inner === folder || inner.startsWith(`${folder}/`) || inner.startsWith(`${folder}::`);
}
