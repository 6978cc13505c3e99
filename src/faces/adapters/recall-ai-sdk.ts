import {
  recallInBlocks,
  restoredParts,
  TextJoiner,
  type BlockWire,
  type RecallWire,
  type EventMeaning,
} from '../endpoints/index.js';
import { recallTool } from '../../session/index.js';
import { fieldsOf, isFields, jsonIn, listOf, type Fields } from '../../formats/index.js';
import { storable } from './ai-sdk-files.js';

const { name, description, parameters } = recallTool;

/** The recall tool for model calls of the AI SDK. */
export const AI_SDK_RECALL: RecallWire = {
  ...recallInBlocks(partsWire),
  field: 'messages',
  tool: { type: 'function', name, description, inputSchema: parameters },
  // Text before a recall would break requested JSON. A history that OpenAI keeps waits for the result of each recall.
  allowsTool: ({ toolChoice, responseFormat, providerOptions }) =>
    !(isFields(toolChoice) && toolChoice.type === 'none') &&
    !(isFields(responseFormat) && responseFormat.type === 'json') &&
    !Object.values(fieldsOf(providerOptions)).some(
      (of) => isFields(of) && (of.previousResponseId || of.conversation),
    ),
  noTools: { toolChoice: { type: 'none' } },
  results: (calls, texts) => [
    {
      role: 'tool',
      content: calls.map(({ id }, at) => ({
        type: 'tool-result',
        toolCallId: id,
        toolName: recallTool.name,
        output: { type: 'text', value: texts[at] },
      })),
    },
  ],
};

/** The reason why an answer ended, in the SDK's unified terms. */
const endOf = ({ finishReason: reason }: Fields): unknown => (isFields(reason) ? reason.unified : undefined);

/** Whether the answer ended by an error or broke off. */
const hasFailed = (finish: Fields): boolean =>
  endOf(finish) === 'error' ||
  (endOf(finish) === 'other' && (finish.finishReason as Fields).raw === undefined);

/** Blocks are the parts of the content. The texts of several answers are separated in the client's answer. */
function partsWire(): BlockWire {
  const joiner = new TextJoiner();
  const withEnd = (last: Fields, { usage, hasOthers }: Parameters<BlockWire['visible']>[1]): Fields => ({
    ...last,
    usage,
    ...(!hasOthers &&
      endOf(last) === 'tool-calls' && {
        finishReason: { ...(last.finishReason as Fields), unified: 'stop' },
      }),
  });
  return {
    blocksOf: ({ content }) => listOf(content).filter(isFields),
    isThought: ({ type }) => type === 'reasoning',
    isRecall: ({ type, toolName }) => type === 'tool-call' && toolName === name,
    isForClient: ({ type, toolName, providerExecuted }) =>
      type === 'tool-call' && toolName !== name && providerExecuted !== true,
    isSame: (part, own) => part.type === own.type && part.toolCallId === own.toolCallId,
    isAllowedOnce: hasItemId,
    withoutThought: withoutItemId,
    callOf: ({ toolCallId, input }) => ({ id: String(toolCallId), arguments: input }),
    messagesOf: (said) => [{ role: 'assistant', content: said.filter(isPrompted).map(asPrompt) }],
    restored: restoredParts,
    isCut: (answer) => ['length', 'content-filter'].includes(String(endOf(answer))),
    visible: (last, all) => ({ ...withEnd(last, all), content: all.blocks }),
    clientBlock: (part, answer) =>
      part.type === 'text' ? { ...part, text: joiner.next(String(part.text), answer) } : part,
    read,
    withPiece,
    clientEvent(event, at) {
      const { type, id, delta } = event;
      if (!at || !PIECE.test(String(type))) return event;
      return {
        ...event,
        // The client's stream has blocks of several answers: the prefix makes their ids unique.
        ...(at.answer > 0 && { id: `${at.answer}-${String(id)}` }),
        ...(type === 'text-delta' && { delta: joiner.next(String(delta), at.answer) }),
      };
    },
    answerIn: ([finish]) => (finish && !hasFailed(finish) ? finish : undefined),
    clientEnds: ([finish], all) => [withEnd(finish!, all)],
  };
}

