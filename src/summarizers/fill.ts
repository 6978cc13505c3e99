import {
  pinWhole,
  type Edit,
  type IsPinned,
  type ModelCall,
  type PlannedEdit,
  type ReadonlyLog,
} from '../transcript/index.js';
import { Artifacts } from './artifacts.js';
import type { Breakers, BreakerState } from './breaker.js';
import type { CallParts } from './call.js';
import { eachBounded } from './each.js';
import { Cancelled, failureOf, isFault, Late, Refused } from './fault.js';
import { handleOf } from './mark.js';
import type { Prompts } from './prompts.js';
import type { Redact } from '../facts/index.js';
import { fillSlot } from './slot.js';
import { slotSource } from './source.js';

export interface FillerParts extends Omit<CallParts, 'onCall'> {
  readonly breakers: Breakers;
  readonly prompts: Prompts;
  readonly redact: Redact;
  readonly resultChars: number;
  readonly concurrency: number;
  /** Why no further call may be made now, e.g. the spend cap; undefined while one may. */
  readonly stopped: () => string | undefined;
}

export interface FillRequest {
  readonly edits: readonly PlannedEdit[];
  readonly log: ReadonlyLog;
  readonly isPinned: IsPinned;
  /** The caller's own: what is cancelled keeps its deterministic text. */
  readonly signal?: AbortSignal | undefined;
  readonly onCall: (call: ModelCall) => void;
}

export interface Filled {
  /** By place in the edits that were given. */
  readonly texts: ReadonlyMap<number, Edit>;
  /** Which slots keep their deterministic text, and why. */
  readonly fallbacks: readonly string[];
}

/** Fills the slots of legal plans for one agent path. Whatever goes wrong, a slot is left as it was: it never rejects. */
export class Filler {
  readonly #parts: FillerParts;
  readonly #artifacts = new Artifacts();

  constructor(parts: FillerParts) {
    this.#parts = parts;
  }

  get breakers(): Readonly<Record<string, BreakerState>> {
    return this.#parts.breakers.states;
  }

  set onBreaker(listen: (stage: string, state: BreakerState) => void) {
    this.#parts.breakers.onChange = listen;
  }

  async fill({ edits, log, isPinned, signal, onCall }: FillRequest): Promise<Filled> {
    const { deadlineMs, concurrency } = this.#parts;
    const texts = new Map<number, Edit>();
    const fallbacks: string[] = [];
    const run = new AbortController();
    const late = setTimeout(() => run.abort(new Late()), deadlineMs);
    const cancel = (): void => run.abort(new Cancelled());
    if (signal?.aborted) cancel();
    signal?.addEventListener('abort', cancel, { once: true });

    let stopped: string | undefined;
    const mayCall = (): void => {
      run.signal.throwIfAborted();
      stopped ??= this.#parts.stopped();
      if (stopped !== undefined) throw new Refused(stopped);
    };
    const parts = { ...this.#parts, artifacts: this.#artifacts, onCall, mayCall };
    const pinned = pinWhole(log, isPinned);
    const fillPlace = async (place: number): Promise<void> => {
      const edit = edits[place]!;
      try {
        const source = slotSource(
          edit.slot!,
          edit.kind === 'replace' ? edit.partIndex : undefined,
          log,
          pinned,
        );
        if (!source) throw new Refused('names a span that is not in the log');
        texts.set(place, await fillSlot(parts, edit, source, log, run.signal));
      } catch (error) {
        // A wrong key or address fails every other call too.
        if (isFault(error, 'caller')) stopped ??= failureOf(error).reason;
        fallbacks.push(`${edit.slot!.prompt} ${handleOf(edit)}: ${failureOf(error).reason}`);
      }
    };
    try {
      await eachBounded(slotted(edits), concurrency, fillPlace);
    } finally {
      clearTimeout(late);
      signal?.removeEventListener('abort', cancel);
    }
    return { texts, fallbacks };
  }
}

/** Places of the edits that a model could write better. */
export function slotted(edits: readonly PlannedEdit[]): number[] {
  return edits.flatMap((edit, place) => (edit.slot ? [place] : []));
}
