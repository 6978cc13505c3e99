import type { FoundCall } from './calls.js';

/**
 * The calls of the newest step that no result has answered yet. Results that carry no id are paired here by name
 * and order: the only thing order can say, so never across an assistant message.
 */
export class OpenCalls {
  #calls: readonly FoundCall[] = [];
  /** How many calls of each id still wait. */
  readonly #waiting = new Map<string, number>();
  /** Calls that a result without id may answer, per name and for any name (undefined), in their order of choice. */
  readonly #queues = new Map<string | undefined, Queue>();

  step(calls: readonly FoundCall[]): void {
    this.#calls = calls;
    this.#queues.clear();
    this.#waiting.clear();
    for (const { part } of calls) this.#waiting.set(part.callId, (this.#waiting.get(part.callId) ?? 0) + 1);
  }

  answered(callId: string): void {
    const count = this.#waiting.get(callId);
    if (count) this.#waiting.set(callId, count - 1);
  }

  /** The call that the next result without an id answers: one of that name, calls that have no id either first. */
  next(name: string | undefined): string | undefined {
    if (this.#queues.size === 0) this.#sort();
    const queue = this.#queues.get(name);
    while (queue && queue.at < queue.ids.length) {
      const id = queue.ids[queue.at]!;
      if (this.#waiting.get(id)) {
        this.answered(id);
        return id;
      }
      queue.at++;
    }
    return undefined;
  }

  /** Only where a result without id comes at all: most logs have none. */
  #sort(): void {
    const derivedFirst = [
      ...this.#calls.filter((call) => call.derived),
      ...this.#calls.filter((call) => !call.derived),
    ];
    for (const { part } of derivedFirst) {
      for (const name of [undefined, part.name]) {
        const queue = this.#queues.get(name);
        if (queue) queue.ids.push(part.callId);
        else this.#queues.set(name, { ids: [part.callId], at: 0 });
      }
    }
  }
}

interface Queue {
  readonly ids: string[];
  at: number;
}
