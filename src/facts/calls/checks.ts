import type { ToolCallPart } from '../../transcript/index.js';
import { parseArguments } from './call-arguments.js';
import { commandOf, parametersOf } from './parameters.js';
import { joinWords } from '../shell/action.js';
import { commandsInScript } from '../shell/scripted.js';
import { splitShell } from '../shell/shell.js';
import { verbOf } from './tool-verbs.js';

/** A command whose end is news: a test, a build, a linter. */
export interface Check {
  /** What is checked with: `pytest`, `npm lint`. */
  readonly family: string;
  /** Files, folders and packages it is run on; empty for all. */
  readonly paths: readonly string[];
  /** Patterns that choose among them: `-k name`, `-run TestX`. */
  readonly filters: readonly string[];
  /** As an agent would call it, in one line. */
  readonly label: string;
  /** What it says goes into another program, whose status hides its own. */
  readonly piped: boolean;
}

const list = (names: string) => new Set(names.split(' '));

const CHECKERS = list(
  'jest vitest mocha ava tap karma cypress playwright pytest py.test tox nox nose2 unittest rspec phpunit ctest tsc vue-tsc eslint oxlint biome prettier ruff mypy pyright flake8 ' +
    'pylint black isort golangci-lint staticcheck shellcheck rubocop stylelint detekt ktlint phpstan runtests.py',
);
/** Programs of which the next word says what is done. */
const TOOLS = list(
  'go cargo npm pnpm yarn bun deno mvn mvnw gradle gradlew make just task rake mise ninja cmake dotnet swift bazel bazelisk nx turbo lerna rush django-admin composer mix sbt',
);
/** What such a program does that ends well or badly. */
const TASKS =
  /^(?:test|tests|build|check|lint|typecheck|type-check|vet|clippy|fmt|format|verify|package|compile|ci|e2e|unit|integration|coverage|validate|spec|package|install)(?:[:_-].*)?$/;
/** Stand before the command that counts. */
const WRAPPERS = list(
  'npx bunx pnpx sudo time env nohup command exec xvfb-run poetry uv pipenv rye hatch pdm bundle',
);
const RUNNERS = list('run exec x dlx tool');
/** Run what stands behind `--` in an environment of theirs: `mise exec -- go test`, `nix develop -c -- make`. */
const ENVIRONMENTS = list('mise asdf devbox nix dotenv dotenvx doppler infisical op direnv flox');

const MAY_CHECK =
  /jest|vitest|mocha|\bava\b|\btap\b|karma|cypress|playwright|pytest|py\.test|\btox\b|\bnox\b|nose2|unittest|rspec|phpunit|ctest|tsc|eslint|oxlint|biome|prettier|ruff|mypy|pyright|flake8|pylint|black|isort|golangci|staticcheck|shellcheck|rubocop|stylelint|detekt|ktlint|phpstan|runtests|manage\.py|--test|test|build|check|lint|\bvet\b|clippy|fmt|format|verify|package|compile|\bci\b|e2e|unit|integration|coverage|validate|spec|install|make/;

/** Whether a call may run a check: quick, and right where it says no. */
export function mayCheck({ name, arguments: given }: ToolCallPart): boolean {
  return MAY_CHECK.test(given.slice(0, LONGEST_CHARS)) || MAY_CHECK.test(name);
}

/** Every check that a call runs, in order: `npm ci && npm test && npm run lint` runs two. */
export function checksOf(part: ToolCallPart): readonly Check[] {
  if (verbOf(part.name) !== 'run') return [];
  const call = parseArguments(part.arguments);
  const given = commandOf(parametersOf(call.fields)) ?? call.text ?? scripted(call.fields);
  const line = typeof given === 'string' ? given : given && joinWords(unwrapped(given));
  if (line === undefined || line.length > LONGEST_CHARS) {
    const { name } = part;
    return /test|lint|build|check/i.test(name)
      ? [{ family: name, paths: [], filters: [], label: oneLine(name), piped: false }]
      : [];
  }
  const keepsStatus = /\bset\s+-\w*o?\s*pipefail\b/.test(line);
  return (splitShell(line) ?? []).flatMap(({ words }, i, all) => {
    const check = readWords(words);
    return check ? { ...check, piped: !keepsStatus && all[i + 1]?.piped === true } : [];
  });
}

function scripted(fields: Readonly<Record<string, unknown>>): string | undefined {
  const script = fields.input ?? fields.code;
  return typeof script === 'string' ? commandsInScript(script).join(' && ') || undefined : undefined;
}

/** A longer line is a script. */
const LONGEST_CHARS = 2_000;
const LABEL_CHARS = 90;

/** `bash -lc "npm test"` given as a list of words. */
function unwrapped(words: readonly string[]): readonly string[] {
  const isShell = /(^|\/)(ba|z|da)?sh$/.test(words[0] ?? '') && /^-l?i?c$/.test(words[1] ?? '');
  const inner = isShell && words[2] !== undefined ? splitShell(words[2]) : undefined;
  return inner?.at(-1)?.words ?? words;
}

