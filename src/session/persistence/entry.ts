import { SpillwayError } from '../../errors/index.js';
import type { Json, LedgerEntry } from '../../spi/index.js';
import type { LedgerEvent } from '../../transcript/index.js';

/** A ledger event as it is stored: with a name of its own, by which its writer knows it again. */
interface Entry {
  readonly event: LedgerEvent;
  readonly writer: string;
}

const KINDS: readonly string[] = [
  'commit',
  'undo',
  'release',
  'flag',
  'propose',
  'reject',
  'rollback',
  'end-claim',
  'restore-claim',
] satisfies readonly LedgerEvent['kind'][];

export function entryOf(event: LedgerEvent, writer: string, at: number): LedgerEntry {
  return { kind: event.kind, at, body: { event, writer } satisfies Entry as unknown as Json };
}

export function writerOf({ body }: LedgerEntry): string | undefined {
  return (body as unknown as Partial<Entry> | null)?.writer;
}

/**
 * Throws `STORE_SCHEMA` where another release has written what this one cannot play (the view would be another), and
 * `STORE_DAMAGED` where the body of a kind that is known does not hold an event of it.
 */
export function eventOf({ kind, body }: LedgerEntry): LedgerEvent {
  const { event } = (body ?? {}) as unknown as Partial<Entry>;
  if (event && KINDS.includes(event.kind) && isWhole(event)) return event;
  if (KINDS.includes(kind)) throw damaged('ledger entry', `a body that is no ${kind}`);
  throw new SpillwayError('STORE_SCHEMA', {
    subject: 'ledger entry',
    found: kind,
    allowed: KINDS.join(', '),
    remedy: 'It was written by a newer Spillway: use that one.',
  });
}

const isWhole = (event: LedgerEvent): boolean =>
  event.kind !== 'commit' || Array.isArray((event as Partial<typeof event>).record?.plan?.edits);

/** What was read is not what was written. */
export function damaged(subject: string, found: string): SpillwayError {
  return new SpillwayError('STORE_DAMAGED', {
    subject,
    found,
    remedy: 'Restore the store from a copy; what other sessions hold is not touched by it.',
  });
}
