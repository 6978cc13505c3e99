import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, truncateSync } from 'node:fs';
import { SpillwayError } from '../../../errors/index.js';
import { fieldsOf, isText, jsonIn } from '../../../formats/index.js';
import { unwritable } from '../output.js';

export const hashOf = (...parts: readonly unknown[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);

/** What has been measured, a line each, so that a bench that was killed goes on where it was. */
export interface State {
  /** What stands under the key, or what the work returns, which stands there from then on. */
  remember<T>(key: string, work: () => Promise<T>): Promise<T>;
}

export const FORGETFUL: State = { remember: (_, work) => work() };

/**
 * A file of JSON lines; the first says of which version it is. What was torn when the process ended is measured again.
 * Throws `CONFIG_INVALID` where the file is none of a bench, or of another version: its figures are not ours.
 */
export function openState(file: string, version: string): State {
  const known = new Map<string, unknown>();
  const put = (text: string): void => {
    try {
      appendFileSync(file, text);
    } catch (cause) {
      throw unwritable(file, cause);
    }
  };
  put(''); // what cannot be written to is told before anything is measured
  const text = readFileSync(file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const [head, ...lines] = whole.split('\n').map((line) => fieldsOf(jsonIn(line)));
  if (text === '') put(`${JSON.stringify({ bench: version })}\n`);
  else if (head!.bench !== version) throw notOurs(file, head!.bench, version);
  for (const { key, value } of lines) if (isText(key)) known.set(key, value);
  if (whole.length < text.length) truncateSync(file, Buffer.byteLength(whole));
  return {
    async remember<T>(key: string, work: () => Promise<T>): Promise<T> {
      if (known.has(key)) return known.get(key) as T;
      const value = await work();
      put(`${JSON.stringify({ key, value })}\n`);
      return value;
    },
  };
}

function notOurs(file: string, other: unknown, version: string): SpillwayError {
  return new SpillwayError('CONFIG_INVALID', {
    subject: `the state ${file}`,
    found: typeof other === 'string' ? `figures of ${other}` : 'no state of a bench',
    allowed: `figures of ${version}`,
    remedy: 'Name a new file, or delete this one.',
  });
}