/** What one command checks; `piped` is the line's to say. */
function readWords(given: readonly string[]): Omit<Check, 'piped'> | undefined {
  let words = given.filter((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word));
  for (;;) {
    const [first = '', second = ''] = words;
    if (WRAPPERS.has(first)) words = words.slice(RUNNERS.has(second) ? 2 : 1);
    else if (ENVIRONMENTS.has(first) && words.includes('--') && !(first === 'mise' && second === 'run'))
      words = words.slice(words.indexOf('--') + 1);
    else if (first === 'timeout') words = words.slice(2);
    else if (/^python[\d.]*$/.test(first) && second === '-m') words = words.slice(2);
    else if (/^(?:python[\d.]*|node|ruby|perl|php)$/.test(first) && CHECKERS.has(baseOf(second)))
      words = words.slice(1);
    else break;
  }
  const name = baseOf(words[0] ?? '');
  if (CHECKERS.has(name)) return made(name, words.slice(1), given);
  if (/^(?:python[\d.]*|node)$/.test(name)) {
    const [script = '', task = ''] = words.slice(1);
    if (baseOf(script) === 'manage.py' && task === 'test')
      return made('manage.py test', words.slice(3), given);
    if (name === 'node' && script === '--test') return made('node --test', words.slice(2), given);
    return undefined;
  }
  if (!TOOLS.has(name.replace(/\.(?:sh|cmd|bat)$/, ''))) return undefined;
  const rest = words.slice(1).filter((word) => word !== 'run' && !word.startsWith('-'));
  const task = rest[0];
  if (task === undefined || !TASKS.test(task))
    return name === 'make' && !task ? made('make', [], given) : undefined;
  return made(`${name} ${task}`, words.slice(words.indexOf(task) + 1), given);
}

function made(family: string, rest: readonly string[], whole: readonly string[]): Omit<Check, 'piped'> {
  const paths: string[] = [];
  const filters: string[] = [];
  rest.forEach((word, i) => {
    const before = rest[i - 1] ?? '';
    const filter = FILTER.exec(word)?.[1];
    if (filter !== undefined) filters.push(filter);
    else if (word.startsWith('-') || word === './...' || word === '.' || word === 'run') return;
    else if (FILTER_FLAG.test(before)) filters.push(word);
    // `-timeout 30s`, `-tags integration`: the value of a flag is nothing that is checked.
    else if (!/^-{1,2}\w\w[^=]*$/.test(before) || PATH.test(word)) paths.push(word);
  });
  return { family, paths, filters, label: oneLine(joinWords(whole)) };
}

const FILTER_FLAG = /^-(?:k|run|t|g|p|m|-grep|-testNamePattern|-filter)$/;
const FILTER = /^-{1,2}(?:k|run|grep|testNamePattern|filter)=(.+)$/;
const PATH = /[/:]|\.\w{1,5}$/;

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function oneLine(text: string): string {
  const flat = text
    .slice(0, 4 * LABEL_CHARS)
    .replace(/[\s\u0085]+/g, ' ')
    .trim();
  return flat.length > LABEL_CHARS ? `${flat.slice(0, LABEL_CHARS - 1).trimEnd()}…` : flat;
}

/** Whether the end of one tells how another would end: the same check of as much, or a larger one that contains it. */
export function speaksFor(newer: Check, older: Check): boolean {
  const isChosen = newer.filters.length > 0;
  if (isChosen && newer.filters.join('\n') !== older.filters.join('\n')) return false;
  const covers =
    newer.paths.length === 0 ||
    // The same tests by name, once from their own folder and once by it.
    (isChosen && older.paths.length === 0) ||
    (older.paths.length > 0 &&
      older.paths.every((path) => newer.paths.some((whole) => contains(whole, path))));
  if (newer.family === older.family) return covers;
  const task = taskOf(newer);
  if (task === undefined || newer.paths.length > 0) return false;
  // `mise lint` runs `lint:go`; `npm test` runs the project's tests, whatever runs them; `npm run check` runs all of it.
  if (older.family.startsWith(`${newer.family}:`) || older.family.startsWith(`${newer.family}-`)) return true;
  return EVERYTHING.test(task) || (kindOf(newer) === kindOf(older) && kindOf(newer) !== undefined);
}

/** Tasks by which projects run all their checks. */
const EVERYTHING = /^(?:check|ci|verify|validate)$/;

/** The task of a runner: `test` of `npm test`; undefined for a checker of its own. */
function taskOf({ family }: Check): string | undefined {
  const [tool, task] = family.split(' ');
  return tool !== undefined && RUNNERS_OF_TASKS.has(tool) ? task : undefined;
}

const RUNNERS_OF_TASKS = list(
  'npm pnpm yarn bun make just task rake mise nx turbo lerna rush mix sbt gradle gradlew mvn composer',
);

const KINDS: readonly (readonly [kind: string, pattern: RegExp])[] = [
  [
    'test',
    /(?:^|[ :_-])(?:tests?|jest|vitest|mocha|ava|tap|karma|pytest|py\.test|tox|nox|unittest|rspec|phpunit|ctest|spec|runtests\.py)\b/,
  ],
  ['types', /(?:^|[ :_-])(?:tsc|vue-tsc|typecheck|type-check|mypy|pyright)\b/],
  [
    'lint',
    /(?:^|[ :_-])(?:lint|eslint|oxlint|biome|prettier|ruff|flake8|pylint|vet|clippy|golangci-lint|staticcheck|fmt|format)\b/,
  ],
  ['build', /(?:^|[ :_-])(?:build|compile|package)\b/],
];

function kindOf({ family }: Check): string | undefined {
  return KINDS.find(([, pattern]) => pattern.test(family))?.[0];
}

/** A folder contains what lies below it: `./internal/...` contains `internal/planner`. */
function contains(whole: string, path: string): boolean {
  const folder = whole.replace(/^\.\//, '').replace(/\/?(?:\.\.\.|\*\*?)?$/, '');
  const inner = path.replace(/^\.\//, '').replace(/\/?(?:\.\.\.)?$/, '');
  return inner === folder || inner.startsWith(`${folder}/`) || inner.startsWith(`${folder}::`);
}
