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
  /** Preparations of this process alone, at a time. */
  readonly atOnce: number;
  /** Whether jobs go into the store's queue, where it has one. */
  readonly isShared: boolean;
  /** Whether this process does jobs of that queue. */
  readonly works: boolean;
  /** What buys text for a session, which need not be open here. */
  readonly partsFor: (body: PreparedBody) => WorkerParts;
}

/** Where an engine has its compactions prepared: by itself, or by whoever is on the same store. */
export class Background {
  readonly #alone: TaskQueue;
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #stopping = new AbortController();
  readonly #shared: BackgroundQueue | undefined;

  constructor(private readonly parts: BackgroundParts) {
    this.#alone = new TaskQueue(parts.atOnce);
    const { store, isShared, works, partsFor } = parts;
    this.#shared = isShared ? store?.openQueue?.() : undefined;
    if (!works) return;
    this.#shared?.work(async (job, signal) => {
      const body = job as unknown as PreparedBody;
      return asJson(await prepareStored(store!, partsFor(body), body, signal));
    });
  }

  get isStopped(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Where plans are kept for whoever opens a session next; undefined where nobody else could go on with them. */
  get store(): SessionStore | undefined {
    return this.#shared && this.parts.store;
  }

  /** Prepares in this process, when it is its turn. The signal aborts when the engine is closed. */
  alone<T>(prepare: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const done = this.#alone.do(() => prepare(this.#stopping.signal));
    this.#underWay.add(done);
    return done.finally(() => this.#underWay.delete(done));
  }

  /**
   * Has it prepared by whoever takes it from the store's queue, this process too. What came of it; undefined where it was
   * not done in time. Rejects where the queue cannot be used.
   */
  async together(body: PreparedBody, waitMs: number): Promise<PreparedText | undefined> {
    const { ended } = await this.#shared!.enqueue({ key: body.key, body: asJson(body) });
    return (await ended(AbortSignal.timeout(waitMs))) as unknown as PreparedText | undefined;
  }

  /** Ends what is under way; what others can do is left to them. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('The engine was closed.'));
    await Promise.allSettled([...this.#underWay, this.#shared?.stop()]);
  }
}

/** What buys text for a session, which need not be open here. */
interface WorkerParts {
  readonly rules: ThreadRules;
  readonly costs: CostBook;
  readonly summarizer: Summarizing;
}

const NOTHING: PreparedText = { calls: [], fallbacks: [] };

/**
 * Buys the text of a plan, from its log in the store, whichever process made it; the text is kept there as an artifact. What it
 * cost is noted with the thread. Rejects where this process would ask somebody else, or in other words, and where the
 * signal aborted: then the job is another's.
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
  if (head.entries !== entries) return NOTHING;
  costs.restore(await store.usage(key));
  const calls: ModelCall[] = [];
  const usage: UsageEntry[] = [];
  costs.onSpent = (entry) => usage.push(entry);
  // Nothing more is bought once the ledger has moved on.
  const overtaken = new AbortController();
  const look = async (): Promise<void> => {
    const now = await store.load(key).catch(() => undefined);
    if (now?.head.entries !== entries) overtaken.abort();
  };
  const isPinned = new Set(pinned);
  const { log, projection, reader } = new Thread(rules, contents);
  const { secrets } = reader.caughtUp();
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
