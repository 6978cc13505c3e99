import { recallTool } from '../../../session/index.js';
import { isFields, jsonIn, listOf, type Fields } from '../../../formats/index.js';
import { filled } from '../usage.js';
import { recallInBlocks, type BlockWire } from './blocks.js';
import { restoredParts, textIn, type RecallWire } from './wire.js';

const { name, description, parameters } = recallTool;

const BLOCKS: BlockWire = {
  blocksOf: ({ content }) => listOf(content).filter(isFields),
  isThought: ({ type }) => type === 'thinking' || type === 'redacted_thinking',
  isRecall: (block) => isCall(block) && block.name === name,
  isForClient: (block) => isCall(block) && block.name !== name,
  isSame: (block, own) => block.type === own.type && block.id === own.id,
  isAllowedOnce: () => false,
  withoutThought: (recall) => recall,
  callOf: ({ id, input }) => ({ id: textIn(id), arguments: input }),
  messagesOf: (blocks) => [
    {
      role: 'assistant',
      content: blocks.filter(({ type, text }) => type !== 'text' || text !== '').map(withParsedInput),
    },
  ],
  restored: restoredParts,
  isCut: ({ stop_reason: reason }) => CUT.has(reason),
  visible: (last, { blocks: content, usage, hasOthers }) => ({
    ...withoutCalls(last, hasOthers),
    content,
    usage,
  }),
  read({ type, index: block, message, usage }) {
    if (type === 'message_start')
      return { kind: 'head', usage: isFields(message) ? message.usage : undefined };
    if (type === 'message_delta') return { kind: 'end', usage: isFields(usage) ? filled(usage) : undefined };
    if (type === 'message_stop') return { kind: 'end' };
    return BLOCK_EVENTS.has(type) ? { kind: 'block', block } : undefined;
  },
  withPiece(block, { content_block: started, delta }) {
    if (isFields(started)) return started;
    return isFields(delta) ? withPiece(block, delta) : block;
  },
  clientEvent: (event, at) => (at ? { ...event, index: at.index } : event),
  answerIn: (ends) => ends.map(({ delta }) => delta).find(isFields),
  clientEnds: (ends, { usage, hasOthers }) =>
    ends.map((end) =>
      isFields(end.delta) ? { ...end, delta: withoutCalls(end.delta, hasOthers), usage } : end,
    ),
};

/** The recall tool for Anthropic's messages. */
export const ANTHROPIC_RECALL: RecallWire = {
  ...recallInBlocks(() => BLOCKS),
  field: 'messages',
  tool: { name, description, input_schema: parameters },
  allowsTool: ({ tool_choice: choice }) => !isFields(choice) || choice.type !== 'none',
  noTools: { tool_choice: { type: 'none' } },
  results: (calls, texts) => [
    {
      role: 'user',
      content: calls.map(({ id }, at) => ({ type: 'tool_result', tool_use_id: id, content: texts[at] })),
    },
  ],
};

const BLOCK_EVENTS: ReadonlySet<unknown> = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
]);

/** A block with the next piece of its text, its thinking, or the JSON text of its input. */
function withPiece(block: Fields, delta: Fields): Fields {
  switch (delta.type) {
    case 'input_json_delta':
      return { ...block, input: textIn(block.input) + textIn(delta.partial_json) };
    case 'thinking_delta':
      return { ...block, thinking: textIn(block.thinking) + textIn(delta.thinking) };
    case 'signature_delta':
      return { ...block, signature: delta.signature };
    case 'text_delta':
      return { ...block, text: textIn(block.text) + textIn(delta.text) };
    case 'citations_delta':
      return { ...block, citations: [...listOf(block.citations), delta.citation] };
    default:
      return block;
  }
}

/** A block with its input parsed if it was streamed as JSON text. */
const withParsedInput = (block: Fields): Fields =>
  typeof block.input === 'string' ? { ...block, input: jsonIn(block.input) ?? {} } : block;

/** Reasons for the end of an answer that may be incomplete. */
const CUT: ReadonlySet<unknown> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);

const isCall = ({ type }: Fields): boolean => type === 'tool_use';

/** The answer with the end reason changed if every call was a recall. */
const withoutCalls = (answer: Fields, hasOthers: boolean): Fields =>
  answer.stop_reason === 'tool_use' && !hasOthers ? { ...answer, stop_reason: 'end_turn' } : answer;