const HEADS: ReadonlySet<unknown> = new Set(['stream-start', 'response-metadata']);
const PASSED_ON: ReadonlySet<unknown> = new Set(['raw', 'error']);
const PIECE = /^(text|reasoning)-(start|delta|end)$/;

function read(event: Fields): EventMeaning | undefined {
  const { type, id, toolCallId, usage } = event;
  if (HEADS.has(type)) return { kind: 'head' };
  if (type === 'finish') return { kind: 'end', usage };
  if (PASSED_ON.has(type)) return undefined;
  const [, kind, piece] = PIECE.exec(String(type)) ?? [];
  if (kind) return { kind: 'block', block: `${kind} ${String(id)}`, begins: piece === 'start' };
  // Several events announce a tool call before the call itself. Every other part is one event.
  if (String(type).startsWith('tool-input-')) return { kind: 'block', block: `call ${String(id)}` };
  return { kind: 'block', block: type === 'tool-call' ? `call ${String(toolCallId)}` : event };
}

/** A part with the next piece added. A call that is only announced has no input yet. */
function withPiece(part: Fields, event: Fields): Fields {
  const [, type] = PIECE.exec(String(event.type)) ?? [];
  if (event.type === 'tool-input-start') return { type: 'tool-call', toolName: event.toolName };
  if (!type) return String(event.type).startsWith('tool-input-') ? part : event;
  const { text = '' } = part;
  const { delta = '', providerMetadata = part.providerMetadata } = event;
  return {
    type,
    text: `${String(text)}${String(delta)}`,
    ...(providerMetadata !== undefined && { providerMetadata }),
  };
}

/** Types of parts of an answer that a prompt can also hold. */
const PROMPTED: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool-call', 'tool-result', 'file']);

/** Reasoning with empty text is kept if it has provider metadata: an item id or encrypted content. */
const isPrompted = ({ type, text, preliminary, providerMetadata }: Fields): boolean =>
  PROMPTED.has(type) &&
  (text !== '' || (type === 'reasoning' && providerMetadata !== undefined)) &&
  preliminary !== true;

/** A part of an answer, converted to a part of a prompt. */
function asPrompt({ type, providerMetadata, ...part }: Fields): Fields {
  const options = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  if (type === 'tool-call')
    return {
      type,
      ...part,
      input: (typeof part.input === 'string' ? jsonIn(part.input) : part.input) ?? {},
      ...options,
    };
  if (type === 'tool-result') return { ...resultAsPrompt(part), ...options };
  return storable({ type, ...part, ...options });
}

/** The result of a tool that the provider ran. */
function resultAsPrompt({ toolCallId, toolName, result, isError }: Fields): Fields {
  const kind = typeof result === 'string' ? 'text' : 'json';
  const output = { type: isError === true ? `error-${kind}` : kind, value: result ?? null };
  return { type: 'tool-result', toolCallId, toolName, output };
}

const optionsOf = ({ providerMetadata }: Fields): readonly [string, unknown][] =>
  isFields(providerMetadata) ? Object.entries(providerMetadata) : [];

/** Whether the provider identifies a part by an item id. */
const hasItemId = (part: Fields): boolean =>
  optionsOf(part).some(([, options]) => isFields(options) && typeof options.itemId === 'string');

function withoutItemId(part: Fields): Fields {
  const options = optionsOf(part).map(([name, of]) => {
    if (!isFields(of)) return [name, of];
    const { itemId: _, ...rest } = of;
    return [name, rest];
  });
  return { ...part, ...(options.length > 0 && { providerMetadata: Object.fromEntries(options) as Fields }) };
}
