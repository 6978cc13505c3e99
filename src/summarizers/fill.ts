import { ANY_TEXT, COUNT, having, listOf, SpillwayError, TEXT } from '../errors/index.js';
import type { Redact } from '../text/facts/index.js';
import { oneLine } from '../text/reading/index.js';
import type { PluginSummaryRequest, SummaryLines } from '../spi/index.js';
import { pinWhole, type Edit, type ModelCall, type PlannedEdit } from '../transcript/index.js';
import { artifactKey, type TextBuyer } from './artifacts.js';
import type { BreakerState } from './breaker.js';
import { callOnce, failureOf, isFault, Refused, settledOrAborted, turnstile, underDeadline } from './call.js';
import { handleOf } from './mark.js';
import { PROMPT_NAMES, type Prompts } from './prompts.js';
import { escaped } from './quote.js';
import { fillSlot, type SlotParts } from './slot.js';

/** The fields of a fill request that every slot needs. */
type FillParts = Pick<SlotParts, 'log' | 'isPinned' | 'view' | 'queuedBy' | 'recall' | 'onCall'>;

export interface FillerParts extends Omit<
  SlotParts,
  keyof FillParts | 'once' | 'redact' | 'mayCall' | 'extraLines'
> {
  readonly redact: Redact;
  /** Slots that are filled at the same time; each makes one call after the other. */
  readonly concurrency: number;
  /** Requests each text once and keeps it. */
  readonly buyer: TextBuyer;
  /** Facts for every request that the transcript does not contain. */
  readonly lines?: SummaryLines | undefined;
  /** The prompts with another prompt for spans, by name or path. Throws `CONFIG_INVALID` if it does not exist. */
  readonly promptsWith?: (named: string) => Prompts;
  /** The reason why no further call may be made, e.g. the spend cap; undefined while calls are allowed. */
  readonly stopReason: () => string | undefined;
}

interface FillRequest extends FillParts {
  readonly edits: readonly PlannedEdit[];
  /** Removes known secrets of this log, in addition to text that looks like a secret. */
  readonly redact?: ((text: string) => string) | undefined;
  /** The caller's signal: slots that are cancelled keep their deterministic text. */
  readonly signal?: AbortSignal | undefined;
}

export interface FillResult {
  /** Filled edits by their index in the given edits. */
  readonly texts: ReadonlyMap<number, Edit>;
  /** The slots that keep their deterministic text, with the reason. */
  readonly fallbacks: readonly string[];
  /** Whether one of these slots has a source that is longer than the model reads. */
  readonly isTooLong: boolean;
}

interface WriteParts {
  readonly signal: AbortSignal;
  readonly redact: (text: string) => string;
  readonly onCall: (call: ModelCall) => void;
}

