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
] satisfies readonly LedgerEvent['kind'][];

export function entryOf(event: LedgerEvent, writer: string, at: number): LedgerEntry {
  return { kind: event.kind, at, body: { event, writer } satisfies Entry as unknown as Json };
}

export function writerOf({ body }: LedgerEntry): string | undefined {
  return (body as unknown as Partial<Entry> | null)?.writer;
}

/** Throws `STORE_SCHEMA` where another release has written what this one cannot play: the view would be another. */
export function eventOf({ kind, body }: LedgerEntry): LedgerEvent {
  const { event } = (body ?? {}) as unknown as Partial<Entry>;
  if (event && KINDS.includes(event.kind)) return event;
  throw new SpillwayError('STORE_SCHEMA', {
    subject: 'ledger entry',
    found: kind,
    allowed: KINDS.join(', '),
    remedy: 'It was written by a newer Spillway: use that one.',
  });
}
