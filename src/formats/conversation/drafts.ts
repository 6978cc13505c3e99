import { isPlain, WeakCache, type Message, type Part, type ViewMessage } from '../../transcript/index.js';
import type { Notice } from '../../spi/index.js';
import { isFields, type Fields } from '../record.js';
import type { Drafted } from './pairing.js';
import { reporter, REPAIRS, type Report } from './repairs.js';

/** A format's result for one message: the content to send, and the message's calls and answers. */
type DraftContent<Draft extends Drafted> = Omit<Draft, 'id' | 'role' | 'notices'>;

/**
 * Drafts each view message once per message object, independent of other messages, with notices of repairs. Writing a
 * view again therefore allocates only where the view changed. Halves of surrogate pairs, which cannot be sent at all,
 * are replaced here; the ids that pair calls and answers stay as the log has them.
 */
export function createDrafter<Draft extends Drafted>(
  make: (shown: ViewMessage, report: Report, notices: readonly Notice[]) => DraftContent<Draft>,
): (shown: ViewMessage) => Draft {
  const known = new WeakCache<Message, Draft>();
  return (shown) => {
    const found = known.get(shown.message);
    if (found !== undefined) return found;
    const { id, role } = shown.message;
    const notices: Notice[] = [];
    const report = reporter(id, notices);
    const made = make(shown, report, notices);
    const { calls, answers, ...said } = made;
    const sent = wellFormed(said);
    const sound = answers.map((answer) => {
      const { callId, ...rest } = answer;
      const repaired = wellFormed(rest);
      return repaired === rest ? answer : { ...repaired, callId };
    });
    const isSound = sent === said && sound.every((answer, at) => answer === answers[at]);
    if (!isSound) report('lone-surrogate', REPAIRS.surrogates);
    const what = isSound ? made : { ...sent, calls, answers: sound };
    const draft = { id, role, ...what, notices } as unknown as Draft;
    known.set(shown.message, draft);
    return draft;
  };
}

/** The wire value of a message that came in this format; undefined if another format or our own code made it. */
export function ownWire({ message, source, made }: ViewMessage, format: string): Fields | undefined {
  const { wire } = source ?? message;
  return !made && message.wireFormat === format && isFields(wire) ? wire : undefined;
}

/** A part of a log message and the parts that the view shows in its place: the part itself if nothing replaced it. */
export interface Aligned {
  readonly source: Part;
  readonly shown: readonly Part[];
  readonly replaced: boolean;
}

/** Groups a view message's parts by the part of the log message that each stands in for. */
export function alignedParts({ message, source, replaced }: ViewMessage): readonly Aligned[] {
  let at = 0;
  return (source ?? message).parts.map((original, index) => {
    const length = replaced?.get(index)?.length ?? 1;
    const shown = message.parts.slice(at, at + length);
    at += length;
    return { source: original, shown, replaced: replaced?.has(index) ?? false };
  });
}

/** Reports that the thinking of a message from another format is not sent, if that thinking is readable text. */
export function reportThinking(parts: readonly Part[], report: Report): void {
  const isReadable = (part: Part): boolean =>
    part.type === 'reasoning' && part.signature === undefined && part.text !== '';
  if (parts.some(isReadable)) report('foreign-reasoning', REPAIRS.foreignReasoning);
}

/**
 * The same value with every half of a surrogate pair replaced by U+FFFD; the very same object if there is none. Half a
 * pair cannot be written as UTF-8, and servers answer such a request with 400 or 500.
 */
export function wellFormed<T>(value: T): T {
  return isSound(value) ? value : (repaired(value) as T);
}

/** Whether a value needs no repair, which is true of most values: checked without a copy. */
function isSound(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isSound);
  // Bytes and dates of an SDK's own shape hold no text.
  if (!isPlain(value)) return true;
  for (const key in value) if (!key.isWellFormed() || !isSound(value[key])) return false;
  return true;
}

function repaired(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  const fields = Object.entries(value as object);
  return Object.fromEntries(fields.map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}
