import type { Redact } from '../facts/index.js';
import type { SummaryLines } from '../spi/index.js';
import {
  pinWhole,
  type Edit,
  type IsPinned,
  type ModelCall,
  type PlannedEdit,
  type ReadonlyLog,
  type ViewMessage,
} from '../transcript/index.js';
import { artifactKey, MemoryArtifacts } from './artifacts.js';
import type { Breakers, BreakerState } from './breaker.js';
import type { CallParts } from './call.js';
import { eachBounded } from './each.js';
import { failureOf, isFault, Refused } from './fault.js';
import { Limit } from './limit.js';
import { linesOf } from './lines.js';
import { handleOf } from './mark.js';
import { BoughtOnce } from './once.js';
import { PROMPT_NAMES, type Prompts } from './prompts.js';
import { fillSlot, type SlotParts } from './slot.js';
import { slotSource } from './source.js';
import { Turnstile } from './turnstile.js';
import { writeFor, type WriteParts, type WrittenRequest } from './write-for.js';

export interface FillerParts
  extends
    Omit<CallParts, 'onCall'>,
    Pick<SlotParts, 'resultChars' | 'chunks' | 'mode' | 'oversized' | 'generations'> {
  readonly breakers: Breakers;
  readonly prompts: Prompts;
  readonly redact: Redact;
  /** Calls at a time. */
  readonly concurrency: number;
  /** Where bought text is kept; this filler's own memory where absent. */
  readonly once?: BoughtOnce | undefined;
  /** Facts for every request that the transcript does not say. */
  readonly lines?: SummaryLines | undefined;
  /** The prompts with another one of its own, by name or path. Throws `CONFIG_INVALID` where there is none. */
  readonly promptsWith?: (named: string) => Prompts;
  /** Why no further call may be made now, e.g. the spend cap; undefined while one may. */
  readonly stopped: () => string | undefined;
}

interface FillRequest {
  readonly edits: readonly PlannedEdit[];
  readonly log: ReadonlyLog;
  readonly isPinned: IsPinned;
  /** What is sent now. */
  readonly view: readonly ViewMessage[];
  /** Takes out what is known to be secret in this log, on top of what looks like one. */
  readonly redact?: ((text: string) => string) | undefined;
  /** The caller's own: what is cancelled keeps its deterministic text. */
  readonly signal?: AbortSignal | undefined;
  readonly onCall: (call: ModelCall) => void;
}

interface AheadRequest extends FillRequest {
  /** Whether the view is still the one that the edits are for; where not, nothing more is bought. */
  readonly isCurrent?: () => boolean;
}

export interface Filled {
  /** By place in the edits that were given. */
  readonly texts: ReadonlyMap<number, Edit>;
  /** Which slots keep their deterministic text, and why. */
  readonly fallbacks: readonly string[];
  /** One of them does because its source is longer than the model reads. */
  readonly isTooLong: boolean;
}

/** Fills the slots of legal plans for one agent path. Whatever goes wrong, a slot is left as it was: it never rejects. */
export class Filler {
  readonly #parts: FillerParts;
  readonly #once: BoughtOnce;

  constructor(parts: FillerParts) {
    this.#parts = parts;
    this.#once = parts.once ?? new BoughtOnce(new MemoryArtifacts());
  }

  get breakers(): Readonly<Record<string, BreakerState>> {
    return this.#parts.breakers.states;
  }

  /** The same, asked by another prompt: breakers and bought texts are shared. Throws `CONFIG_INVALID`. */
  withPrompt(named: string): Filler {
    const { promptsWith } = this.#parts;
    return promptsWith ? new Filler({ ...this.#parts, prompts: promptsWith(named), once: this.#once }) : this;
  }

  /** Of whom is asked, and with which words: texts of one version are the same purchase. */
  get version(): string {
    const { prompts, summarizer } = this.#parts;
    return artifactKey(
      summarizer.endpoint,
      PROMPT_NAMES.map((name) => prompts.of(name).hash),
      prompts.question,
    );
  }

  /** A text for a plugin, by its own instruction: one call behind the same breaker and gate. Rejects where none came of it. */
  write(plugin: string, request: WrittenRequest, asked: WriteParts): Promise<string> {
    return writeFor(plugin, this.#parts, request, asked);
  }

  set onBreaker(listen: (stage: string, state: BreakerState) => void) {
    this.#parts.breakers.onChange = listen;
  }

  /** Buys text for every slot, all of it under one deadline. */
  fill(request: FillRequest): Promise<Filled> {
    return this.#buy(request, () => undefined);
  }

  /**
   * Buys text for slots before a run asks for it, off its path: a later `fill` of the same spans finds it and makes no
   * call. Each slot has the whole deadline. What was bought for a view that was rewritten meanwhile is discarded: no
   * plan names its span, so it is never taken.
   */
  prepareAhead({ isCurrent = () => true, ...request }: AheadRequest): Promise<Filled> {
    return this.#buy(
      request,
      () => (isCurrent() ? undefined : 'was not bought: the view was rewritten'),
      true,
    );
  }

  async #buy(
    { edits, log, isPinned, view, redact: known = (text) => text, signal, onCall }: FillRequest,
    why: () => string | undefined,
    perSlot = false,
  ): Promise<Filled> {
    const { deadlineMs, concurrency, lines } = this.#parts;
    const texts = new Map<number, Edit>();
    const fallbacks: string[] = [];
    let isTooLong = false;
    const whole = new Limit(perSlot ? undefined : deadlineMs, signal);
    const redact = (text: string): string => known(this.#parts.redact(text).text);
    const asked = await linesOf(lines, redact, new Limit(deadlineMs, whole.signal));
    if (asked.fault !== undefined) fallbacks.push(asked.fault);

    let stopped: string | undefined;
    const mayCall = (): void => {
      whole.signal.throwIfAborted();
      stopped ??= why() ?? this.#parts.stopped();
      if (stopped !== undefined) throw new Refused(stopped);
    };
    const turnstile = new Turnstile(concurrency);
    const pinned = pinWhole(log, isPinned);
    const { once: _, lines: __, promptsWith: ___, ...common } = this.#parts;
    const parts = {
      ...common,
      redact,
      once: this.#once,
      turnstile,
      onCall,
      mayCall,
      extraLines: asked.lines,
      isPinned: pinned,
      view,
    };
    const fillPlace = async (place: number): Promise<void> => {
      const edit = edits[place]!;
      const limit = new Limit(perSlot ? deadlineMs : undefined, whole.signal);
      try {
        const partIndex = edit.kind === 'replace' ? edit.partIndex : undefined;
        const source = slotSource(edit.slot!, partIndex, log, pinned);
        if (!source) throw new Refused('names a span that is not in the log');
        texts.set(place, await fillSlot(parts, edit, source, log, limit.signal));
      } catch (error) {
        // A wrong key or address fails every other call too.
        isTooLong ||= isFault(error, 'too-long');
        if (isFault(error, 'caller')) stopped ??= failureOf(error).reason;
        fallbacks.push(`${edit.slot!.prompt} ${handleOf(edit)}: ${failureOf(error).reason}`);
      } finally {
        limit.end();
      }
    };
    try {
      await eachBounded(slotted(edits), concurrency, fillPlace);
    } finally {
      whole.end();
    }
    return { texts, fallbacks, isTooLong };
  }
}

/** Places of the edits that a model could write better. */
function slotted(edits: readonly PlannedEdit[]): number[] {
  return edits.flatMap((edit, place) => (edit.slot ? [place] : []));
}
