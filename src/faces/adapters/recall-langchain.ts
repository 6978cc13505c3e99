import { recallTool } from '../../session/index.js';
import { fieldsOf, isFields, listOf, type Fields } from '../../formats/index.js';
import {
  joinedTexts,
  NO_STEP,
  RESPONSES,
  restoredMessage,
  summed,
  textIn,
  type RecallWire,
} from '../endpoints/index.js';

/** The recall tool for LangChain's model requests and messages. */
export const LANGCHAIN_RECALL: RecallWire = {
  field: 'messages',
  // A plain definition that all its models take. The agent would try to run a LangChain tool object.
  tool: { type: 'function', function: recallTool },
  // If the provider enforces a schema on the answer, its client may require strict tools; this tool is not strict. If
  // OpenAI keeps the history, it waits for the result of each recall.
  allowsTool: ({ toolChoice, responseFormat, modelSettings }) =>
    toolChoice !== 'none' &&
    (responseFormat === undefined || isByTools(responseFormat)) &&
    !fieldsOf(modelSettings).previous_response_id,
  noTools: { toolChoice: 'none' },
  step(message) {
    const all = [...callsOf(message), ...brokenCallsOf(message)];
    const recalls = all.filter(isRecall);
    const hasOthers = recalls.length < all.length;
    const calls = recalls.map(({ id, args }) => ({ id: textIn(id), arguments: args }));
    if (recalls.length === 0) return { ...NO_STEP, hasOthers };
    return {
      calls,
      logged: [recallsOf(message, hasOthers)],
      complete: [completeMessage(message)],
      hasOthers,
      isCut: wasCut(message),
    };
  },
  restored: (messages, step) => restoredMessage(messages, step, (_, whole) => whole),
  results: (calls, texts) =>
    calls.map(({ id }, at) => ({
      type: 'tool',
      tool_call_id: id,
      name: recallTool.name,
      content: texts[at],
    })),
  visible(answers) {
    const last = answers.at(-1)!;
    const usage = answers.map(({ usage_metadata: used }) => used).reduce(summed);
    const ids = recallIds(last);
    const [calls, broken] = [callsOf(last), brokenCallsOf(last)];
    const clientCalls = calls.filter((call) => !isRecall(call));
    const { additional_kwargs: more, tool_call_chunks: chunks } = last;
    const raw = isFields(more) ? listOf(more.tool_calls).filter((call) => !isCallOf(call, ids)) : [];
    return {
      content: visibleContent(answers),
      tool_calls: clientCalls,
      invalid_tool_calls: broken.filter((call) => !isRecall(call)),
      ...(chunks !== undefined && { tool_call_chunks: withoutRecalls(listOf(chunks), ids) }),
      ...(isFields(more) && { additional_kwargs: { ...more, tool_calls: raw.length > 0 ? raw : undefined } }),
      response_metadata: metadataOf(answers, calls.length > 0 && clientCalls.length === 0),
      usage_metadata: usage,
    };
  },
  stream() {
    throw new TypeError('LangChain gives whole messages');
  },
};

/** Whether the structured answer is requested as a call of LangChain's tool, not by the provider's schema option. */
const isByTools = (format: unknown): boolean =>
  listOf(format).length > 0 && listOf(format).every((one) => isFields(one) && isFields(one.tool));

/** The complete answer of the model, as a stored message. */
function completeMessage(message: Fields): Fields {
  const { content, additional_kwargs: more, response_metadata: meta } = message;
  return {
    type: 'ai',
    content,
    tool_calls: [...callsOf(message), ...repairedCalls(message)],
    ...(isFields(more) && { additional_kwargs: withoutRaw(more) }),
    ...(isFields(meta) && outputOf(message) && { response_metadata: meta }),
  };
}

/** Calls with unreadable arguments, changed to valid calls with empty arguments. */
const repairedCalls = (message: Fields): readonly Fields[] =>
  brokenCallsOf(message).map(({ id, name }) => ({ type: 'tool_call', id, name, args: {} }));

/** Reasons of several providers for an answer that may be incomplete. */
const CUT: ReadonlySet<unknown> = new Set([
  'length',
  'content_filter',
  'max_tokens',
  'model_context_window_exceeded',
  'refusal',
  'MAX_TOKENS',
  'incomplete',
]);

const wasCut = ({ response_metadata: meta }: Fields): boolean =>
  isFields(meta) &&
  [meta.finish_reason, meta.stop_reason, meta.finishReason, meta.status].some((why) => CUT.has(why));

/** The recalls of an answer, without its text: the client sees the text, and its next request adds it to the log. */
function recallsOf(message: Fields, hasOthers: boolean): Fields {
  const ids = recallIds(message);
  const isLogged = (block: unknown): boolean => isThought(block) && !(hasOthers && hasItemId(block));
  const content = contentOf(message, (block) => isLogged(block) || isCallOf(block, ids));
  const { additional_kwargs: more, response_metadata: meta } = message;
  return {
    type: 'ai',
    content: Array.isArray(content) ? content : '',
    tool_calls: [...callsOf(message), ...repairedCalls(message)].filter(isRecall),
    ...(isFields(more) && { additional_kwargs: hasOthers ? withoutItems(more) : withoutRaw(more) }),
    ...(isFields(meta) &&
      outputOf(message) && {
        response_metadata: { ...meta, output: RESPONSES.recall.step({ output: outputOf(message) }).logged },
      }),
  };
}

