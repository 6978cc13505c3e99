import { ANY_TEXT, COUNT, having, listOf, SpillwayError, TEXT } from '../errors/index.js';
import type { Redact } from '../text/facts/index.js';
import { oneLine } from '../text/reading/index.js';
import type { PluginSummaryRequest, SummaryLines } from '../spi/index.js';
import { pinWhole, type Edit, type ModelCall, type PlannedEdit } from '../transcript/index.js';
import { artifactKey, type BoughtOnce } from './artifacts.js';
import type { BreakerState } from './breaker.js';
import { callOnce, failureOf, isFault, Refused, settledOrAborted, turnstile, underDeadline } from './call.js';
import { handleOf } from './mark.js';
import { PROMPT_NAMES, type Prompts } from './prompts.js';
import { escaped } from './quote.js';
import { fillSlot, type SlotParts } from './slot.js';

/** What is asked of a filler, for the parts of every call. */
type FillParts = Pick<SlotParts, 'log' | 'isPinned' | 'view' | 'queuedBy' | 'recall' | 'onCall'>;

export interface FillerParts extends Omit<
  SlotParts,
  keyof FillParts | 'once' | 'redact' | 'mayCall' | 'extraLines'
> {
  readonly redact: Redact;
  /** Slots at a time; each makes one call after the other. */
  readonly concurrency: number;
  /** Where bought text is kept. */
  readonly once: BoughtOnce;
  /** Facts for every request that the transcript does not say. */
  readonly lines?: SummaryLines | undefined;
  /** The prompts with another one of its own, by name or path. Throws `CONFIG_INVALID` where there is none. */
  readonly promptsWith?: (named: string) => Prompts;
  /** Why no further call may be made now, e.g. the spend cap; undefined while one may. */
  readonly stopped: () => string | undefined;
}

interface FillRequest extends FillParts {
  readonly edits: readonly PlannedEdit[];
  /** Takes out what is known to be secret in this log, on top of what looks like one. */
  readonly redact?: ((text: string) => string) | undefined;
  /** The caller's own: what is cancelled keeps its deterministic text. */
  readonly signal?: AbortSignal | undefined;
}

export interface Filled {
  /** By place in the edits that were given. */
  readonly texts: ReadonlyMap<number, Edit>;
  /** Which slots keep their deterministic text, and why. */
  readonly fallbacks: readonly string[];
  /** One of them does because its source is longer than the model reads. */
  readonly isTooLong: boolean;
}

interface WriteParts {
  readonly signal: AbortSignal;
  readonly redact: (text: string) => string;
  readonly onCall: (call: ModelCall) => void;
}

/** Fills the slots of legal plans for one agent path. Whatever goes wrong, a slot is left as it was: it never rejects. */
export class Filler {
  readonly #parts: FillerParts;

  constructor(parts: FillerParts) {
    this.#parts = parts;
  }

  get breakers(): Readonly<Record<string, BreakerState>> {
    return this.#parts.breakers.states;
  }

  set onBreaker(listen: (stage: string, state: BreakerState) => void) {
    this.#parts.breakers.onChange = listen;
  }

