import { recallTool } from '../../../session/index.js';
import { isFields, listOf, numberIn, type Fields } from '../../../formats/index.js';
import {
  joinedTexts,
  restoredMessage,
  TextJoiner,
  summed,
  textIn,
  type RecallStep,
  type RecallStream,
  type RecallWire,
} from './wire.js';

/** The recall tool for chat completions. */
export const CHAT_RECALL: RecallWire = {
  field: 'messages',
  tool: { type: 'function', function: recallTool },
  // A request with the deprecated `functions` may not have `tools`.
  allowsTool: ({ tool_choice: choice, n, functions }) =>
    choice !== 'none' && (numberIn(n) ?? 1) <= 1 && listOf(functions).length === 0,
  noTools: { tool_choice: 'none' },
  step(answer) {
    const message = messageOf(answer);
    const calls = listOf(message.tool_calls).filter(isFields);
    const own = calls.filter(isRecall);
    const hasOthers = own.length < calls.length;
    const [choice] = listOf(answer.choices);
    const isCut = isFields(choice) && CUT.has(choice.finish_reason);
    return stepOf(own, hasOthers ? { role: 'assistant', content: message.content } : message, {
      hasOthers,
      isCut,
    });
  },
  restored: (messages, step) =>
    restoredMessage(messages, step, (message, { content }) => ({ ...message, content }), isRecall),
  results: (calls, texts) =>
    calls.map(({ id }, at) => ({ role: 'tool', tool_call_id: id, content: texts[at] })),
  visible(answers) {
    const last = answers.at(-1)!;
    const usage = answers.map((answer) => answer.usage).reduce(summed);
    const [choice] = listOf(last.choices) as [Fields | undefined];
    if (!choice) return { ...last, usage };
    const { tool_calls: calls, ...message } = messageOf(last);
    const clientCalls = listOf(calls).filter((call) => !isFields(call) || !isRecall(call));
    const content = joinedTexts(answers.map((answer) => messageOf(answer).content));
    const shown = {
      ...choice,
      message: { ...message, content, ...(clientCalls.length > 0 && { tool_calls: clientCalls }) },
      ...(clientCalls.length === 0 && choice.finish_reason === 'tool_calls' && { finish_reason: 'stop' }),
    };
    return { ...last, choices: [shown], ...(usage !== undefined && { usage }) };
  },
  stream: () => new ChatStream(),
};

/** Reasons for the end of an answer that may be incomplete. */
const CUT: ReadonlySet<unknown> = new Set(['length', 'content_filter']);

/** A call as far as it has been streamed. `place` is its index for the client, or -1 if the client does not see it. */
interface StreamedCall {
  readonly call: Fields;
  text: string;
  readonly isForClient: boolean;
  readonly place: number;
}

class ChatStream implements RecallStream {
  #id: unknown;
  #hasBegun = false;
  /** Summed usage without and with the current answer. */
  #earlierUsage: unknown;
  #usage: unknown;
  #usageChunk: Fields | undefined;
  #finishChunk: Fields | undefined;
  /** Calls of the current answer. */
  #calls: StreamedCall[] = [];
  /** The newest call at each index of the provider. */
  #openCalls = new Map<unknown, StreamedCall>();
  #shownCalls = 0;
  /** The other fields of the current answer: its text, and its reasoning under any name. */
  #answerFields: Fields = {};
  readonly #joiner = new TextJoiner();
  #answer = 0;

