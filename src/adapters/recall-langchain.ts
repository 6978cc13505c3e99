import { recallTool } from '../session/index.js';
import { isFields, listOf, type Fields } from '../wire/index.js';
import { summed, type RecallWire } from '../endpoints/index.js';

/** The recall tool in LangChain's model requests and messages. */
export const LANGCHAIN_RECALL: RecallWire = {
  field: 'messages',
  offer(request) {
    const tools = listOf(request.tools);
    const isTaken = tools.some((tool) => isFields(tool) && nameOf(tool) === recallTool.name);
    if (isTaken || request.toolChoice === 'none') return undefined;
    // In the shape that all its models take, and not as a tool of LangChain's own, which the agent would want to run.
    return { ...request, tools: [...tools, { type: 'function', function: recallTool }] };
  },
  step(message) {
    const all = callsOf(message);
    const recalls = all.filter(isRecall);
    const hasOthers = recalls.length < all.length;
    const calls = recalls.map(({ id, args }) => ({ id: String(id), arguments: args }));
    return { calls, said: recalls.length > 0 ? [hasOthers ? recallAlone(message) : message] : [], hasOthers };
  },
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
    const left = callsOf(last).filter((call) => !isRecall(call));
    if (left.length === callsOf(last).length) return { usage_metadata: usage };
    const ids = recallIds(last);
    const { additional_kwargs: more, tool_call_chunks: chunks, response_metadata: about } = last;
    const raw = isFields(more) ? listOf(more.tool_calls).filter((call) => !isOf(call, ids)) : [];
    return {
      content: contentOf(last, (block) => !isOf(block, ids)),
      tool_calls: left,
      ...(chunks !== undefined && { tool_call_chunks: listOf(chunks).filter((call) => !isOf(call, ids)) }),
      ...(isFields(more) && { additional_kwargs: { ...more, tool_calls: raw.length > 0 ? raw : undefined } }),
      ...(left.length === 0 && isFields(about) && { response_metadata: withoutCalls(about) }),
      usage_metadata: usage,
    };
  },
  stream() {
    throw new TypeError('LangChain gives whole messages');
  },
};

/** Why an answer ended whose calls were all answered here, as OpenAI and Anthropic say it. */
function withoutCalls(about: Fields): Fields {
  return {
    ...about,
    ...(about.finish_reason === 'tool_calls' && { finish_reason: 'stop' }),
    ...(about.stop_reason === 'tool_use' && { stop_reason: 'end_turn' }),
  };
}

/** An answer that holds calls of the agent's own as well, without them and without its words. */
function recallAlone(message: Fields): Fields {
  const ids = recallIds(message);
  const content = contentOf(message, (block) => isThought(block) || isOf(block, ids));
  const calls = callsOf(message).filter(isRecall);
  return { type: 'ai', content: Array.isArray(content) ? content : '', tool_calls: calls };
}

const callsOf = ({ tool_calls: calls }: Fields): readonly Fields[] => listOf(calls).filter(isFields);

const isRecall = ({ name }: Fields): boolean => name === recallTool.name;

const recallIds = (message: Fields): ReadonlySet<unknown> =>
  new Set(
    callsOf(message)
      .filter(isRecall)
      .map(({ id }) => id),
  );

function contentOf({ content }: Fields, isKept: (block: unknown) => boolean): unknown {
  return Array.isArray(content) ? content.filter(isKept) : content;
}

/** A call in whichever field; Gemini's in the content have no id. */
const isOf = (call: unknown, ids: ReadonlySet<unknown>): boolean =>
  isFields(call) && (ids.has(call.id) || (isFields(call.functionCall) && isRecall(call.functionCall)));

const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

const isThought = (block: unknown): boolean => isFields(block) && THOUGHTS.has(block.type);

function nameOf(tool: Fields): unknown {
  return isFields(tool.function) ? tool.function.name : tool.name;
}
