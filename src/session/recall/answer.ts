import { NOTHING_RECALLED, RECALLED } from '../../transcript/index.js';

/** One piece of the log that was read back. */
export interface Recalled {
  /** Gives this and what comes after it: `m12`, `m12#0`, `m12@1400` (from that character on). */
  readonly handle: string;
  readonly role: string;
  /** The original words, secrets taken out; where some are left out, a line says how many and by which handle they are read. */
  readonly text: string;
  /** Of a search: larger is better; only good for comparing pieces of one answer. */
  readonly score?: number;
  /** What it is: `result of Read src/a.ts`, `call of Bash`. Absent for what was said. */
  readonly about?: string;
  /** Place of its message in the log, from 0, and how many messages there are. */
  readonly place: number;
  readonly of: number;
  /** By which handle to read on; absent where nothing is left. */
  readonly next?: string;
  /** How often this session gave the very same before. */
  readonly givenBefore?: number;
}

/** What a tool answers with: a block a piece, its handle first. */
export function recalledText(found: readonly Recalled[]): string {
  if (found.length === 0) return NOTHING_RECALLED;
  const isRepeat = found.every(({ givenBefore }) => givenBefore !== undefined);
  const again = isRepeat ? '; all given before: ask in other words' : '';
  const blocks = found.map((one) => `${headOf(one)}\n${one.text}`);
  return [`${RECALLED}${again}):`, ...blocks].join('\n\n');
}

/** The line above a piece: where it is from, and when. */
export function headOf({ handle, role, about, place, of, givenBefore }: Omit<Recalled, 'text'>): string {
  const source = about === undefined ? role : `${role}, ${about}`;
  const again = givenBefore === undefined ? '' : ', given before';
  return `[${handle}] ${source}, message ${place + 1} of ${of}${again}:`;
}
