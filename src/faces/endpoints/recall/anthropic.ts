import { recallTool } from '../../../session/index.js';
import { isFields, jsonIn, listOf, type Fields } from '../../../formats/index.js';
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

const { name, description, parameters } = recallTool;

/** The recall tool in Anthropic's messages. */
export const ANTHROPIC_RECALL: RecallWire = {
  field: 'messages',
  tool: { name, description, input_schema: parameters },
  takes: ({ tool_choice: choice }) => !isFields(choice) || choice.type !== 'none',
  noTools: { tool_choice: { type: 'none' } },
  step: ({ content, stop_reason: reason }) => stepOf(listOf(content).filter(isFields), reason),
  restored(messages, { said, whole }) {
    const step = { said: contentOf(said[0]), whole: contentOf(whole[0]) };
    // It may have been merged with what the model said before, of an answer that paused.
    for (let at = messages.length - 1; at >= 0; at--) {
      const content = contentOf(messages[at]);
      const run = restoredRun(content, step, isThought, isSame);
      if (!run) continue;
      const restored = [...content.slice(0, run.at), ...run.messages, ...content.slice(run.at + run.count)];
      return { at, count: 1, messages: [{ ...(messages[at] as Fields), content: restored }] };
    }
    return undefined;
  },
  results: (calls, texts) => [
    {
      role: 'user',
      content: calls.map(({ id }, at) => ({ type: 'tool_result', tool_use_id: id, content: texts[at] })),
    },
  ],
  visible(answers) {
    const last = answers.at(-1)!;
    const content = answers.flatMap((answer) =>
      shownOf(listOf(answer.content).filter(isFields), isThought, isRecall),
    );
    const ended = last.stop_reason === 'tool_use' && !content.some(isCall);
    return {
      ...last,
      content,
      usage: answers.map(({ usage }) => usage).reduce(summed),
      ...(ended && { stop_reason: 'end_turn' }),
    };
  },
  stream: () => new AnthropicStream(),
};

interface Block {
  readonly block: Fields;
  json: string;
  /** Place in the client's stream; absent where it is not shown. */
  place?: number;
}

class AnthropicStream implements RecallStream {
  #hasBegun = false;
  #usage: unknown;
  /** Sums of the answers before the one under way, and what its first event said. */
  #before: unknown;
  #started: Fields = {};
  #delta: Fields | undefined;
  #stop: Fields | undefined;
  #blocks = new Map<unknown, Block>();
  /** Events of thoughts, until it is known whether they led to a recall. */
  #held: { readonly known: Block; readonly event: Fields }[] = [];
  #shown = 0;
  #shownCalls = 0;

  *take(event: Fields): Iterable<Fields> {
    switch (event.type) {
      case 'message_start':
        this.#addUsage(isFields(event.message) ? event.message.usage : undefined);
        if (!this.#hasBegun) yield event;
        this.#hasBegun = true;
        return;
      case 'content_block_start':
        return yield* this.#start(event);
      case 'content_block_delta':
      case 'content_block_stop':
        return yield* this.#inside(event);
      case 'message_delta':
        this.#addUsage(event.usage, true);
        this.#delta = event;
        return;
      case 'message_stop':
        this.#stop = event;
        return;
      default:
        yield event;
    }
  }

  endAnswer(): RecallStep {
    const blocks = this.#delta ? [...this.#blocks.values()].map(blockOf) : [];
    const { delta } = this.#delta ?? {};
    if (blocks.some(isRecall)) this.#held = [];
    this.#blocks = new Map();
    return stepOf(blocks, isFields(delta) ? delta.stop_reason : undefined);
  }

  goOn(): void {
    this.#delta = undefined;
    this.#stop = undefined;
  }

  *finish(): Iterable<Fields> {
    yield* this.#release();
    if (this.#delta) {
      const { delta } = this.#delta;
      const isEmpty = isFields(delta) && delta.stop_reason === 'tool_use' && this.#shownCalls === 0;
      const ended = isEmpty ? { delta: { ...(delta as Fields), stop_reason: 'end_turn' } } : {};
      yield { ...this.#delta, ...ended, usage: this.#usage };
    }
    if (this.#stop) yield this.#stop;
  }

  *#start(event: Fields): Iterable<Fields> {
    const block = isFields(event.content_block) ? event.content_block : {};
    const known: Block = { block: { ...block }, json: '' };
    this.#blocks.set(event.index, known);
    if (isRecall(block)) return;
    if (isThought(block)) return void this.#held.push({ known, event });
    yield* this.#release();
    if (isCall(block)) this.#shownCalls++;
    yield this.#placed(known, event);
  }

  *#inside(event: Fields): Iterable<Fields> {
    const known = this.#blocks.get(event.index);
    if (!known) return;
    if (isFields(event.delta)) grow(known, event.delta);
    if (isRecall(known.block)) return;
    if (isThought(known.block)) this.#held.push({ known, event });
    else yield this.#placed(known, event);
  }

  /** Thoughts that led to something the client sees. */
  *#release(): Iterable<Fields> {
    const held = this.#held;
    this.#held = [];
    for (const { known, event } of held) yield this.#placed(known, event);
  }

