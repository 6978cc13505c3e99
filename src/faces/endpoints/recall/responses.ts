import { recallTool } from '../../../session/index.js';
import { isFields, listOf, type Fields } from '../../../formats/index.js';
import {
  textIn,
  NO_STEP,
  restoredRun,
  shownOf,
  summed,
  type RecallStep,
  type RecallStream,
  type RecallWire,
} from './wire.js';

/** The recall tool in OpenAI's responses. */
export const RESPONSES_RECALL: RecallWire = {
  field: 'input',
  tool: { type: 'function', ...recallTool, strict: false },
  takes: ({ tool_choice: choice, background }) => choice !== 'none' && background !== true,
  noTools: { tool_choice: 'none' },
  step: ({ output, status }) =>
    status === 'failed' ? NO_STEP : stepOf(listOf(output).filter(isFields), status === 'incomplete'),
  restored: (messages, step) => restoredRun(messages, step, isReasoning, isSame),
  results: (calls, texts) =>
    calls.map(({ id }, at) => ({ type: 'function_call_output', call_id: id, output: texts[at] })),
  visible(answers) {
    const last = answers.at(-1)!;
    const output = answers.flatMap((answer) =>
      shownOf(listOf(answer.output).filter(isFields), isReasoning, isRecall),
    );
    return {
      ...withoutTool(last),
      output,
      // What the client's library draws from them.
      ...(typeof last.output_text === 'string' && { output_text: wordsIn(output) }),
      usage: answers.map(({ usage }) => usage).reduce(summed),
    };
  },
  stream: () => new ResponsesStream(),
};

const BEGINNINGS = ['response.created', 'response.queued', 'response.in_progress'];
const ENDS = ['response.completed', 'response.incomplete', 'response.failed'];

class ResponsesStream implements RecallStream {
  readonly #begun = new Set<unknown>();
  #sequence = 0;
  #usage: unknown;
  #end: Fields | undefined;
  /** Items of the answer under way, as they were finished. */
  #items: Fields[] = [];
  /** The client's own place of an item, by the provider's; absent where it is not shown. */
  #places = new Map<unknown, number>();
  readonly #shown: Fields[] = [];
  #shownItems = 0;
  /** Events of reasoning, until it is known whether it led to a recall. */
  #held: Fields[] = [];
  #hidden = new Set<unknown>();

  *take(event: Fields): Iterable<Fields> {
    if (BEGINNINGS.includes(textIn(event.type))) {
      const { response } = event;
      const own = isFields(response) ? { ...event, response: withoutTool(response) } : event;
      if (!this.#begun.has(event.type)) yield this.#numbered(own);
      this.#begun.add(event.type);
      return;
    }
    if (ENDS.includes(textIn(event.type))) {
      const { usage } = isFields(event.response) ? event.response : {};
      this.#usage = this.#usage === undefined ? usage : summed(this.#usage, usage);
      this.#end = event;
      return;
    }
    if (event.output_index === undefined) return yield this.#numbered(event);
    const item = isFields(event.item) ? event.item : undefined;
    if (event.type === 'response.output_item.added' && item) {
      if (isRecall(item)) {
        this.#hidden.add(event.output_index);
      } else if (!isReasoning(item)) yield* this.#release();
    }
    if (event.type === 'response.output_item.done' && item) this.#items.push(item);
    if (this.#hidden.has(event.output_index)) return;
    const isHeld = this.#held.some((held) => held.output_index === event.output_index);
    if (isHeld || (item && isReasoning(item) && event.type === 'response.output_item.added'))
      this.#held.push(event);
    else yield this.#placed(event);
  }

  endAnswer(): RecallStep {
    const hasEnded = this.#end !== undefined && this.#end.type !== 'response.failed';
    const isCut = this.#end?.type === 'response.incomplete';
    const step = hasEnded ? stepOf(this.#items, isCut) : NO_STEP;
    if (step.calls.length > 0) this.#held = [];
    this.#items = [];
    this.#places = new Map();
    this.#hidden = new Set();
    return step;
  }

  goOn(): void {
    this.#end = undefined;
  }

  *finish(): Iterable<Fields> {
    yield* this.#release();
    if (!this.#end) return;
    const response = isFields(this.#end.response) ? this.#end.response : {};
    yield this.#numbered({
      ...this.#end,
      response: {
        ...withoutTool(response),
        output: this.#shown,
        ...(this.#usage !== undefined && { usage: this.#usage }),
      },
    });
  }

  *#release(): Iterable<Fields> {
    const held = this.#held;
    this.#held = [];
    for (const event of held) yield this.#placed(event);
  }

  #placed(event: Fields): Fields {
    const place = this.#places.get(event.output_index) ?? this.#shownItems++;
    this.#places.set(event.output_index, place);
    if (event.type === 'response.output_item.done' && isFields(event.item)) this.#shown[place] = event.item;
    return this.#numbered({ ...event, output_index: place });
  }

  #numbered(event: Fields): Fields {
    return event.sequence_number === undefined ? event : { ...event, sequence_number: this.#sequence++ };
  }
}

/**
 * Reasoning goes with the item that it led to, and may be said only once: where the client sees it, the recall stands without
 * its id, which would ask for it.
 */
function stepOf(items: readonly Fields[], isCut: boolean): RecallStep {
  const shown = new Set(shownOf(items, isReasoning, isRecall));
  let isTied = false;
  const said: Fields[] = [];
  for (const item of items) {
    if (isReasoning(item)) isTied = shown.has(item);
    if (isRecall(item)) said.push(isTied ? withoutId(item) : item);
    else if (isReasoning(item) && !isTied) said.push(item);
  }
  const calls = said
    .filter(isRecall)
    .map((call) => ({ id: String(call.call_id), arguments: call.arguments }));
  return {
    calls,
    said: calls.length > 0 ? said : [],
    whole: items,
    hasOthers: items.some((item) => isForClient(item, items)),
    isCut,
  };
}

const isSame = (item: Fields, own: Fields): boolean =>
  item.type === own.type && (item.call_id ?? item.id) === (own.call_id ?? own.id);

/** A call that waits for the client: of any kind that is answered by its `call_id`, unless the provider ran it itself. */
function isForClient(item: Fields, items: readonly Fields[]): boolean {
  if (item.type === 'mcp_approval_request') return true;
  if (isRecall(item) || typeof item.call_id !== 'string' || !textIn(item.type).endsWith('_call'))
    return false;
  return !items.some(({ type, call_id: id }) => id === item.call_id && textIn(type).endsWith('_output'));
}

/** A response that repeats which tools it was offered. */
function withoutTool(response: Fields): Fields {
  if (!Array.isArray(response.tools)) return response;
  return {
    ...response,
    tools: response.tools.filter((tool) => !isFields(tool) || tool.name !== recallTool.name),
  };
}

function wordsIn(items: readonly Fields[]): string {
  const parts = items.flatMap(({ type, content }) => (type === 'message' ? listOf(content) : []));
  return parts
    .map((part) => (isFields(part) && part.type === 'output_text' ? textIn(part.text) : ''))
    .join('');
}

const withoutId = ({ id: _, ...item }: Fields): Fields => item;
const isReasoning = ({ type }: Fields): boolean => type === 'reasoning';
const isRecall = ({ type, name }: Fields): boolean => type === 'function_call' && name === recallTool.name;