/** Without the provider's raw calls: LangChain's parsed calls are in `tool_calls`. */
const withoutRaw = ({ tool_calls: _, ...more }: Fields): Fields => more;

/** Without what a history may hold only once and the agent's own calls hold: reasoning, and ids of OpenAI's items. */
const withoutItems = (more: Fields): Fields =>
  Object.fromEntries(
    Object.entries(withoutRaw(more)).filter(([name]) => name !== 'reasoning' && !name.startsWith('__openai')),
  );

/**
 * The content of all answers: one text, or a list of blocks if any answer has blocks. Anthropic refuses a tool loop that
 * thinks and begins with words, so a thought of an earlier answer stays if words follow it.
 */
function visibleContent(answers: readonly Fields[]): unknown {
  const contents = answers.map((answer) => {
    const ids = recallIds(answer);
    const lastText = listOf(answer.content).findLastIndex((one) => !isThought(one) && !isCallOf(one, ids));
    const isShown = (block: unknown, at: number): boolean =>
      !isCallOf(block, ids) &&
      (answer === answers.at(-1) || !isThought(block) || (at < lastText && !hasItemId(block)));
    return contentOf(answer, isShown);
  });
  if (!contents.some((content) => Array.isArray(content))) return joinedTexts(contents);
  return contents.flatMap((content) => {
    if (Array.isArray(content)) return content as unknown[];
    return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }] : [];
  });
}

/** The metadata of the last answer: summed usage, OpenAI's items, and a normal end if all calls were recalls. */
function metadataOf(answers: readonly Fields[], ended: boolean): unknown {
  const meta = answers.at(-1)!.response_metadata;
  if (!isFields(meta)) return meta;
  const outputs = answers.map(outputOf);
  const metadata = answers.map((answer) => answer.response_metadata).filter(isFields);
  const sums = ['usage', 'tokenUsage'].filter((name) => meta[name] !== undefined);
  return {
    ...meta,
    ...Object.fromEntries(sums.map((name) => [name, metadata.map((one) => one[name]).reduce(summed)])),
    ...(outputs.at(-1) && { output: RESPONSES.recall.visible(outputs.map((output) => ({ output }))).output }),
    ...(ended && meta.finish_reason === 'tool_calls' && { finish_reason: 'stop' }),
    ...(ended && meta.stop_reason === 'tool_use' && { stop_reason: 'end_turn' }),
  };
}

/** The output items of an answer of OpenAI's Responses API, from which LangChain builds the next request. */
const outputOf = ({ response_metadata: meta }: Fields): readonly unknown[] | undefined =>
  isFields(meta) && Array.isArray(meta.output) ? meta.output : undefined;

const callsOf = ({ tool_calls: calls }: Fields): readonly Fields[] => listOf(calls).filter(isFields);

/** Calls whose arguments LangChain could not parse; their arguments are text. */
const brokenCallsOf = ({ invalid_tool_calls: calls }: Fields): readonly Fields[] =>
  listOf(calls).filter(isFields);

const isRecall = ({ name }: Fields): boolean => name === recallTool.name;

const recallIds = (message: Fields): ReadonlySet<unknown> =>
  new Set([...callsOf(message), ...brokenCallsOf(message)].filter(isRecall).flatMap(({ id }) => id ?? []));

function contentOf({ content }: Fields, isKept: (block: unknown, at: number) => boolean): unknown {
  return Array.isArray(content) ? content.filter(isKept) : content;
}

/** Whether this is a call, in any field, of the recall tool; by id or by name, because not every form has both. */
function isCallOf(call: unknown, ids: ReadonlySet<unknown>): boolean {
  if (!isFields(call)) return false;
  const named = [call, call.function, call.functionCall].filter(isFields);
  return ids.has(call.id) || named.some(isRecall);
}

/** Chunks of calls without the chunks of recalls. Only the first chunk of a call has a name. */
function withoutRecalls(chunks: readonly unknown[], ids: ReadonlySet<unknown>): readonly unknown[] {
  const places = new Set(chunks.filter((one) => isCallOf(one, ids)).map((chunk) => fieldsOf(chunk).index));
  places.delete(undefined);
  return chunks.filter((chunk) => !isCallOf(chunk, ids) && !places.has(fieldsOf(chunk).index));
}

const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/** Whether a block has an OpenAI item id, which a history may hold only once. */
const hasItemId = (block: unknown): boolean => isFields(block) && typeof block.id === 'string';

const isThought = (block: unknown): boolean => isFields(block) && THOUGHTS.has(block.type);
