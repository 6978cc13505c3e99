import { recallTool } from '../../session/index.js';
import { isFields, listOf, type Fields } from '../../wire/index.js';
import { summed, type RecallStep, type RecallStream, type RecallWire } from './wire.js';

/** The recall tool in OpenAI's responses. */
export const RESPONSES_RECALL: RecallWire = {
  field: 'input',
  offer(body) {
    const tools = listOf(body.tools);
    const isTaken = tools.some((tool) => isFields(tool) && tool.name === recallTool.name);
    if (isTaken || body.tool_choice === 'none' || body.background === true) return undefined;
    return { ...body, tools: [...tools, { type: 'function', ...recallTool, strict: false }] };
  },
  step: ({ output }) => stepOf(listOf(output).filter(isFields)),
  results: (calls, texts) =>
    calls.map(({ id }, at) => ({ type: 'function_call_output', call_id: id, output: texts[at] })),
  visible(answers) {
    const last = answers.at(-1)!;
    const output = listOf(last.output).filter((item) => !isFields(item) || !isRecall(item));
    return { ...last, output, usage: answers.map(({ usage }) => usage).reduce(summed) };
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
    if (BEGINNINGS.includes(String(event.type))) {
      if (!this.#begun.has(event.type)) yield this.#numbered(event);
      this.#begun.add(event.type);
      return;
    }
    if (ENDS.includes(String(event.type))) {
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
        this.#held = [];
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
    const step = stepOf(this.#items);
    if (step.calls.length > 0 && !step.hasOthers) this.#held = [];
    this.#items = [];
    this.#places = new Map();
    this.#hidden = new Set();
    return step;
  }

  *finish(): Iterable<Fields> {
    yield* this.#release();
    if (!this.#end) return;
    const response = isFields(this.#end.response) ? this.#end.response : {};
    yield this.#numbered({
      ...this.#end,
      response: {
        ...response,
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
 * Reasoning goes with the call that it led to: of an answer that holds the client's own calls too it stays with those, and
 * the recall stands without its id, which would ask for it.
 */
function stepOf(items: readonly Fields[]): RecallStep {
  const recalls = items.filter(isRecall);
  const hasOthers = items.some((item) => item.type === 'function_call' && !isRecall(item));
  const said = hasOthers
    ? recalls.map(({ id: _, ...call }) => call)
    : items.filter((item) => isReasoning(item) || isRecall(item));
  return {
    calls: recalls.map((call) => ({ id: String(call.call_id), arguments: call.arguments })),
    said: recalls.length > 0 ? said : [],
    hasOthers,
  };
}

const isReasoning = ({ type }: Fields): boolean => type === 'reasoning';
const isRecall = ({ type, name }: Fields): boolean => type === 'function_call' && name === recallTool.name;
