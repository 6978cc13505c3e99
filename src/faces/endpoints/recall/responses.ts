import { recallTool } from '../../../session/index.js';
import { isFields, listOf, type Fields } from '../../../formats/index.js';
import { BlockStream, type BlockWire } from './blocks.js';
import { NO_STEP, restoredRun, shownOf, summed, textIn, type RecallStep, type RecallWire } from './wire.js';

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
  stream: () => new BlockStream(itemsOfStream()),
};

const HEADS: ReadonlySet<unknown> = new Set(['response.created', 'response.queued', 'response.in_progress']);
const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** The items of one stream; its events are numbered as the client sees them. */
function itemsOfStream(): BlockWire {
  let sequence = 0;
  return {
    read({ type, response, output_index: block }) {
      if (HEADS.has(type)) return { of: 'head' };
      if (ENDS.has(type)) return { of: 'end', usage: isFields(response) ? response.usage : undefined };
      return block === undefined ? undefined : { of: 'block', block };
    },
    grown: (known, { item }) => (isFields(item) ? item : known),
    isThought: (item) => isReasoning(item),
    isRecall: (item) => isRecall(item),
    step(items, [end]) {
      if (!end || end.type === 'response.failed') return NO_STEP;
      return stepOf(items, end.type === 'response.incomplete');
    },
    shown(event, at) {
      const { response, sequence_number: number } = event;
      return {
        ...event,
        ...(isFields(response) && { response: withoutTool(response) }),
        ...(at && { output_index: at.place }),
        ...(number !== undefined && { sequence_number: sequence++ }),
      };
    },
    ending: (ends, { usage, blocks: output }) =>
      ends.map((end) => ({
        ...end,
        response: { ...(end.response as Fields), output, ...(usage !== undefined && { usage }) },
      })),
  };
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
