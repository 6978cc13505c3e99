import type { ToolCallPart } from '../transcript/index.js';
import { parseArguments } from './call-arguments.js';
import { commandOf, parametersOf } from './parameters.js';
import { actionOfAll, joinWords } from './shell-action.js';
import { splitShell } from './shell.js';
import { verbOf } from './tool-verbs.js';

/** A command whose end is news: a test, a build, a linter, or anything that is run. */
export interface Check {
  /** What is checked with: `pytest`, `npm run lint`; for other commands the line itself. */
  readonly family: string;
  /** What of it: files, folders, patterns. Empty for all. */
  readonly scope: readonly string[];
  /** As an agent would call it, in one line. */
  readonly label: string;
  /** Whether it is known as a test, build or linter. */
  readonly known: boolean;
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

const MAY_CHECK =
  /jest|vitest|mocha|\bava\b|\btap\b|karma|cypress|playwright|pytest|py\.test|\btox\b|\bnox\b|nose2|unittest|rspec|phpunit|ctest|tsc|eslint|oxlint|biome|prettier|ruff|mypy|pyright|flake8|pylint|black|isort|golangci|staticcheck|shellcheck|rubocop|stylelint|detekt|ktlint|phpstan|runtests|manage\.py|--test|test|build|check|lint|\bvet\b|clippy|fmt|format|verify|package|compile|\bci\b|e2e|unit|integration|coverage|validate|spec|install|make/;

/** Whether a call may run a check: quick, and right where it says no. */
export function mayCheck({ name, arguments: given }: ToolCallPart): boolean {
  return MAY_CHECK.test(given.slice(0, LONGEST_CHARS)) || MAY_CHECK.test(name);
}

/** What a call runs; undefined where it runs nothing, or a line that cannot be told apart. */
export function checkOf(part: ToolCallPart): Check | undefined {
  if (verbOf(part.name) !== 'run') return undefined;
  const call = parseArguments(part.arguments);
  const given = commandOf(parametersOf(call.fields)) ?? call.text;
  const line = typeof given === 'string' ? given : given && joinWords(unwrapped(given));
  if (line === undefined || line.length > LONGEST_CHARS)
    return {
      family: part.name,
      scope: [],
      label: part.name,
      known: /test|lint|build|check/i.test(part.name),
    };
  const told = splitShell(line);
  const commands = told ?? [];
  // The last one that checks anything: `cd x && npm ci && npm test 2>&1 | tail`.
  for (const { words } of [...commands].reverse()) {
    const check = readWords(words);
    if (check) return check;
  }
  // What only looks ends well whatever it prints.
  if (told && actionOfAll(told, '').kind !== 'run') return undefined;
  const own = commands.filter(({ words, piped }) => !piped && words[0] !== 'cd' && words.length > 0);
  const label = oneLine(own.length > 0 ? own.map(({ words }) => joinWords(words)).join(' && ') : line);
  return { family: label, scope: [], label, known: false };
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

function readWords(given: readonly string[]): Check | undefined {
  let words = given.filter((word) => !/^[A-Z_][A-Z0-9_]*=/.test(word));
  for (;;) {
    const [first = '', second = ''] = words;
    if (WRAPPERS.has(first)) words = words.slice(RUNNERS.has(second) ? 2 : 1);
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

function made(family: string, rest: readonly string[], whole: readonly string[]): Check {
  const scope = rest.filter(
    (word, i) => !word.startsWith('-') || /^-(?:k|run|t|g|p)$/.test(rest[i - 1] ?? ''),
  );
  return {
    family,
    scope: scope.filter((word) => word !== './...' && word !== '.'),
    label: oneLine(joinWords(whole)),
    known: true,
  };
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function oneLine(text: string): string {
  const flat = text
    .slice(0, 4 * LABEL_CHARS)
    .replace(/\s+/g, ' ')
    .trim();
  return flat.length > LABEL_CHARS ? `${flat.slice(0, LABEL_CHARS - 1).trimEnd()}…` : flat;
}

/** Whether a run of one tells how another would end: the same check of as much, or more. */
export function speaksFor(newer: Check, older: Check): boolean {
  if (newer.family !== older.family) return false;
  return newer.scope.length === 0 || newer.scope.join('\n') === older.scope.join('\n');
}
