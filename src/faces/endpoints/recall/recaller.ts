import { recalledText, type Session } from '../../../session/index.js';
import type { RecallCall, RecallStep, RecallWire } from './wire.js';

const LAST = '[This was the last recall of this answer: go on with what there is.]';

/** What follows an answer: nothing, the same request again, or a last one that has the tool no more. */
type Next = 'done' | 'again' | 'last';

/** Answers the recalls of one call of the client, up to so many. */
export class Recaller {
  readonly #session: Session;
  readonly #wire: RecallWire;
  readonly #most: number;
  /** Steps of this call that were answered. */
  readonly #steps: RecallStep[] = [];
  #made = 0;
  #answers = 0;
  #isLast = false;

  constructor(session: Session, wire: RecallWire, most: number) {
    this.#session = session;
    this.#wire = wire;
    this.#most = most;
  }

  async answer(step: RecallStep): Promise<Next> {
    const { calls, said, hasOthers, isCut } = step;
    if (calls.length === 0 || isCut) return 'done';
    this.#steps.push(step);
    const texts: string[] = [];
    for (const call of calls) texts.push(await this.#textOf(call));
    const { field } = this.#wire;
    // The answer was paid for: what a store does not take now waits, and goes with the next that is written.
    await this.#session
      .appendHidden({ [field]: [...said, ...this.#wire.results(calls, texts)] })
      .catch((error: unknown) => this.#session.storeFailed(error));
    if (hasOthers || this.#isLast) return 'done';
    // With the tool in it, a model that must call one would recall for ever, and another might end with no word.
    this.#isLast = ++this.#answers >= this.#most || this.#made >= this.#most;
    return this.#isLast ? 'last' : 'again';
  }

  /**
   * A further request with all of the answers that it continues. The log has what was said beside a recall only with the client's
   * answer; a model that does not see it says it again, and does again what its provider did.
   */
  whole(messages: readonly unknown[]): unknown[] {
    let rest = messages;
    let after: readonly unknown[] = [];
    for (const step of this.#steps.toReversed()) {
      const found = this.#wire.restored(rest, step);
      if (!found) continue;
      after = [...found.messages, ...rest.slice(found.at + found.count), ...after];
      rest = rest.slice(0, found.at);
    }
    return [...rest, ...after];
  }

  async #textOf({ arguments: given }: RecallCall): Promise<string> {
    if (this.#made++ >= this.#most)
      return `Nothing more can be recalled in this answer (${this.#most} times at most). Go on with what there is.`;
    try {
      const asked: unknown = typeof given === 'string' ? JSON.parse(given || '{}') : given;
      const text = recalledText(await this.#session.recall(asked as Parameters<Session['recall']>[0]));
      return this.#made < this.#most ? text : `${text}\n\n${LAST}`;
    } catch (error) {
      return `Nothing was recalled: ${error instanceof Error ? error.message : String(error)}`;
    }
  }
}