/** Fills the slots of legal plans for one agent path. Never rejects: a slot that fails is left as it was. */
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

  /** The same filler with another prompt: breakers and stored texts are shared. Throws `CONFIG_INVALID`. */
  withPrompt(named: string): Filler {
    const { promptsWith } = this.#parts;
    return promptsWith ? new Filler({ ...this.#parts, prompts: promptsWith(named) }) : this;
  }

  /** The hash of the endpoint and all prompts: a text is requested once for each version. */
  get version(): string {
    const { prompts, summarizer } = this.#parts;
    const hashes = PROMPT_NAMES.map((name) => prompts.of(name).hash);
    return artifactKey(summarizer.endpoint, hashes, prompts.question);
  }

  /**
   * Requests text for every slot, all under one deadline. A text that was requested in advance is found by a later fill
   * of the same spans; if the view was rewritten meanwhile, no plan names these spans and the text is never used.
   */
  fill(request: FillRequest): Promise<FillResult> {
    return underDeadline(this.#parts.deadlineMs, request.signal, (signal) => this.#buy(request, signal));
  }

  async #buy(
    { edits, redact: known = (text) => text, ...request }: FillRequest,
    signal: AbortSignal,
  ): Promise<FillResult> {
    const { lines, concurrency, redact: takenOut, stopReason, ...common } = this.#parts;
    const texts = new Map<number, Edit>();
    const redact = (text: string): string => known(takenOut(text).text);
    const linesMs = LINES_SHARE * common.deadlineMs;
    const asked = await underDeadline(linesMs, signal, (limit) => linesOf(lines, redact, limit));
    const fallbacks = asked.fault === undefined ? [] : [asked.fault];
    let isTooLong = false;
    let stopped: string | undefined;
    const mayCall = (): void => {
      signal.throwIfAborted();
      stopped ??= stopReason();
      if (stopped !== undefined) throw new Refused(stopped);
    };
    const isPinned = pinWhole(request.log, request.isPinned);
    const parts = { ...common, ...request, redact, mayCall, extraLines: asked.lines, isPinned };
    const fillPlace = async (edit: PlannedEdit, place: number): Promise<void> => {
      try {
        texts.set(place, await fillSlot(parts, edit, signal));
      } catch (error) {
        isTooLong ||= isFault(error, 'too-long');
        // A wrong key or address makes every other call fail too.
        if (isFault(error, 'caller')) stopped ??= `was not asked for: ${failureOf(error).reason}`;
        fallbacks.push(`${edit.slot!.prompt} ${handleOf(edit)}: ${failureOf(error).reason}`);
      }
    };
    const slots = turnstile(concurrency);
    await Promise.all(edits.map((edit, place) => edit.slot && slots(() => fillPlace(edit, place))));
    return { texts, fallbacks, isTooLong };
  }

  /**
   * A text for a plugin, by its own instruction: one call under the limits of all others. The source is quoted; secrets
   * are removed from source and text. Rejects if no text results, with `ARGUMENT_INVALID` if the request is invalid.
   */
  async write(
    plugin: string,
    request: PluginSummaryRequest,
    { signal, redact, onCall }: WriteParts,
  ): Promise<string> {
    // If paid for and refused, the request would count against the endpoint. `found` may be words of the session.
    if (!SUMMARY_REQUEST.is(request))
      throw new SpillwayError('ARGUMENT_INVALID', {
        subject: `what plugin ${plugin} hands to summarize()`,
        allowed: SUMMARY_REQUEST.words,
        remedy: 'Say what to write, about which texts, in how many tokens.',
      });
    const { instruction, source, maxTokens } = request;
    const stopped = this.#parts.stopReason();
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
          labels: { prompt: 'plugin', handle: plugin, chunk: 1, attempt: 1 },
        },
      ),
    );
    return clean(text);
  }
}

const SUMMARY_REQUEST = having({
  instruction: TEXT,
  source: listOf(ANY_TEXT),
  maxTokens: { is: (tokens) => COUNT.is(tokens) && (tokens as number) > 0, words: 'a number above 0' },
});

/** Limits for the operator's lines; a longer text is a document, not context. */
const MAX_LINES = 50;
const MAX_LINE_CHARS = 500;

/** The largest share of the deadline to wait for the lines, because the texts still have to be requested. */
const LINES_SHARE = 0.25;

interface ExtraLines {
  /** Quoted, each on one line. */
  readonly lines: readonly string[];
  /** The reason for missing lines, for the record. */
  readonly fault?: string;
}

/** The operator's and plugins' lines for every request. If their source throws or never answers, only they are lost. */
async function linesOf(
  given: SummaryLines | undefined,
  redact: (text: string) => string,
  signal: AbortSignal,
): Promise<ExtraLines> {
  try {
    const asked = async () => (typeof given === 'function' ? given({ signal }) : (given ?? []));
    const lines: unknown = await settledOrAborted(asked(), signal);
    if (!Array.isArray(lines)) return { lines: [], fault: 'lines: what was given is no list' };
    const texts = lines.filter((line): line is string => typeof line === 'string' && line.trim() !== '');
    return { lines: texts.slice(0, MAX_LINES).map((line) => escaped(redact(oneLine(line, MAX_LINE_CHARS)))) };
  } catch {
    return { lines: [], fault: `lines: ${signal.aborted ? 'not there in time' : 'what gives them threw'}` };
  }
}