  /** At the client's own place: what it does not see takes none. */
  #placed(known: Block, event: Fields): Fields {
    known.place ??= this.#shown++;
    return { ...event, index: known.place };
  }

  /** The newest figures of an answer stand in its last event; they are sums of that answer already. */
  #addUsage(usage: unknown, isLast = false): void {
    if (!isFields(usage)) return;
    if (!isLast) {
      this.#before = this.#usage;
      this.#started = usage;
    }
    const given = Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null));
    const answer = { ...this.#started, ...given };
    this.#usage = this.#before === undefined ? answer : summed(this.#before, answer);
  }
}

function grow(known: Block, delta: Fields): void {
  const fields = known.block as Record<string, unknown>;
  if (delta.type === 'input_json_delta') known.json += textIn(delta.partial_json);
  if (delta.type === 'thinking_delta') fields.thinking = textIn(fields.thinking) + textIn(delta.thinking);
  if (delta.type === 'signature_delta') fields.signature = delta.signature;
  if (delta.type === 'text_delta') fields.text = textIn(fields.text) + textIn(delta.text);
  if (delta.type === 'citations_delta') fields.citations = [...listOf(fields.citations), delta.citation];
}

function blockOf({ block, json }: Block): Fields {
  // What the provider runs itself is told in pieces as well, or stands there at once.
  if (json !== '') return { ...block, input: jsonIn(json) ?? {} };
  return isCall(block) ? { ...block, input: {} } : block;
}

/** Why an answer ended that may not be whole. */
const CUT: ReadonlySet<unknown> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);

/** Thoughts stay with the call that they led to; the words are the client's to see, and come back in its own answer. */
function stepOf(blocks: readonly Fields[], reason: unknown): RecallStep {
  if (!blocks.some(isRecall)) return NO_STEP;
  const said = blocks.filter((block) => isThought(block) || isRecall(block));
  const calls = said.filter(isRecall).map(({ id, input }) => ({ id: String(id), arguments: input }));
  return {
    calls,
    said: [{ role: 'assistant', content: said }],
    whole: [
      { role: 'assistant', content: blocks.filter(({ type, text }) => type !== 'text' || text !== '') },
    ],
    hasOthers: blocks.some((block) => isCall(block) && !isRecall(block)),
    isCut: CUT.has(reason),
  };
}

const contentOf = (message: unknown): readonly unknown[] =>
  isFields(message) ? listOf(message.content) : [];

const isSame = (block: Fields, own: Fields): boolean => block.type === own.type && block.id === own.id;

const isCall = ({ type }: Fields): boolean => type === 'tool_use';
const isRecall = (block: Fields): boolean => isCall(block) && block.name === recallTool.name;
const isThought = ({ type }: Fields): boolean => type === 'thinking' || type === 'redacted_thinking';