  *take(chunk: Fields): Iterable<Fields> {
    this.#id ??= chunk.id;
    const own = { ...chunk, id: this.#id };
    if (isFields(chunk.usage)) {
      // Some servers report the usage so far in every chunk.
      this.#usage = this.#earlierUsage === undefined ? chunk.usage : summed(this.#earlierUsage, chunk.usage);
      this.#usageChunk = own;
    }
    const [choice] = listOf(chunk.choices) as [Fields | undefined];
    if (!choice) {
      if (!isFields(chunk.usage)) yield own;
      return;
    }
    const { delta: given, finish_reason: finish, ...rest } = choice;
    const { tool_calls: calls, ...delta } = isFields(given) ? given : {};
    this.#answerFields = withDelta(this.#answerFields, delta);
    const shown = listOf(calls)
      .filter(isFields)
      .flatMap((call) => this.#callOf(call));
    const fields: Fields = {
      ...delta,
      ...(typeof delta.content === 'string' && { content: this.#joiner.next(delta.content, this.#answer) }),
      ...(shown.length > 0 && { tool_calls: shown }),
    };
    if (this.#hasBegun) delete (fields as Record<string, unknown>).role;
    // A chunk may hold nothing except the role. The client sees only the first of these chunks.
    const hasContent = Object.entries(fields).some(
      ([name, value]) => name !== 'role' && value !== null && value !== '',
    );
    if (hasContent || !this.#hasBegun) {
      this.#hasBegun = true;
      yield {
        ...own,
        choices: [{ ...rest, delta: fields, finish_reason: null }],
        ...(chunk.usage !== undefined && { usage: null }),
      };
    }
    if (finish !== null && finish !== undefined)
      this.#finishChunk = { ...own, choices: [{ ...rest, delta: {}, finish_reason: finish }] };
  }

  endAnswer(): RecallStep {
    const all = this.#calls;
    const recalls = this.#finishChunk ? all.filter(({ isForClient }) => !isForClient) : [];
    const calls = recalls.map(({ call, text }) => ({
      ...call,
      function: { name: recallTool.name, arguments: text },
    }));
    const hasOthers = recalls.length < all.length;
    const [choice] = listOf(this.#finishChunk?.choices) as [Fields | undefined];
    const { content = null } = this.#answerFields;
    const message = { ...(!hasOthers && this.#answerFields), role: 'assistant', content };
    this.#calls = [];
    this.#openCalls = new Map();
    this.#answerFields = {};
    return stepOf(calls, message, { hasOthers, isCut: CUT.has(choice?.finish_reason) });
  }

  beginAnswer(): void {
    this.#finishChunk = undefined;
    this.#earlierUsage = this.#usage;
    this.#answer++;
  }

  *finish(): Iterable<Fields> {
    if (this.#finishChunk) {
      const [choice] = this.#finishChunk.choices as [Fields];
      const isEmpty = this.#shownCalls === 0 && choice.finish_reason === 'tool_calls';
      const { usage: _, ...chunk } = this.#finishChunk;
      yield { ...chunk, choices: [{ ...choice, ...(isEmpty && { finish_reason: 'stop' }) }] };
    }
    if (this.#usageChunk) yield { ...this.#usageChunk, choices: [], usage: this.#usage };
  }

  /** Adds a piece to a call; returns the piece with the client's own index if the client sees the call. */
  #callOf({ index, function: made, ...call }: Fields): Fields[] {
    const { name, arguments: text } = isFields(made) ? made : {};
    let known = this.#openCalls.get(index);
    // Some servers send no index, or 0 for all calls, so a new id means a new call.
    if (!known || (call.id && known.call.id && call.id !== known.call.id)) {
      const isForClient = name !== recallTool.name;
      known = { call, text: '', isForClient, place: isForClient ? this.#shownCalls++ : -1 };
      this.#openCalls.set(index, known);
      this.#calls.push(known);
    }
    known.text += textIn(text);
    return known.isForClient ? [{ ...call, index: known.place, function: made }] : [];
  }
}

/** The log holds the step without its text: the client sees the text, and its next request brings it into the log. */
function stepOf(
  calls: readonly Fields[],
  message: Fields,
  ended: Pick<RecallStep, 'hasOthers' | 'isCut'>,
): RecallStep {
  const whole = { ...message, tool_calls: calls };
  return {
    calls: calls.map((call) => ({
      id: textIn(call.id),
      arguments: isFields(call.function) ? call.function.arguments : undefined,
    })),
    logged: calls.length > 0 ? [{ ...whole, content: null }] : [],
    complete: [whole],
    ...ended,
  };
}

/** A message with a delta added: texts are joined, and so are parts of growing lists (`reasoning_details`). */
function withDelta(message: Fields, delta: Fields): Fields {
  const fields: Record<string, unknown> = { ...message };
  for (const [name, value] of Object.entries(delta)) {
    if (value === null || value === undefined || name === 'role') continue;
    const known = fields[name];
    if (typeof value === 'string' && typeof known === 'string') fields[name] = known + value;
    else if (Array.isArray(value)) fields[name] = value.reduce(withListPiece, listOf(known));
    else fields[name] = value;
  }
  return fields;
}

/** Text fields of a part that arrive in pieces. Its other fields arrive once, such as a signature at the end. */
const PIECEWISE_FIELDS: ReadonlySet<string> = new Set(['text', 'summary', 'data']);

function withListPiece(list: readonly unknown[], piece: unknown): readonly unknown[] {
  const last = list.at(-1);
  if (!isFields(piece) || !isFields(last) || last.type !== piece.type || last.index !== piece.index)
    return [...list, piece];
  const filled = Object.entries(piece).filter(([, value]) => value !== null && value !== undefined);
  const more = filled.map(([name, value]) => [
    name,
    PIECEWISE_FIELDS.has(name) && typeof last[name] === 'string' ? last[name] + textIn(value) : value,
  ]);
  return [...list.slice(0, -1), { ...last, ...(Object.fromEntries(more) as Fields) }];
}

const isRecall = ({ function: made }: Fields): boolean => isFields(made) && made.name === recallTool.name;

function messageOf({ choices }: Fields): Fields {
  const [choice] = listOf(choices);
  const message = isFields(choice) ? choice.message : undefined;
  return isFields(message) ? message : {};
}