  /** The same, asked by another prompt: breakers and bought texts are shared. Throws `CONFIG_INVALID`. */
  withPrompt(named: string): Filler {
    const { promptsWith } = this.#parts;
    return promptsWith ? new Filler({ ...this.#parts, prompts: promptsWith(named) }) : this;
  }

  /** Of whom is asked, and with which words: texts of one version are the same purchase. */
  get version(): string {
    const { prompts, summarizer } = this.#parts;
    const hashes = PROMPT_NAMES.map((name) => prompts.of(name).hash);
    return artifactKey(summarizer.endpoint, hashes, prompts.question);
  }

  /**
   * Buys text for every slot, all of it under one deadline. What is bought before a run asks for it, off its path, is found by
   * a later fill of the same spans; where the view was rewritten meanwhile no plan names them, and it is never taken.
   */
  fill(request: FillRequest): Promise<Filled> {
    return underDeadline(this.#parts.deadlineMs, request.signal, (signal) => this.#buy(request, signal));
  }

  async #buy(
    { edits, redact: known = (text) => text, ...request }: FillRequest,
    signal: AbortSignal,
  ): Promise<Filled> {
    const { lines, concurrency, redact: takenOut, stopped: mayNot, ...common } = this.#parts;
    const texts = new Map<number, Edit>();
    const redact = (text: string): string => known(takenOut(text).text);
    const linesMs = LINES_SHARE * common.deadlineMs;
    const asked = await underDeadline(linesMs, signal, (limit) => linesOf(lines, redact, limit));
    const fallbacks = asked.fault === undefined ? [] : [asked.fault];
    let isTooLong = false;
    let stopped: string | undefined;
    const mayCall = (): void => {
      signal.throwIfAborted();
      stopped ??= mayNot();
      if (stopped !== undefined) throw new Refused(stopped);
    };
    const isPinned = pinWhole(request.log, request.isPinned);
    const parts = { ...common, ...request, redact, mayCall, extraLines: asked.lines, isPinned };
    const fillPlace = async (edit: PlannedEdit, place: number): Promise<void> => {
      try {
        texts.set(place, await fillSlot(parts, edit, signal));
      } catch (error) {
        isTooLong ||= isFault(error, 'too-long');
        // A wrong key or address fails every other call too.
        if (isFault(error, 'caller')) stopped ??= `was not asked for: ${failureOf(error).reason}`;
        fallbacks.push(`${edit.slot!.prompt} ${handleOf(edit)}: ${failureOf(error).reason}`);
      }
    };
    const slots = turnstile(concurrency);
    await Promise.all(edits.map((edit, place) => edit.slot && slots(() => fillPlace(edit, place))));
    return { texts, fallbacks, isTooLong };
  }

  /**
   * A text for a plugin, by its own instruction: one call under the limits of all others; its source is quoted, and no
   * secret goes in or comes out. Rejects where none came of it, with `ARGUMENT_INVALID` where nothing was asked for.
   */
  async write(
    plugin: string,
    request: PluginSummaryRequest,
    { signal, redact, onCall }: WriteParts,
  ): Promise<string> {
    // Paid for and refused, it would count against the endpoint. What was found may be words of the session.
    if (!ASKED.is(request))
      throw new SpillwayError('ARGUMENT_INVALID', {
        subject: `what plugin ${plugin} hands to summarize()`,
        allowed: ASKED.words,
        remedy: 'Say what to write, about which texts, in how many tokens.',
      });
    const { instruction, source, maxTokens } = request;
    const stopped = this.#parts.stopped();
    if (stopped !== undefined) throw new Refused(stopped);
    const clean = (text: string): string => redact(this.#parts.redact(text).text);
    const quoted = source.map((text) => escaped(clean(text)));
    const prompt = this.#parts.prompts.of('auto').system;
    const { text } = await underDeadline(this.#parts.deadlineMs, signal, (limit) =>
      callOnce(
        { ...this.#parts, onCall },
        {
          request: { prompt, instruction, source: quoted, maxTokens },
          sourceTokens: Infinity,
          signal: limit,
          about: { prompt: 'plugin', handle: plugin, chunk: 1, attempt: 1 },
        },
      ),
    );
    return clean(text);
  }
}

const ASKED = having({
  instruction: TEXT,
  source: listOf(ANY_TEXT),
  maxTokens: { is: (tokens) => COUNT.is(tokens) && (tokens as number) > 0, words: 'a number above 0' },
});

/** Of the operator's lines; more is no context but a document. */
const MOST_LINES = 50;
const LONGEST_LINE = 500;

/** Of the deadline, what they are waited for at most: the texts are still to be asked for. */
const LINES_SHARE = 0.25;

interface AskedLines {
  /** One line each, quoted. */
  readonly lines: readonly string[];
  /** Why there are none, for the record. */
  readonly fault?: string;
}

/** What the operator and plugins add to every request. What they throw, or never answer, costs only their lines. */
async function linesOf(
  given: SummaryLines | undefined,
  redact: (text: string) => string,
  signal: AbortSignal,
): Promise<AskedLines> {
  try {
    const asked = async () => (typeof given === 'function' ? given({ signal }) : (given ?? []));
    const lines: unknown = await settledOrAborted(asked(), signal);
    if (!Array.isArray(lines)) return { lines: [], fault: 'lines: what was given is no list' };
    const texts = lines.filter((line): line is string => typeof line === 'string' && line.trim() !== '');
    return { lines: texts.slice(0, MOST_LINES).map((line) => escaped(redact(oneLine(line, LONGEST_LINE)))) };
  } catch {
    return { lines: [], fault: `lines: ${signal.aborted ? 'not there in time' : 'what gives them threw'}` };
  }
}
