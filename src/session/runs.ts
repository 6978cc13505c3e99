import type { Trigger } from '../transcript/index.js';
import type { Persistence } from './persistence/persistence.js';
import type { RunReport, Prepared } from './prepared.js';
import { continuesAfter } from './own-messages.js';
import type { Compaction } from './compaction.js';
import type { Inbox } from './inbox.js';
import type { RunManner } from './policies.js';
import type { Uses } from './services.js';
import { inSlices } from './slices.js';
import { SerialQueue, spentAfter, type Sighting, type Spent } from '../pressure/index.js';
import type { PrepareOptions } from './requests.js';
import type { Pass } from '../pipeline/index.js';
import type { RunMemory } from './thread.js';

/** Rounds of one `prepare` in which messages that arrived meanwhile are compacted with text that is bought for them. */
const MAX_ROUNDS_WITH_TEXT = 3;

/** How a run is made that no gate started. */
export type ManualRun = Omit<RunManner, 'forced'>;

type Parts = Uses<'thread' | 'gauge' | 'stream' | 'settings'> & {
  readonly triggers: Triggers;
  readonly compaction: Compaction;
  readonly persistence: Persistence;
  readonly inbox: Inbox;
  readonly line: CallLine;
};

/** The runs of one session: one after the other, each between two writes of its store. */
export class Runs {
  readonly #of: Parts;

  constructor(of: Parts) {
    this.#of = of;
  }

  /**
   * Runs until no message is left unmeasured, so that the request written next is the one that was measured. `moved`:
   * position of the log behind which what hooks add has changed.
   */
  async beforeCall(moved?: number, signal?: AbortSignal): Promise<RunReport> {
    const { thread, compaction, persistence, triggers } = this.#of;
    let report: RunReport | undefined;
    for (let round = 0; ; round++) {
      let measured = 0;
      // Somebody who keeps on talking must not have every round wait for text.
      const patience = round < MAX_ROUNDS_WITH_TEXT ? signal : AbortSignal.abort();
      const needsWhole = (): boolean => moved !== undefined || triggers.wouldAct;
      const run = await this.#submit(async () => {
        if (thread.isWhole && needsWhole()) await inSlices(thread.reader.catchingUp());
        return persistence.during(() => {
          measured = thread.appendedTokens;
          return compaction.beforeCall(moved, patience);
        }, needsWhole);
      });
      if (run.error) throw run.error;
      const goesOn = await this.#continueAfter(run);
      if (!report || run.kind === 'committed') report = goesOn ? { ...run, continue: goesOn } : run;
      if (thread.appendedTokens === measured || !triggers.wouldAct) return report;
    }
  }

  /** Compacts, whatever the gates say. */
  compact(trigger: Trigger, how: ManualRun): Promise<RunReport> {
    const { compaction, persistence } = this.#of;
    return this.#submit(() => persistence.during(() => compaction.run(trigger, { ...how, forced: true })));
  }

  /** As `compact`, after the call that is under way: its request is not rewritten before it is answered. */
  async compactWhenIdle(trigger: Trigger, how: ManualRun): Promise<RunReport> {
    const { line } = this.#of;
    while (line.isBusy) await line.idle();
    return this.compact(trigger, how);
  }

  /** Makes a change that is no run, after whatever is under way. */
  async between(change: () => Promise<unknown>): Promise<void> {
    await this.#submit(change);
  }

  async #continueAfter(run: RunReport): Promise<RunReport['continue']> {
    const { thread, settings, inbox } = this.#of;
    const how = continuesAfter(run, settings.compaction.continue, thread.log);
    if (how === 'told') await inbox.goOn();
    return how;
  }

  async #submit<T>(task: () => T | Promise<T>): Promise<T> {
    const { gauge, stream } = this.#of;
    if (gauge.loading) await gauge.loading;
    return await stream.submit(task);
  }
}

