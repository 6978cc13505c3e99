import { SpillwayError } from '../../errors/index.js';

/** A write whose answer never came: what it held, and how much of the outbox went with it. */
export interface InDoubtWrite {
  readonly messages: readonly string[];
  readonly entries: number;
  readonly events: number;
  readonly usage: number;
}

/** Whether a write may have been done although it failed: a store says so, or says nothing that can be relied on. */
export function isInDoubt(error: unknown): boolean {
  if (!(error instanceof SpillwayError)) return true;
  return error.facts.outcome === 'unknown' || (error.code === 'STORE_FAILED' && error.facts.thrown === true);
}

/** The largest of these writes that was done. They grow: each holds what those before it held. */
export async function resolveInDoubt(
  writes: readonly InDoubtWrite[],
  ownEntries: number,
  isStored: (messageId: string) => Promise<boolean>,
): Promise<InDoubtWrite | undefined> {
  for (const write of [...writes].reverse()) {
    const last = write.messages.at(-1);
    if (write.entries <= ownEntries && (last === undefined || (await isStored(last)))) return write;
  }
  return undefined;
}
