import type { Trigger } from '../transcript/index.js';
import type { RunReport } from './prepared.js';
import { continuesAfter } from './own-messages.js';
import type { RunManner } from './policies.js';
import type { Pieces } from './wiring.js';
import { after, inSlices } from './slices.js';

/** Rounds of one `prepare` in which messages that arrived meanwhile are compacted with text that is bought for them. */
const MAX_ROUNDS_WITH_TEXT = 3;

/** A place of log and ledger. */
interface Place {
  readonly appended: number;
  readonly version: number;
}

/** The runs of one session: one after the other, each between two writes of its store. */
export class Runs {
  #measured: Place = { appended: 0, version: 0 };

  constructor(
    private readonly of: Pick<
      Pieces,
      'compaction' | 'gauge' | 'inbox' | 'persistence' | 'settings' | 'stream' | 'thread' | 'triggers'
    >,
  ) {}

  /**
   * Runs until no message is left unmeasured, so that the request written next is the one that was measured. `moved`:
   * position of the log behind which what hooks add has changed.
   */
  async beforeCall(moved?: number, signal?: AbortSignal): Promise<RunReport> {
    const { thread, compaction, persistence, triggers } = this.of;
    let report: RunReport | undefined;
    let isNewest = false;
    for (let round = 0; ; round++) {
      let measured = this.#place;
      const { version } = thread.ledger;
      // Somebody who keeps on talking must not have every round wait for text.
      const patience = round < MAX_ROUNDS_WITH_TEXT ? signal : AbortSignal.abort();
      const run = await this.#submit(async () => {
        if (moved !== undefined || triggers.wouldAct) await inSlices(thread.reader.catchingUp());
        return persistence.during(() => {
          // Passes are behind it; an undo that comes while the run waits is not measured.
          const read = (): void => void (measured = this.#place);
          return after(compaction.beforeCall(read, moved, patience), (made) => {
            if (made.kind === 'committed') measured = { ...measured, version: thread.ledger.version };
            return made;
          });
        });
      });
      if (run.error) {
        // Somebody may have answered the plan, or let go of what is held, in another process.
        if (!isNewest) await persistence.catchUp();
        if (isNewest || thread.ledger.version === version) throw run.error;
        isNewest = true;
        continue;
      }
      const goesOn = await this.#continueAfter(run);
      if (!report || run.kind === 'committed') report = goesOn ? { ...run, continue: goesOn } : run;
      if (this.#hasMoved(measured) && triggers.wouldAct) continue;
      this.#measured = this.#place;
      return report;
    }
  }

  /** Where log and ledger stand: what is measured is of one place. */
  get #place(): Place {
    const { appendedTokens: appended, ledger } = this.of.thread;
    return { appended, version: ledger.version };
  }

  /** Whether what was measured last fits no more, since the session went on. */
  get isOvertaken(): boolean {
    const { gauge, thread, triggers } = this.of;
    return this.#hasMoved(this.#measured) && gauge.read(thread.projection).pressure > 1 && triggers.wouldAct;
  }

  #hasMoved({ appended, version }: Place): boolean {
    const { thread } = this.of;
    return thread.appendedTokens !== appended || thread.ledger.version !== version;
  }

  /** Compacts, whatever the gates say. */
  compact(trigger: Trigger, how: Omit<RunManner, 'forced'>): Promise<RunReport> {
    const { compaction, persistence } = this.of;
    return this.#submit(() => persistence.during(() => compaction.run(trigger, { ...how, forced: true })));
  }

  /** Makes a change that is no run, after whatever is under way. */
  async between(change: () => Promise<unknown>): Promise<void> {
    await this.#submit(change);
  }

  async #continueAfter(run: RunReport): Promise<RunReport['continue']> {
    const { thread, settings, inbox } = this.of;
    const how = continuesAfter(run, settings.compaction.continue, thread.log);
    if (how === 'told') await inbox.goOn();
    return how;
  }

  async #submit<T>(task: () => T | Promise<T>): Promise<T> {
    const { gauge, stream } = this.of;
    if (gauge.loading) await gauge.loading;
    return await stream.submit(task);
  }
}
