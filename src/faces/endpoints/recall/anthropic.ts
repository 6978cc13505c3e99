import { recallTool } from '../../../session/index.js';
import { isFields, jsonIn, listOf, type Fields } from '../../../formats/index.js';
import { given } from '../usage.js';
import { BlockStream, type BlockWire } from './blocks.js';
import { NO_STEP, restoredParts, shownOf, summed, textIn, type RecallStep, type RecallWire } from './wire.js';

const { name, description, parameters } = recallTool;

/** The recall tool in Anthropic's messages. */
export const ANTHROPIC_RECALL: RecallWire = {
  field: 'messages',
  tool: { name, description, input_schema: parameters },
  takes: ({ tool_choice: choice }) => !isFields(choice) || choice.type !== 'none',
  noTools: { tool_choice: { type: 'none' } },
  step: ({ content, stop_reason: reason }) => stepOf(listOf(content).filter(isFields), reason),
  restored: (messages, step) => restoredParts(messages, step, isThought, isSame),
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
  stream: () => new BlockStream(BLOCKS),
};

const BLOCKS: BlockWire = {
  read({ type, index: block, message, usage }) {
    if (type === 'message_start') return { of: 'head', usage: isFields(message) ? message.usage : undefined };
    if (type === 'message_delta') return { of: 'end', usage: isFields(usage) ? given(usage) : undefined };
    if (type === 'message_stop') return { of: 'end' };
    return TOLD.has(type) ? { of: 'block', block } : undefined;
  },
  grown(block, { content_block: started, delta }) {
    if (isFields(started)) return started;
    return isFields(delta) ? grown(block, delta) : block;
  },
  isThought: (block) => isThought(block),
  isRecall: (block) => isRecall(block),
  step(blocks, ends) {
    const delta = ends.map((end) => end.delta).find(isFields);
    return delta ? stepOf(blocks.map(whole), delta.stop_reason) : NO_STEP;
  },
  shown: (event, at) => (at ? { ...event, index: at.place } : event),
  ending: (ends, { usage, hasOthers }) =>
    ends.map(({ delta, ...end }) => {
      if (!isFields(delta)) return end;
      const isEmpty = delta.stop_reason === 'tool_use' && !hasOthers;
      return { ...end, delta: isEmpty ? { ...delta, stop_reason: 'end_turn' } : delta, usage };
    }),
};

const TOLD: ReadonlySet<unknown> = new Set([
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
]);

/** A block with a piece more of its words, its thought, or the JSON text of its input. */
function grown(block: Fields, delta: Fields): Fields {
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

/** What the provider runs itself is told in pieces as well, or stands there at once. */
const whole = (block: Fields): Fields =>
  typeof block.input === 'string' ? { ...block, input: jsonIn(block.input) ?? {} } : block;

/** Why an answer ended that may not be whole. */
const CUT: ReadonlySet<unknown> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);

/** Thoughts stay with the call that they led to; the words are the client's to see, and come back in its own answer. */
function stepOf(blocks: readonly Fields[], reason: unknown): RecallStep {
  const hasOthers = blocks.some((block) => isCall(block) && !isRecall(block));
  if (!blocks.some(isRecall)) return { ...NO_STEP, hasOthers };
  const said = blocks.filter((block) => isThought(block) || isRecall(block));
  const calls = said.filter(isRecall).map(({ id, input }) => ({ id: String(id), arguments: input }));
  return {
    calls,
    said: [{ role: 'assistant', content: said }],
    whole: [
      { role: 'assistant', content: blocks.filter(({ type, text }) => type !== 'text' || text !== '') },
    ],
    hasOthers,
    isCut: CUT.has(reason),
  };
}

const isSame = (block: Fields, own: Fields): boolean => block.type === own.type && block.id === own.id;

const isCall = ({ type }: Fields): boolean => type === 'tool_use';
const isRecall = (block: Fields): boolean => isCall(block) && block.name === recallTool.name;
const isThought = ({ type }: Fields): boolean => type === 'thinking' || type === 'redacted_thinking';
