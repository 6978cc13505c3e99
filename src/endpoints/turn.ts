import { commandAnswer, type Session } from '../session/index.js';
import type { Usage } from '../tokens/index.js';

/** Who asks for a compaction wants one, whatever the gates say: down to this share of what stands. */
const ASKED_SHARE = 0.5;

/** Compacts because a user said `/compact`; what to answer in the model's place. */
export async function compactedAsAsked(session: Session, signal?: AbortSignal): Promise<string> {
  const target = session.reading.pressure * ASKED_SHARE;
  const run = await session.operator.compact({ target, ...(signal && { signal }) });
  return commandAnswer(run.record ? `Compacted; ${session.reading.tokens} tokens are left.` : run.reason);
}

/** Reports what was used. The answer was paid for: a store that fails now is told of, and keeps it from nobody. */
export async function report(session: Session, usage: Usage | undefined): Promise<void> {
  if (!usage) return;
  await session.observe(usage).catch((error: unknown) => session.storeFailed(error));
}
