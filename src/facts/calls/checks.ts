import type { ToolCallPart } from '../../transcript/index.js';
import { parseArguments } from './call-arguments.js';
import { normalizePath } from '../files/paths.js';
import { commandOf, directoryOf, parametersOf } from './parameters.js';
import { joinWords } from '../shell/action.js';
import { commandsInScript } from '../shell/scripted.js';
import { innerLine, splitShell, type ShellCommand } from '../shell/shell.js';
import { tellsIn, type Tells } from './check-tells.js';
import { verbOf } from './tool-verbs.js';

/** A command whose end is news: a test, a build, a linter. */
export interface Check {
  /** What is checked with: `pytest`, `npm lint`. */
  readonly family: string;
  /** Files, folders and packages it is run on; empty for all. */
  readonly paths: readonly string[];
  /** Patterns that choose among them: `-k name`, `-run TestX`. */
  readonly filters: readonly string[];
  /** What leaves parts of it out: `-short`, `--lf`, `--ignore=slow`. */
  readonly narrowed: readonly string[];
  /** Folder or package that it is run in, as far as the call says; '' where it does not. */
  readonly place: string;
  /** Settings that stand before it and may change what it does, sorted: `DB=pg`. */
  readonly settings: string;
  /** As an agent would call it, in one line. */
  readonly label: string;
  readonly tells: Tells;
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
  const parameters = parametersOf(call.fields);
  const given = commandOf(parameters) ?? call.text ?? scripted(call.fields);
  const line = typeof given === 'string' ? given : given && joinWords(unwrapped(given));
  if (line === undefined || line.length > LONGEST_CHARS) {
    const { name } = part;
    return /test|lint|build|check/i.test(name) ? [{ ...made(name, [], [name]), tells: 'all' }] : [];
  }
  const keepsStatus = /\bset\s+-\w*o?\s*pipefail\b/.test(line);
  const stops = keepsStatus || /\bset\s+-\w*e/.test(line);
  const commands = flat(splitShell(withoutSubstitutions(line)) ?? []);
  // What is looked at with the work put away says nothing of the work.
  if (
    commands.some(
      ({ words: [first, second, third] }) => first === 'git' && second === 'stash' && third !== 'pop',
    )
  )
    return [];
  let place = directoryOf(parameters);
  return commands.flatMap((command, i) => {
    const { words } = command;
    if (words[0] === 'cd' && words[1] !== undefined) place = normalizePath(words[1], place);
    const check = readWords(words);
    if (!check) return [];
    const tells = tellsIn(commands, i, { keepsStatus, stops });
    const isNamed = place === '' || /^[/~]|^\w:/.test(place);
    const label = isNamed ? check.label : oneLine(`cd ${place} && ${check.label}`);
    return { ...check, place: check.place === '' ? place : normalizePath(check.place, place), tells, label };
  });
}

/** `bash -lc "npm test"` within a line is read as what it runs. */
function flat(commands: readonly ShellCommand[]): readonly ShellCommand[] {
  return commands.flatMap((command) => {
    const inner = innerLine(command.words);
    const own = inner === undefined ? undefined : splitShell(inner);
    return own
      ? own.map((one, i) => (i === own.length - 1 && one.ends === '' ? { ...one, ends: command.ends } : one))
      : [command];
  });
}

/** `cd $(git rev-parse --show-toplevel)`: where it leads is not known, and does not matter. */
const withoutSubstitutions = (line: string): string => line.replaceAll(/\$\([^()\n]{0,200}\)/g, '~');

function scripted(fields: Readonly<Record<string, unknown>>): string | undefined {
  const script = fields.input ?? fields.code;
  return typeof script === 'string' ? commandsInScript(script).join(' && ') || undefined : undefined;
}

/** A longer line is a script. */
const LONGEST_CHARS = 2_000;
const LABEL_CHARS = 90;

/** `bash -lc "npm test"` given as a list of words. */
function unwrapped(words: readonly string[]): readonly string[] {
  const inner = innerLine(words);
  return inner === undefined ? words : (splitShell(inner)?.at(-1)?.words ?? words);
}

type OneCheck = Omit<Check, 'tells'>;

/** Settings that change how a check looks, not what it checks. */
const TRIVIAL =
  /^(?:CI|FORCE_COLOR|NO_COLOR|TERM|PAGER|LANG|LC_\w+|PATH|HOME|TMPDIR|NVM_DIR|NODE_OPTIONS|DEBUG|GOCACHE|GOPATH|GOFLAGS|PYTHON\w*|RUST_BACKTRACE|RUST_LOG|CARGO_TERM_COLOR|DJANGO_SETTINGS_MODULE)=/;
