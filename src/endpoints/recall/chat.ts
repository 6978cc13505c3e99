import { recallTool } from '../../session/index.js';
import { isFields, listOf, numberIn, type Fields } from '../../wire/index.js';
import {
  gapBetween,
  joinedWords,
  summed,
  type RecallStep,
  type RecallStream,
  type RecallWire,
} from './wire.js';

/** The recall tool in chat completions. */
export const CHAT_RECALL: RecallWire = {
  field: 'messages',
  offer(body) {
    const tools = listOf(body.tools);
    const isTaken = tools.some(
      (tool) => isFields(tool) && nameOf(tool.function ?? tool.custom) === recallTool.name,
    );
    if (isTaken || body.tool_choice === 'none' || (numberIn(body.n) ?? 1) > 1) return undefined;
    // The functions of old, which no tools may stand beside.
    if (listOf(body.functions).length > 0) return undefined;
    return { ...body, tools: [...tools, { type: 'function', function: recallTool }] };
  },
  noTools: { tool_choice: 'none' },
  step(answer) {
    // The words are the client's to see, and come back in its own answer.
    const message: Fields = { ...messageOf(answer), content: null };
    const calls = listOf(message.tool_calls).filter(isFields);
    const own = calls.filter(isRecall);
    const hasOthers = own.length < calls.length;
    return stepOf(own, hasOthers ? { role: 'assistant', content: null } : message, hasOthers);
  },
  results: (calls, texts) =>
    calls.map(({ id }, at) => ({ role: 'tool', tool_call_id: id, content: texts[at] })),
  visible(answers) {
    const last = answers.at(-1)!;
    const usage = answers.map((answer) => answer.usage).reduce(summed);
    const [choice] = listOf(last.choices) as [Fields | undefined];
    if (!choice) return { ...last, usage };
    const { tool_calls: calls, ...message } = messageOf(last);
    const left = listOf(calls).filter((call) => !isFields(call) || !isRecall(call));
    const content = joinedWords(answers.map((answer) => messageOf(answer).content));
    const shown = {
      ...choice,
      message: { ...message, content, ...(left.length > 0 && { tool_calls: left }) },
      ...(left.length === 0 && choice.finish_reason === 'tool_calls' && { finish_reason: 'stop' }),
    };
    return { ...last, choices: [shown], ...(usage !== undefined && { usage }) };
  },
  stream: () => new ChatStream(),
};

class ChatStream implements RecallStream {
  #id: unknown;
  #hasBegun = false;
  /** Sums of the answers before, and with the one under way. */
  #usedBefore: unknown;
  #usage: unknown;
  #usageChunk: Fields | undefined;
  #finish: Fields | undefined;
  /** Calls of the answer under way, by the provider's place. */
  #calls = new Map<unknown, { call: Fields; text: string; isOwn: boolean; place: number }>();
  #shownCalls = 0;
  #reasoning = '';
  /** The words that were shown last, and whether others of another answer follow. */
  #words = '';
  #isFurther = false;

  *take(chunk: Fields): Iterable<Fields> {
    this.#id ??= chunk.id;
    const own = { ...chunk, id: this.#id };
    if (isFields(chunk.usage)) {
      // Some tell in each chunk what was used so far.
      this.#usage = this.#usedBefore === undefined ? chunk.usage : summed(this.#usedBefore, chunk.usage);
      this.#usageChunk = own;
    }
    const [choice] = listOf(chunk.choices) as [Fields | undefined];
    if (!choice) {
      if (!isFields(chunk.usage)) yield own;
      return;
    }
    const { delta: given, finish_reason: finish, ...rest } = choice;
    const { tool_calls: calls, ...delta } = isFields(given) ? given : {};
    if (typeof delta.reasoning_content === 'string') this.#reasoning += delta.reasoning_content;
    const shown = listOf(calls)
      .filter(isFields)
      .flatMap((call) => this.#callOf(call));
    const fields: Fields = {
      ...delta,
      ...(typeof delta.content === 'string' && { content: this.#spaced(delta.content) }),
      ...(shown.length > 0 && { tool_calls: shown }),
    };
    if (this.#hasBegun) delete (fields as Record<string, unknown>).role;
    // A chunk that names the role may hold nothing else: only the first one is the client's to see.
    const says = Object.entries(fields).some(
      ([name, value]) => name !== 'role' && value !== null && value !== '',
    );
    if (says || !this.#hasBegun) {
      this.#hasBegun = true;
      yield {
        ...own,
        choices: [{ ...rest, delta: fields, finish_reason: null }],
        ...(chunk.usage !== undefined && { usage: null }),
      };
    }
    if (finish !== null && finish !== undefined)
      this.#finish = { ...own, choices: [{ ...rest, delta: {}, finish_reason: finish }] };
  }

  endAnswer(): RecallStep {
    const all = [...this.#calls.values()];
    const recalls = this.#finish ? all.filter(({ isOwn }) => !isOwn) : [];
    const calls = recalls.map(({ call, text }) => ({
      ...call,
      function: { name: recallTool.name, arguments: text },
    }));
    const hasOthers = recalls.length < all.length;
    const said: Fields = {
      role: 'assistant',
      content: null,
      ...(this.#reasoning !== '' && !hasOthers && { reasoning_content: this.#reasoning }),
    };
    this.#calls = new Map();
    this.#reasoning = '';
    return stepOf(calls, said, hasOthers);
  }

  goOn(): void {
    this.#finish = undefined;
    this.#usedBefore = this.#usage;
    this.#isFurther = true;
  }

  *finish(): Iterable<Fields> {
    if (this.#finish) {
      const [choice] = this.#finish.choices as [Fields];
      const isEmpty = this.#shownCalls === 0 && choice.finish_reason === 'tool_calls';
      const { usage: _, ...chunk } = this.#finish;
      yield { ...chunk, choices: [{ ...choice, ...(isEmpty && { finish_reason: 'stop' }) }] };
    }
    if (this.#usageChunk) yield { ...this.#usageChunk, choices: [], usage: this.#usage };
  }

  /** Words, apart from those of the answer before. */
  #spaced(words: string): string {
    if (words === '') return words;
    const gap = this.#isFurther ? gapBetween(this.#words, words) : '';
    this.#words = words;
    this.#isFurther = false;
    return gap + words;
  }

  /** A piece of a call; what of it the client sees, at the client's own place. */
  #callOf({ index, function: made, ...call }: Fields): Fields[] {
    const { name, arguments: text = '' } = isFields(made) ? made : {};
    let known = this.#calls.get(index);
    if (!known) {
      const isOwn = name !== recallTool.name;
      known = { call, text: '', isOwn, place: isOwn ? this.#shownCalls++ : -1 };
      this.#calls.set(index, known);
    }
    known.text += String(text);
    return known.isOwn ? [{ ...call, index: known.place, function: made }] : [];
  }
}

function stepOf(calls: readonly Fields[], message: Fields, hasOthers: boolean): RecallStep {
  return {
    calls: calls.map((call) => ({
      id: String(call.id),
      arguments: isFields(call.function) ? call.function.arguments : undefined,
    })),
    said: calls.length > 0 ? [{ ...message, tool_calls: calls }] : [],
    hasOthers,
  };
}

const nameOf = (made: unknown): unknown => (isFields(made) ? made.name : undefined);

const isRecall = ({ function: made }: Fields): boolean => nameOf(made) === recallTool.name;

function messageOf({ choices }: Fields): Fields {
  const [choice] = listOf(choices);
  const message = isFields(choice) ? choice.message : undefined;
  return isFields(message) ? message : {};
}
