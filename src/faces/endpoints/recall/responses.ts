import { recallTool } from '../../../session/index.js';
import { fieldsOf, isFields, listOf, type Fields } from '../../../formats/index.js';
import { recallInBlocks, type BlockWire } from './blocks.js';
import { restoredRun, textIn, type RecallWire } from './wire.js';

/** The recall tool for OpenAI's responses. */
export const RESPONSES_RECALL: RecallWire = {
  ...recallInBlocks(itemsWire),
  field: 'input',
  tool: { type: 'function', ...recallTool, strict: false },
  allowsTool: ({ tool_choice: choice, background }) => choice !== 'none' && background !== true,
  noTools: { tool_choice: 'none' },
  results: (calls, texts) =>
    calls.map(({ id }, at) => ({ type: 'function_call_output', call_id: id, output: texts[at] })),
};

const HEADS: ReadonlySet<unknown> = new Set(['response.created', 'response.queued', 'response.in_progress']);
const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Blocks are the items of the output. Events are numbered again for the client. */
function itemsWire(): BlockWire {
  let sequence = 0;
  const visible: BlockWire['visible'] = (last, { blocks: output, usage }) => ({
    ...withoutTool(last),
    output,
    // The client's library derives this field from the items.
    ...(typeof last.output_text === 'string' && { output_text: outputText(output) }),
    ...(usage !== undefined && { usage }),
  });
  return {
    blocksOf: ({ output, status }) => (status === 'failed' ? [] : listOf(output).filter(isFields)),
    isThought: ({ type }) => type === 'reasoning',
    isRecall,
    isForClient,
    isSame: (item, own) => item.type === own.type && (item.call_id ?? item.id) === (own.call_id ?? own.id),
    isAllowedOnce: () => true,
    withoutThought: ({ id: _, ...item }) => item,
    callOf: ({ call_id: id, arguments: given }) => ({ id: textIn(id), arguments: given }),
    messagesOf: (list) => list,
    restored: restoredRun,
    isCut: ({ status }) => status === 'incomplete',
    visible,
    read({ type, response, output_index: block }) {
      if (HEADS.has(type)) return { kind: 'head' };
      if (ENDS.has(type)) return { kind: 'end', usage: isFields(response) ? response.usage : undefined };
      return block === undefined ? undefined : { kind: 'block', block };
    },
    withPiece: (known, { item }) => (isFields(item) ? item : known),
    clientEvent(event, at) {
      const { response, sequence_number: number } = event;
      return {
        ...event,
        ...(isFields(response) && { response: withoutTool(response) }),
        ...(at && { output_index: at.index }),
        ...(number !== undefined && { sequence_number: sequence++ }),
      };
    },
    answerIn: ([end]) => (end && end.type !== 'response.failed' ? fieldsOf(end.response) : undefined),
    clientEnds: ([end], all) => [{ ...end, response: visible(fieldsOf(end!.response), all) }],
  };
}

/** A call that the client must answer: any item that is answered by its `call_id`, unless the provider ran it. */
function isForClient(item: Fields, items: readonly Fields[]): boolean {
  if (item.type === 'mcp_approval_request') return true;
  if (isRecall(item) || typeof item.call_id !== 'string' || !textIn(item.type).endsWith('_call'))
    return false;
  return !items.some(({ type, call_id: id }) => id === item.call_id && textIn(type).endsWith('_output'));
}

/** A response repeats the offered tools; this removes the recall tool from them. */
function withoutTool(response: Fields): Fields {
  if (!Array.isArray(response.tools)) return response;
  return {
    ...response,
    tools: response.tools.filter((tool) => !isFields(tool) || tool.name !== recallTool.name),
  };
}

function outputText(items: readonly Fields[]): string {
  const parts = items.flatMap(({ type, content }) => (type === 'message' ? listOf(content) : []));
  return parts
    .map((part) => (isFields(part) && part.type === 'output_text' ? textIn(part.text) : ''))
    .join('');
}

const isRecall = ({ type, name }: Fields): boolean => type === 'function_call' && name === recallTool.name;
