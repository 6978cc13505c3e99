import {
  closeSync,
  existsSync,
  fchmodSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { SpillwayError, thrownText } from '../../errors/index.js';
import { makeFolder } from '../../summarizers/index.js';
import { writeJson } from '../../transcript/index.js';
import type { Terminal } from './terminal.js';

/** Writes a JSON array with one element per line, never as one string: a session may exceed the length of a string. */
export function* arrayLines(items: readonly unknown[]): Generator<string> {
  yield '[';
  for (let i = 0; i < items.length; i++) yield `${i > 0 ? ',' : ''}\n${writeJson(items[i])}`;
  yield items.length > 0 ? '\n]\n' : ']\n';
}

/** A request in its format: the bare list, or the body if it has fields in addition to the messages. */
export function* requestLines(
  messages: readonly unknown[],
  field: string,
  otherFields: Readonly<Record<string, unknown>>,
): Generator<string> {
  // An undefined field is left out of the body, as in JSON.
  const fields = Object.entries(otherFields).filter(([, value]) => value !== undefined);
  if (fields.length === 0) return yield* arrayLines(messages);
  yield '{\n';
  for (const [name, value] of fields) yield `${JSON.stringify(name)}: ${writeJson(value)},\n`;
  yield `${JSON.stringify(field)}: `;
  yield* arrayLines(messages);
  yield '}\n';
}

/** Throws `OUTPUT_UNWRITABLE` if an output is the input or another output, even by another path. */
export function refuseOverwrite(input: string, ...outputs: readonly (string | undefined)[]): void {
  const usedPaths = [realPathOf(input)];
  for (const file of outputs) {
    if (file === undefined || isStream(file)) continue;
    const at = usedPaths.indexOf(realPathOf(file));
    usedPaths.push(realPathOf(file));
    if (at < 0) continue;
    throw new SpillwayError('OUTPUT_UNWRITABLE', {
      subject: file,
      found: at === 0 ? 'the input itself' : 'the place of another result',
      remedy: 'Name another file: input and results need a file each.',
    });
  }
}

/** Resolves links, so that a link remains and its target is written. */
const realPathOf = (file: string): string => (existsSync(file) ? realpathSync(file) : resolve(file));

function isStream(file: string): boolean {
  const there = existsSync(file) ? statSync(file) : undefined;
  return there !== undefined && !there.isFile() && !there.isDirectory();
}

/**
 * Writes to a file if one is named, otherwise to stdout. A file appears complete or not at all. A target that is no
 * regular file, such as a pipe or `/dev/null`, is written to and not replaced.
 */
export function writeResult(lines: Iterable<string>, file: string | undefined, terminal: Terminal): void {
  if (file === undefined) {
    for (const line of lines) terminal.out(line);
    return;
  }
  let draft: string | undefined;
  try {
    makeFolder(dirname(file));
    const place = realPathOf(file);
    const part = isStream(file) ? undefined : `${place}.${process.pid}.part`;
    // `wx` never writes to an existing draft, which is another process's. A replaced file keeps its permissions.
    const mode = existsSync(place) ? statSync(place).mode : undefined;
    const descriptor = part === undefined ? openSync(file, 'w') : openSync(part, 'wx', mode);
    draft = part;
    try {
      if (draft !== undefined && mode !== undefined) fchmodSync(descriptor, mode);
      for (const line of lines) writeFileSync(descriptor, line);
    } finally {
      closeSync(descriptor);
    }
    if (draft !== undefined) renameSync(draft, place);
  } catch (cause) {
    if (draft !== undefined) rmSync(draft, { force: true });
    throw unwritable(file, cause, '; nothing was left behind');
  }
}

const WRITE_FAULTS: Readonly<Record<string, string>> = {
  EISDIR: 'a directory',
  EACCES: 'no permission to write there',
  EPERM: 'no permission to write there',
};

/** The system's message is not used if possible, because it may name the draft file, which the user does not know. */
export const unwritable = (file: string, cause: unknown, left = ''): SpillwayError =>
  new SpillwayError('OUTPUT_UNWRITABLE', {
    subject: file,
    found: WRITE_FAULTS[(cause as NodeJS.ErrnoException | undefined)?.code ?? ''] ?? thrownText(cause),
    remedy: `Name a writable place with free space${left}.`,
    cause,
  });

/** Writes a report: as JSON to a file if requested, and to stderr for people, or as JSON for programs. */
export function writeReport(
  report: unknown,
  readable: () => string,
  options: { readonly report?: string; readonly json?: boolean },
  terminal: Terminal,
): void {
  if (options.report !== undefined)
    writeResult([`${JSON.stringify(report, undefined, 2)}\n`], options.report, terminal);
  if (options.json) terminal.err(`${JSON.stringify(report)}\n`);
  else terminal.err(readable());
}