/** What a call may do while it is under way. */
export interface Flight<Message = unknown> {
  /** Holds the next call, and compactions that are asked for, until this is settled: the rest of a stream. */
  until(settled: PromiseLike<unknown>): void;
  /** A request within this call: prepared, sent, and sent once more where it was too long. */
  again<Answer>(
    send: (request: Prepared<Message>) => Answer | Promise<Answer>,
    options?: PrepareOptions,
  ): Promise<Answer>;
}

/** The calls of one session: one at a time, each until its stream has ended. */
export class CallLine {
  readonly #calls = new SerialQueue();
  readonly #holds = new Set<PromiseLike<unknown>>();
  #sending = 0;

  /** Whether a request is under way, or its stream is still being read. */
  get isBusy(): boolean {
    return this.#sending > 0 || this.#holds.size > 0;
  }

  /** Does this when all calls before it are over. */
  next<T>(task: () => Promise<T>): Promise<T> {
    return this.#calls.do(async () => {
      await this.#settled();
      return task();
    });
  }

  /** Resolves when what is under way now is over. */
  async idle(): Promise<void> {
    await this.#calls.done();
    await this.#settled();
  }

  /** Nothing is compacted on request while this is under way. */
  async sending<T>(send: () => T | Promise<T>): Promise<T> {
    this.#sending++;
    try {
      return await send();
    } finally {
      this.#sending--;
    }
  }

  hold(settled: PromiseLike<unknown>): void {
    this.#holds.add(settled);
    const release = (): void => void this.#holds.delete(settled);
    settled.then(release, release);
  }

  async #settled(): Promise<void> {
    while (this.#holds.size > 0) await Promise.allSettled(this.#holds);
  }
}

/** What a session is to do before a call, and why. */
export class Triggers {
  readonly #of: Uses<'thread' | 'settings' | 'gauge' | 'policies' | 'stream'>;

  constructor(of: Uses<'thread' | 'settings' | 'gauge' | 'policies' | 'stream'>) {
    this.#of = of;
  }

  /** Compact when pressure says so; else only when asked. */
  get isAuto(): boolean {
    return this.#of.settings.compaction.auto;
  }

  /** Whether anything would be compacted now: what that needs is the whole log. */
  get wouldAct(): boolean {
    const { thread, policies, stream } = this.#of;
    if (thread.memory.queued) return true;
    if (!this.isAuto || thread.ledger.pending) return false;
    return policies.now.passes.some(this.isPassDue) || stream.wouldFire(this.sighting) !== undefined;
  }

  /** What the pressure stream is told of this moment. */
  get sighting(): Sighting {
    const { gauge, policies, thread } = this.#of;
    const { memory, appendedTokens: appended, projection } = thread;
    const reading = gauge.read(projection);
    const { gates, minGain } = policies.now;
    const freshTokens = minGain * reading.budget.tokens;
    const isArmed = this.isAuto;
    return { reading, appended, gates, freshTokens, isArmed, asked: askedBy(memory, isArmed) };
  }

  /** What a run that came to nothing leaves behind: it is not repeated until something new comes in. */
  get spent(): Spent {
    const { gauge, policies, thread } = this.#of;
    const { projection, appendedTokens: appended } = thread;
    return (
      spentAfter(gauge.read(projection).pressure, policies.now.gates, appended) ?? { gate: -1, appended }
    );
  }

  /** Whether a pass runs before the next call; those at the head of a run wait for one. */
  readonly isPassDue = ({ when }: Pass): boolean => {
    const { projection, log } = this.#of.thread;
    if (!this.isAuto || when === 'compaction') return false;
    if (when === 'always') return true;
    if (when === 'iteration') return log.length > log.base && log.at(log.length - 1).role === 'tool';
    const { pressure, tokens } = this.#of.gauge.read(projection);
    // The absolute threshold wins where one is set.
    return when.maxTokens > 0 ? tokens >= when.maxTokens : pressure >= when.pressure;
  };
}

function askedBy({ overflowed, queued }: RunMemory, isAuto: boolean): Trigger | undefined {
  if (overflowed && (isAuto || queued))
    return { kind: 'overflow', detail: 'the provider reported more than the budget' };
  return queued && { kind: queued.auto ? 'overflow' : 'manual', detail: `queued in the log by ${queued.id}` };
}
