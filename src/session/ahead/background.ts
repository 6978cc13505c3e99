import { SpillwayError } from '../../errors/index.js';
import { TaskQueue } from '../../pressure/index.js';
import type { BackgroundQueue, OpensQueue, SessionStore, UsageEntry } from '../../spi/index.js';
import type { ModelCall } from '../../transcript/index.js';
import type { CostBook } from '../costs.js';
import { readThread } from '../persistence/stored-thread.js';
import type { Summarizing } from '../policies.js';
import { Thread, type ThreadRules } from '../thread.js';
import { asJson, type PreparedBody, type PreparedText } from './prepared-plan.js';

interface BackgroundParts {
  readonly store?: (SessionStore & OpensQueue) | undefined;
  /** Most preparations at once that do not use the store's queue. */
  readonly atOnce: number;
  /** Whether jobs go into the store's queue, if it has one. */
  readonly isShared: boolean;
  /** Whether this process works on jobs of that queue. */
  readonly works: boolean;
  /** Returns the parts that request text for a session, which need not be open in this process. */
  readonly partsFor: (body: PreparedBody) => WorkerParts;
}

/** Prepares the compactions of an engine: in this process, or in any process on the same store. */
export class Background {
  readonly #localQueue: TaskQueue;
  readonly #running = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  readonly #sharedQueue: BackgroundQueue | undefined;

  constructor(private readonly parts: BackgroundParts) {
    this.#localQueue = new TaskQueue(parts.atOnce);
    const { store, isShared, works, partsFor } = parts;
    this.#sharedQueue = isShared ? store?.openQueue?.() : undefined;
    if (!works) return;
    this.#sharedQueue?.work(async (job, signal) => {
      const body = job as unknown as PreparedBody;
      return asJson(await prepareStored(store!, partsFor(body), body, signal));
    });
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** The store for plans that another process may continue; undefined if no queue is shared. */
  get store(): SessionStore | undefined {
    return this.#sharedQueue && this.parts.store;
  }

  /** Prepares in this process, in turn. The signal aborts when the engine is closed. */
  runLocally<T>(prepare: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const done = this.#localQueue.do(() => prepare(this.#stopping.signal));
    this.#running.add(done);
    return done.finally(() => this.#running.delete(done));
  }

  /**
   * Puts the job into the store's queue, where any process may take it, including this one. Returns the result, or
   * undefined if it is not ready in time. Rejects if the queue cannot be used.
   */
  async runShared(body: PreparedBody, waitMs: number): Promise<PreparedText | undefined> {
    const { ended } = await this.#sharedQueue!.enqueue({ key: body.key, body: asJson(body) });
    return (await ended(AbortSignal.timeout(waitMs))) as unknown as PreparedText | undefined;
  }

  /** Stops the work in this process. Other processes may take over queued jobs. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The engine was closed.'));
    await Promise.allSettled([...this.#running, this.#sharedQueue?.stop()]);
  }
}

/** The parts that request text for a session, which need not be open in this process. */
interface WorkerParts {
  readonly rules: ThreadRules;
  readonly costs: CostBook;
  readonly summarizer: Summarizing;
}

const NO_TEXT: PreparedText = { calls: [], fallbacks: [] };

/**
 * Requests the text of a plan that any process made, from its log in the store. The text is stored there as an
 * artifact, and its costs with the thread. Rejects if this process has another summarizer or other prompts, and if the
 * signal aborts; then another process takes the job.
 */
async function prepareStored(
  store: SessionStore,
  { rules, summarizer, costs }: WorkerParts,
  { edits, entries, pinned, version, ...key }: PreparedBody,
  signal: AbortSignal,
): Promise<PreparedText> {
  const { filler } = summarizer;
  if (filler?.version !== version)
    throw new SpillwayError('CONFIG_INVALID', {
      subject: 'summarizer of this process',
      found: 'not that of the process that planned',
      remedy: 'Give all processes on one store the same summarizer and prompts, or set fill.work: false.',
    });
  const { contents, head } = await readThread(store, key);
  if (head.entries !== entries) return NO_TEXT;
  costs.restore(await store.usage(key));
  const calls: ModelCall[] = [];
  const usage: UsageEntry[] = [];
  costs.onSpent = (entry) => usage.push(entry);
  // No more text is requested after the ledger has changed.
  const overtaken = new AbortController();
  const look = async (): Promise<void> => {
    const now = await store.load(key).catch(() => undefined);
    if (now?.head.entries !== entries) overtaken.abort();
  };
  const isPinned = new Set(pinned);
  const { log, projection, reader } = new Thread(rules, contents);
  const { secrets } = reader.catchUp();
  const { fallbacks } = await filler.fill({
    edits,
    log,
    isPinned: ({ id }) => isPinned.has(id),
    view: projection.view,
    redact: secrets.redact,
    signal: AbortSignal.any([signal, overtaken.signal]),
    onCall: (call) => {
      calls.push(call);
      costs.addCall(call);
      void look();
    },
  });
  if (usage.length > 0) await store.note(key, [], usage).catch(() => undefined);
  signal.throwIfAborted();
  return { calls, fallbacks };
}
