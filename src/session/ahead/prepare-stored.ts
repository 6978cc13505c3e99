import { SpillwayError } from '../../errors/index.js';
import type { SessionStore, UsageEntry } from '../../spi/index.js';
import type { ModelCall } from '../../transcript/index.js';
import type { PreparedBody, PreparedText } from './prepared-plan.js';
import type { SessionParts } from '../session-parts.js';
import { readWhole } from '../persistence/stored-thread.js';
import type { ThreadRules } from '../thread.js';

/** What is needed to buy text for a session that is not open here. */
export type WorkerParts = ThreadRules & Pick<SessionParts, 'costs' | 'filler' | 'stream'>;

const NOTHING: PreparedText = { calls: [], fallbacks: [], usage: [] };

/**
 * Buys the text of a plan of another process, from its log in the store; the text is kept there as an artifact. What it
 * cost is noted with the thread. Rejects where this process would ask somebody else, or in other words, and where the
 * signal aborted: then the job is another's.
 */
export async function prepareStored(
  store: SessionStore,
  parts: WorkerParts,
  { edits, entries, pinned, version, ...key }: PreparedBody,
  signal: AbortSignal,
): Promise<PreparedText> {
  const { filler, costs, stream } = parts;
  if (filler?.version !== version)
    throw new SpillwayError('CONFIG_INVALID', {
      subject: 'summarizer of this process',
      found: 'not that of the process that planned',
      remedy: 'Give all processes on one store the same summarizer and prompts, or set fill.work: false.',
    });
  const { contents, head } = await readWhole(store, key, parts);
  if (head.entries !== entries) return NOTHING;
  costs.restore(await store.usage(key));
  const calls: ModelCall[] = [];
  const usage: UsageEntry[] = [];
  costs.onSpent = (entry) => usage.push(entry);
  let isCurrent = true;
  const look = async (): Promise<void> => {
    const now = await store.load(key).catch(() => undefined);
    isCurrent = now?.head.entries === entries;
  };
  const isPinned = new Set(pinned);
  const { secrets } = contents.reader.caughtUp();
  const { fallbacks } = await filler.prepareAhead({
    edits,
    log: contents.log,
    isPinned: ({ id }) => isPinned.has(id),
    view: contents.projection.view,
    redact: secrets.redact,
    signal,
    isCurrent: () => isCurrent,
    onCall: (call) => {
      calls.push(call);
      costs.addCall(call);
      stream.emit({ kind: 'model-call', call });
      void look();
    },
  });
  if (usage.length > 0) await store.note(key, [], usage).catch(() => undefined);
  signal.throwIfAborted();
  return { calls, fallbacks, usage };
}
