import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { SpillwayError } from '../../../errors/index.js';
import { fieldsOf, isText, jsonIn } from '../../../formats/index.js';
import { unwritable } from '../output.js';

export const hashOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

/** Measurements, one per line, so that an interrupted bench continues where it stopped. */
export interface State {
  /** The value stored under the key, or else the result of the work, which is then stored. */
  remember<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export const NO_STATE: State = { remember: (_, work) => work() };

/**
 * A file of JSON lines; the first line names the version. A line torn by the end of the process is measured again.
 * Throws `CONFIG_INVALID` if the file is no bench state, or is of another version, whose figures are not comparable.
 */
export function openState(file: string, version: string): State {
  const stored = new Map<string, unknown>();
  const append = (text: string): void => {
    try {
      appendFileSync(file, text);
    } catch (cause) {
      throw unwritable(file, cause);
    }
  };
  append(''); // an unwritable file is reported before anything is measured
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [head, ...lines] = whole.split('\n').map((line) => fieldsOf(jsonIn(line)));
  if (text === '') append(`${JSON.stringify({ bench: version })}\n`);
  else if (head!.bench !== version) throw wrongState(file, head!.bench, version);
  for (const { key, value } of lines) if (isText(key)) stored.set(key, value);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  return {
    async remember<T>(key: string, work: () => Promise<T>): Promise<T> {
      if (stored.has(key)) return stored.get(key) as T;
      const value = await work();
      append(`${JSON.stringify({ key, value })}\n`);
      return value;
    },
  };
}

function wrongState(file: string, other: unknown, version: string): SpillwayError {
  return new SpillwayError('CONFIG_INVALID', {
    subject: `the state ${file}`,
    found: typeof other === 'string' ? `figures of ${other}` : 'no state of a bench',
    allowed: `figures of ${version}`,
    remedy: 'Name a new file, or delete this one.',
  });
}
