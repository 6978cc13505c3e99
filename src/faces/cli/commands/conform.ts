import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { SpillwayError } from '../../../errors/index.js';
import { findPlugin, firstLineOf, pluginFolder } from '../../../session/plugins/index.js';
import { importModule } from '../../../user-module.js';
import {
  candidatesIn,
  judge,
  pluginCandidates,
  type Candidate,
  type Verdict,
} from '../../../testkit/index.js';
import { EXIT, type Terminal } from '../terminal.js';

export interface ConformOptions {
  readonly json?: boolean;
}

type Judged = Awaited<ReturnType<typeof judgeOne>>;

/** Checks a module's exports against the rules of their contracts. The exit code is 1 if a rule does not hold. */
export async function conform(path: string, options: ConformOptions, terminal: Terminal): Promise<number> {
  const candidates = await candidatesAt(path);
  if (candidates.length === 0) {
    throw new SpillwayError('INPUT_FORMAT', {
      subject: path,
      found: 'no export that can be checked',
      allowed:
        'a plugin (a package with a spillway field, or plugin), a stage (plan), a format (parse, serialise), a summarizer (summarize), or openStore(name)',
      remedy: 'Export it from the module.',
    });
  }
  const judged: Judged[] = [];
  for (const candidate of candidates) {
    const result = await judgeOne(candidate);
    judged.push(result);
    if (!options.json) printVerdicts(result, terminal);
  }
  const verdicts = judged.flatMap((one) => one.verdicts);
  const broken = verdicts.filter(({ holds }) => !holds).length;
  if (options.json) terminal.out(`${JSON.stringify({ module: path, holds: broken === 0, judged })}\n`);
  else terminal.out(`${tally(verdicts, broken)}\n`);
  return broken === 0 ? EXIT.done : EXIT.inputAtFault;
}

function tally(verdicts: readonly Verdict[], broken: number): string {
  if (broken > 0) return `${broken} rules do not hold`;
  const unexercised = verdicts.filter(({ exercised }) => !exercised).length;
  return unexercised === 0
    ? 'every rule holds'
    : `every rule that was exercised holds; ${unexercised} not exercised`;
}

async function judgeOne({ kind, name, exportedAs, rules }: Candidate) {
  const asked = rules.filter(({ waived }) => waived === undefined);
  const waived = rules.flatMap(({ id, waived: reason }) => (reason === undefined ? [] : [{ id, reason }]));
  return { kind, name, exportedAs, verdicts: await judge(undefined, asked), waived };
}

function printVerdicts({ kind, name, exportedAs, verdicts, waived }: Judged, { out, paint }: Terminal): void {
  out(`${paint.bold(`${kind} ${name}`)}${name === exportedAs ? '' : ` (export ${exportedAs})`}\n`);
  for (const { id, intent, holds, exercised, seen } of verdicts) {
    const verdict = !holds
      ? paint.red('fails')
      : exercised
        ? paint.green('holds')
        : paint.yellow('not exercised');
    out(`  ${verdict}  ${id}  ${intent}\n`);
    if (!holds || !exercised) out(`         seen: ${(seen ?? '').replaceAll('\n', '\n         ')}\n`);
  }
  for (const { id, reason } of waived) out(`  ${paint.yellow('waived')} ${id}  ${reason}\n`);
}

/** The candidates at a path: a plugin package as a whole, or the exports of any other module. */
async function candidatesAt(path: string): Promise<Candidate[]> {
  const found = locate(path);
  const folder = pluginFolder(found);
  if (folder !== undefined && (statSync(found).isDirectory() || isEntry(folder, found)))
    return pluginCandidates(folder);
  try {
    return candidatesIn(await importModule(found));
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

/** Resolves a file, a folder, or a package that is installed for the current folder. */
function locate(path: string): string {
  const file = resolve(path);
  const isPackage = existsSync(file) && statSync(file).isDirectory() && pluginFolder(file) === file;
  if (isPackage || (existsSync(file) && statSync(file).isFile())) return file;
  try {
    const require = createRequire(join(process.cwd(), 'here.js'));
    return require.resolve(existsSync(file) ? file : path);
  } catch (cause) {
    throw unreadable(path, cause);
  }
}

function isEntry(folder: string, file: string): boolean {
  try {
    return findPlugin({ named: folder, from: '.' }).file === file;
  } catch {
    return false;
  }
}

const unreadable = (path: string, cause: unknown): SpillwayError =>
  new SpillwayError('INPUT_UNREADABLE', {
    subject: path,
    found: firstLineOf(cause),
    remedy: 'Name a JavaScript module, a plugin, or a package that is installed here.',
    cause,
  });
