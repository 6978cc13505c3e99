import { SpillwayError } from '../errors/index.js';
import type { CompactionRecord, Ledger, Trigger } from '../transcript/index.js';
import type { RunReport } from './prepared.js';
import { continuationAfter } from './own-messages.js';
import type { RunOptions } from './policies.js';
import type { Pieces } from './wiring.js';
import { inSlices, whenReady } from './slices.js';

/** Rounds of one `prepare` that may wait for text from a summarizer. */
const MAX_ROUNDS_WITH_TEXT = 3;

/** Most rounds of one `prepare`. */
const MAX_ROUNDS = 16;

/** A state of log and ledger, and its pressure. */
interface MeasuredState {
  readonly appended: number;
  readonly version: number;
  readonly pressure: number;
}

/** The runs of one session: one after the other, each between two writes to its store. */
export class Runs {
  #measured: MeasuredState = { appended: 0, version: 0, pressure: 0 };

  constructor(
    private readonly pieces: Pick<
      Pieces,
      'compaction' | 'gauge' | 'inbox' | 'persistence' | 'settings' | 'stream' | 'thread' | 'triggers'
    >,
  ) {}

  /**
   * Runs until no message is left unmeasured, so that the request written next is the one that was measured. `moved`:
   * the log position after which the content that hooks add has changed.
   */
  async beforeCall(moved?: number, signal?: AbortSignal): Promise<RunReport> {
    const { thread, compaction, persistence, triggers } = this.pieces;
    let report: RunReport | undefined;
    let hasCaughtUp = false;
    for (let round = 0; ; round++) {
      let measured = this.#state;
      const { version } = thread.ledger;
      // Messages that keep arriving must not make every round wait for text.
      const textSignal = round < MAX_ROUNDS_WITH_TEXT ? signal : AbortSignal.abort();
      const run = await this.#submit(async () => {
        if (moved !== undefined || triggers.wouldAct) await inSlices(thread.reader.catchUpInSteps());
        return persistence.betweenWrites(() => {
          // Read after the passes. An undo while the run waits is not part of what was measured.
          const read = (): void => void (measured = this.#state);
          return whenReady(compaction.beforeCall(read, moved, textSignal), (made) => {
            // An undo or a report after the record, while plugins are told, is not part of what was measured.
            if (made.record)
              measured = { ...measured, pressure: 1, version: versionAfter(made.record, thread.ledger) };
            return made;
          });
        });
      });
      if (run.error) {
        // In another process, an operator may have answered the plan or released a hold.
        if (!hasCaughtUp) await persistence.catchUp();
        if (hasCaughtUp || thread.ledger.version === version) {
          // The store must show why the run failed, and this may be the last write before the process ends.
          await persistence.record([]).catch(() => undefined);
          throw run.error;
        }
        hasCaughtUp = true;
        continue;
      }
      const continued = await this.#continueAfter(run);
      if (!report || run.kind === 'committed') report = continued ? { ...run, continue: continued } : run;
      if (this.#hasMoved(measured) && this.#wouldAct) {
        if (round < MAX_ROUNDS) continue;
        // If each compaction is undone or messages never stop, an agent would wait forever.
        if (this.#state.pressure > 1) throw overtakenError();
      }
      this.#measured = this.#state;
      return report;
    }
  }

  /** The present state of log and ledger, to compare with a measured one. */
  get #state(): MeasuredState {
    const { gauge, thread } = this.pieces;
    const { appendedTokens: appended, ledger, projection } = thread;
    return { appended, version: ledger.version, pressure: gauge.read(projection).pressure };
  }

  /** Whether another round would compact, or report a plan that waits for an operator. */
  get #wouldAct(): boolean {
    return this.pieces.triggers.wouldAct || this.pieces.thread.ledger.pending !== undefined;
  }

  /** Whether the session changed since it was measured last, and no longer fits. */
  get isOvertaken(): boolean {
    return this.#hasMoved(this.#measured) && this.#state.pressure > 1 && this.#wouldAct;
  }

  /** Whether log or ledger changed, or a report on another call raised the pressure above the budget. */
  #hasMoved({ appended, version, pressure }: MeasuredState): boolean {
    const now = this.#state;
    if (now.appended !== appended || now.version !== version) return true;
    return now.pressure > Math.max(1, pressure);
  }

  /** Compacts at any pressure, after it has read what other processes stored since. */
  compact(trigger: Trigger, how: Omit<RunOptions, 'forced'>): Promise<RunReport> {
    const { compaction, persistence } = this.pieces;
    return this.#submit(async () => {
      await persistence.catchUp();
      return persistence.betweenWrites(() => compaction.run(trigger, { ...how, forced: true }));
    });
  }

  /** Makes a change that is not a run, after everything submitted before. */
  async change(change: () => Promise<unknown>): Promise<void> {
    await this.#submit(change);
  }

  async #continueAfter(run: RunReport): Promise<RunReport['continue']> {
    const { thread, settings, inbox } = this.pieces;
    const how = continuationAfter(run, settings.compaction.continue, thread.log);
    if (how === 'told') await inbox.askToContinue();
    return how;
  }

  async #submit<T>(task: () => T | Promise<T>): Promise<T> {
    const { gauge, stream } = this.pieces;
    if (gauge.loading) await gauge.loading;
    return await stream.submit(task);
  }
}

/** The version of the ledger directly after it committed this record. */
const versionAfter = ({ id }: CompactionRecord, { events }: Ledger): number =>
  1 + events.findLastIndex((event) => event.kind === 'commit' && event.record.id === id);

function overtakenError(): SpillwayError {
  return new SpillwayError('LEDGER_CONFLICT', {
    subject: 'the next request of a session',
    found: 'a session that changed after each compaction',
    remedy:
      'Try again when nothing else undoes, rolls back or appends at the same time, including listeners and plugins.',
    retryable: true,
  });
}
