import {
  ANYTHING,
  COUNT,
  either,
  having,
  listOf,
  OBJECT,
  oneOf,
  SpillwayError,
  TEXT,
  WHOLE,
  type Kind,
} from '../../errors/index.js';
import type { Json, LedgerEntry } from '../../spi/index.js';
import type { LedgerEvent } from '../../transcript/index.js';

/** A ledger event in its stored form, with the id of its writer, which recognises it by that. */
interface Entry {
  readonly event: LedgerEvent;
  readonly writer: string;
}

const SIZE = having({ tokens: COUNT });
const PARTS = listOf(having({ type: TEXT }));
const MESSAGE = having({ id: TEXT, role: TEXT, parts: PARTS });
const EDIT = either(
  having({ kind: oneOf('replace'), messageId: TEXT, partIndex: WHOLE, content: PARTS, size: SIZE }),
  having({
    kind: oneOf('supersede'),
    fromId: TEXT,
    toId: TEXT,
    replacement: listOf(MESSAGE),
    sizes: listOf(SIZE),
  }),
);
const PLAN = having({
  hash: TEXT,
  base: TEXT,
  trigger: OBJECT,
  inputs: having({ logLength: WHOLE }),
  stages: listOf(OBJECT),
  edits: listOf(EDIT),
  before: SIZE,
  after: SIZE,
  floor: having({ parts: OBJECT }),
});

/** The fields that code which plays or shows an event relies on, by kind of event. */
const KINDS: Readonly<Record<LedgerEvent['kind'], Kind>> = {
  commit: having({ record: having({ id: TEXT, kind: TEXT, status: TEXT, plan: PLAN }) }),
  undo: having({ records: listOf(TEXT), holds: listOf(having({ from: WHOLE, to: WHOLE })) }),
  release: ANYTHING,
  flag: having({ record: TEXT }),
  propose: having({ proposal: having({ plan: PLAN }) }),
  reject: having({ plan: TEXT }),
  rollback: having({ length: WHOLE, appended: WHOLE, records: listOf(TEXT) }),
  'end-claim': ANYTHING,
  'restore-claim': ANYTHING,
};

export function entryOf(event: LedgerEvent, writer: string, at: number): LedgerEntry {
  return { kind: event.kind, at, body: { event, writer } satisfies Entry as unknown as Json };
}

export function writerOf({ body }: LedgerEntry): string | undefined {
  return (body as unknown as Partial<Entry> | null)?.writer;
}

/**
 * Throws `STORE_SCHEMA` if another release wrote an event that this one cannot play (the view would differ), and
 * `STORE_DAMAGED` if the body of a known kind does not contain an event of that kind.
 */
export function eventOf({ kind, body }: LedgerEntry): LedgerEvent {
  const { event } = (body ?? {}) as unknown as Partial<Entry>;
  if (event && Object.hasOwn(KINDS, event.kind) && KINDS[event.kind].is(event)) return event;
  if (Object.hasOwn(KINDS, kind)) throw damaged('ledger entry', `a body that is no ${kind}`);
  throw new SpillwayError('STORE_SCHEMA', {
    subject: 'ledger entry',
    found: kind,
    allowed: Object.keys(KINDS).join(', '),
    remedy: 'A newer version of Spillway wrote it: use that version.',
  });
}

/** The error for stored content that is not what was written. */
export function damaged(subject: string, found: string): SpillwayError {
  return new SpillwayError('STORE_DAMAGED', {
    subject,
    found,
    remedy: 'Restore the store from a copy. Other sessions are not affected.',
  });
}
