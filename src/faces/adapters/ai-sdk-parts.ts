import { NO_STEP, type RecallCall, type RecallStep } from '../endpoints/index.js';
import { recallTool } from '../../session/index.js';
import { type Fields, isFields, jsonIn, listOf } from '../../formats/index.js';
import { storable } from './ai-sdk-files.js';

/** Parts of an answer that a prompt can hold too. */
const PROMPTED: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool-call', 'tool-result', 'file']);

/** The parts of one answer, told apart as they come: what the client sees, and what belongs to recalls alone. */
export class AnswerParts {
  hasOthers = false;
  readonly #recalls: Fields[] = [];
  readonly #thoughts: Fields[] = [];
  /** Everything that a prompt can hold, in its order. */
  readonly #all: Fields[] = [];
  /** Of the thoughts, so many were shown; those behind them are held until it is known what they led to. */
  #shownThoughts = 0;

  /** What the client sees now: nothing of a recall, and thoughts only with what they led to. */
  take(part: Fields): readonly Fields[] {
    this.keep(part);
    if (isThought(part)) this.#thoughts.push(part);
    else if (isRecall(part)) this.#recalls.push(part);
    else {
      if (part.type === 'tool-call' && part.providerExecuted !== true) this.hasOthers = true;
      return [...this.#released(), part];
    }
    return [];
  }

  /** Of what was shown as it came, for further requests. */
  keep(part: Fields): void {
    if (PROMPTED.has(part.type) && part.text !== '' && part.preliminary !== true) this.#all.push(part);
  }

  /** The answer has ended: thoughts that are still held led to a recall, or to nothing at all. */
  end(): readonly Fields[] {
    return this.#recalls.length > 0 ? [] : this.#released();
  }

  /**
   * A recall stands behind its thoughts, which some providers insist on. Where a thought has an id of its own and the
   * client sees it, it may not be said twice: the recall then stands without its id, which would ask for it.
   */
  step(cut: boolean): RecallStep {
    const isTied = this.#thoughts.slice(0, this.#shownThoughts).some(hasItemId);
    const thoughts = this.#thoughts.filter((thought, at) => at >= this.#shownThoughts || !hasItemId(thought));
    const said = [...thoughts, ...(isTied ? this.#recalls.map(withoutItemId) : this.#recalls)];
    const { hasOthers } = this;
    if (this.#recalls.length === 0) return { ...NO_STEP, hasOthers };
    return {
      calls: this.#recalls.map(callOf),
      said: [{ role: 'assistant', content: said.map(asPrompt) }],
      whole: [{ role: 'assistant', content: this.#all.map(asPrompt) }],
      hasOthers,
      isCut: cut,
    };
  }

  #released(): readonly Fields[] {
    const held = this.#thoughts.slice(this.#shownThoughts);
    this.#shownThoughts = this.#thoughts.length;
    return held;
  }
}

/** A whole answer's parts, and what of them the client sees. */
export function toldApart(content: unknown): {
  readonly parts: AnswerParts;
  readonly shown: readonly Fields[];
} {
  const parts = new AnswerParts();
  const shown = listOf(content)
    .filter(isFields)
    .flatMap((part) => parts.take(part));
  return { parts, shown: [...shown, ...parts.end()] };
}

const isThought = ({ type }: Fields): boolean => type === 'reasoning';
export const isRecall = ({ type, toolName }: Fields): boolean =>
  type === 'tool-call' && toolName === recallTool.name;

const callOf = ({ toolCallId, input }: Fields): RecallCall => ({ id: String(toolCallId), arguments: input });

/** A part of an answer as a prompt holds it. */
function asPrompt({ type, providerMetadata, ...part }: Fields): Fields {
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  if (type === 'tool-call')
    return {
      type,
      ...part,
      input: (typeof part.input === 'string' ? jsonIn(part.input) : part.input) ?? {},
      ...options,
    };
  if (type === 'tool-result') return { ...resultAsPrompt(part), ...options };
  return storable({ type, ...part, ...options });
}

/** What a tool gave that the provider ran itself. */
function resultAsPrompt({ toolCallId, toolName, result, isError }: Fields): Fields {
  const kind = typeof result === 'string' ? 'text' : 'json';
  const output = { type: isError === true ? `error-${kind}` : kind, value: result ?? null };
  return { type: 'tool-result', toolCallId, toolName, output };
}

const optionsOf = ({ providerMetadata }: Fields): readonly [string, unknown][] =>
  isFields(providerMetadata) ? Object.entries(providerMetadata) : [];

/** Whether its provider knows a part by a name of its own. */
const hasItemId = (part: Fields): boolean =>
  optionsOf(part).some(([, options]) => isFields(options) && typeof options.itemId === 'string');

function withoutItemId(part: Fields): Fields {
  const options = optionsOf(part).map(([name, of]) => {
    if (!isFields(of)) return [name, of];
    const { itemId: _, ...rest } = of;
    return [name, rest];
  });
  return { ...part, ...(options.length > 0 && { providerMetadata: Object.fromEntries(options) as Fields }) };
}