/** `pnpm --filter api test`, `make -C api test`: flags that say where, and of which tools. */
const SAYS_WHERE: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['--filter', list('pnpm turbo')],
  ['-F', list('pnpm')],
  ['--workspace', list('npm')],
  ['-w', list('npm')],
  ['--prefix', list('npm')],
  ['--cwd', list('yarn bun')],
  ['--dir', list('pnpm')],
  ['-C', list('make ninja pnpm go')],
  ['--manifest-path', list('cargo')],
]);
/** Only list what there is, or say what they are. */
const RUNS_NOTHING =
  /^(?:--version|--help|-h|-V|--collect-only|--co|--listTests|--list|--list-tests|--dry-run|--showConfig|--print-config|--env-info)$/;

/** `docker compose exec web pytest`, `docker exec web npm test`, `ssh host "npm test"`: what is run in another machine. */
function elsewhere(
  words: readonly string[],
): { readonly words: readonly string[]; readonly place: string } | undefined {
  const line = words.join(' ');
  const docker = /^(?:docker[ -]compose|podman[ -]compose|docker|podman|kubectl) (?:run|exec)\b/.exec(line);
  if (docker) {
    const rest = words.slice(docker[0].split(' ').length).filter((word) => !word.startsWith('-'));
    return rest.length > 1 ? { words: rest.slice(1), place: `${rest[0]!}:` } : undefined;
  }
  if (words[0] !== 'ssh' || words.length < 3) return undefined;
  const inner = splitShell(words.slice(2).join(' '))?.at(-1)?.words;
  return inner && { words: inner, place: `${words[1]!}:` };
}

/** What one command checks; what tells of it is the line's to say. */
function readWords(whole: readonly string[]): OneCheck | undefined {
  const other = elsewhere(whole);
  const given = other?.words ?? whole;
  if (given.some((word) => RUNS_NOTHING.test(word))) return undefined;
  const check = readCommand(given);
  if (!check) return undefined;
  const settings = given
    .filter((word) => SETTING.test(word) && !TRIVIAL.test(word))
    .sort()
    .join(' ');
  return { ...check, settings, place: other?.place ?? check.place, label: oneLine(joinWords(whole)) };
}

const SETTING = /^[A-Z_][A-Z0-9_]*=/;

function readCommand(given: readonly string[]): OneCheck | undefined {
  let words = given.filter((word) => !SETTING.test(word));
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
  const { rest: told, place } = withoutPlace(name, words.slice(1));
  const rest = told.filter((word) => word !== 'run' && !word.startsWith('-'));
  const task = rest[0];
  if (task === undefined || !TASKS.test(task))
    return name === 'make' && !task ? { ...made('make', [], given), place } : undefined;
  // `npm ci` installs, `npm run ci` checks.
  const family = name === 'npm' && task === 'ci' && words[1] === 'ci' ? 'npm install' : `${name} ${task}`;
  return { ...made(family, told.slice(told.indexOf(task) + 1), given), place };
}

/** Words of a runner without the flags that say where it runs. */
function withoutPlace(
  tool: string,
  words: readonly string[],
): { readonly rest: readonly string[]; readonly place: string } {
  const rest: string[] = [];
  let place = '';
  for (let i = 0; i < words.length; i++) {
    const [flag = '', value] = words[i]!.split('=', 2);
    if (!SAYS_WHERE.get(flag)?.has(tool)) rest.push(words[i]!);
    else place = value ?? words[++i] ?? '';
  }
  return { rest, place };
}

/** Flags that leave parts out, and those of them that have what they choose behind them. */
const NARROWS = list(
  'short lf last-failed ff sw stepwise only-changed onlyChanged findRelatedTests related onlyFailures grep-invert lib doc quiet Dtest',
);
const NARROWS_BY = list(
  'ignore ignore-glob exclude deselect skip shard tag tags m only testPathPattern testPathPatterns selectProjects project projects tests testsuite test-name-pattern test',
);

/** What a word leaves out, with what stands behind it; undefined of any other. */
function narrowedBy(word: string, next = ''): string | undefined {
  const [, flag, value] = /^-{1,2}([\w-]{1,40})(=.*)?$/.exec(word) ?? [];
  if (flag === undefined) return undefined;
  if (NARROWS_BY.has(flag)) return value === undefined ? `${word}=${next}` : word;
  return NARROWS.has(flag) || /^changed\w*$/.test(flag) ? word : undefined;
}

function made(family: string, rest: readonly string[], whole: readonly string[]): OneCheck {
  const narrowed = rest.flatMap((word, i) => narrowedBy(word, rest[i + 1]) ?? []);
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
  return { family, paths, filters, narrowed, place: '', settings: '', label: oneLine(joinWords(whole)) };
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
