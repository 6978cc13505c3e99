import { hash } from 'node:crypto';
import { jsonText } from '../../wire/index.js';
import { fingerprintOf, type Fingerprint } from './fingerprint.js';

/** Where the newest message of a request body ends, and what stands up to there. */
export interface Beginning {
  readonly bytes: number;
  readonly digest: string;
  /** Messages in it. */
  readonly messages: number;
}

/** Sessions that begin alike whose bytes are looked at: with more of them each message is hashed, as without any. */
const MOST_LOOKED_AT = 4;

/**
 * The fingerprint of a request. Its client sends the history again as it sent it before, byte for byte, so what a known
 * request holds up to its newest message is hashed in one pass, and only what is behind it message by message.
 */
export function printOf(
  messages: readonly unknown[],
  raw: Buffer | undefined,
  alike: (head: string) => readonly Fingerprint[],
): Fingerprint {
  if (!raw) return fingerprintOf(messages);
  const known = knownIn(messages, raw, alike);
  if (!known?.beginning) return { ...fingerprintOf(messages), ...beginningOf(messages, raw) };
  const fresh = fingerprintOf(messages.slice(known.beginning.messages));
  return {
    hashes: [...known.hashes, ...fresh.hashes],
    byModel: [...known.byModel, ...fresh.byModel],
    ...beginningOf(messages, raw),
  };
}

function knownIn(
  messages: readonly unknown[],
  raw: Buffer,
  alike: (head: string) => readonly Fingerprint[],
): Fingerprint | undefined {
  const head = headOf(messages);
  if (head === undefined) return undefined;
  return alike(head)
    .filter(({ beginning }) => beginning && beginning.bytes <= raw.length)
    .toSorted((a, b) => b.beginning!.bytes - a.beginning!.bytes)
    .slice(0, MOST_LOOKED_AT)
    .find(({ beginning, hashes }) => {
      const { bytes, digest, messages: count } = beginning!;
      if (count > messages.length || digestOf(raw, bytes) !== digest) return false;
      // A body may say its messages twice, and means the later ones.
      const [last] = fingerprintOf(messages.slice(count - 1, count)).hashes;
      return last !== undefined && last === hashes.at(-1);
    });
}

/** The hash of the first message that has one. */
function headOf(messages: readonly unknown[]): string | undefined {
  for (const message of messages) {
    const [head] = fingerprintOf([message]).hashes;
    if (head !== undefined) return head;
  }
  return undefined;
}

/** Nothing where the newest message does not stand in the body as it would be written here. */
function beginningOf(messages: readonly unknown[], raw: Buffer): { readonly beginning?: Beginning } {
  const last = Buffer.from(jsonText(messages.at(-1)));
  const at = raw.lastIndexOf(last);
  if (last.length === 0 || at < 0) return {};
  const bytes = at + last.length;
  return { beginning: { bytes, digest: digestOf(raw, bytes), messages: messages.length } };
}

const digestOf = (raw: Buffer, bytes: number): string => hash('sha1', raw.subarray(0, bytes), 'base64');
