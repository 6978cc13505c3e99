import {
  BlockStream,
  NO_STEP,
  restoredParts,
  shownOf,
  ShownWords,
  summed,
  type BlockWire,
  type RecallStep,
  type RecallWire,
  type Told,
} from '../endpoints/index.js';
import { recallTool } from '../../session/index.js';
import { isFields, jsonIn, listOf, type Fields } from '../../formats/index.js';
import { storable } from './ai-sdk-files.js';

const { name, description, parameters } = recallTool;

/** The recall tool in what a model of the AI SDK is called with. */
export const AI_SDK_RECALL: RecallWire = {
  field: 'messages',
  tool: { type: 'function', name, description, inputSchema: parameters },
  // Words before a recall would be no part of the JSON that is asked for.
  takes: ({ toolChoice, responseFormat }) =>
    !(isFields(toolChoice) && toolChoice.type === 'none') &&
    !(isFields(responseFormat) && responseFormat.type === 'json'),
  noTools: { toolChoice: { type: 'none' } },
  step: ({ content, finishReason }) => stepOf(listOf(content).filter(isFields), isCut(finishReason)),
  restored: (messages, step) => restoredParts(messages, step, isThought, isSame),
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
  visible(answers) {
    const last = answers.at(-1)!;
    const words = new ShownWords();
    const content = answers.flatMap((answer) => {
      words.goOn();
      const shown = shownOf(listOf(answer.content).filter(isFields), isThought, isRecall);
      return shown.map((part) =>
        part.type === 'text' ? { ...part, text: words.take(String(part.text)) } : part,
      );
    });
    return {
      ...last,
      content,
      usage: answers.map(({ usage }) => usage).reduce(summed),
      finishReason: content.some(isForClient) ? last.finishReason : withoutCalls(last.finishReason),
    };
  },
  stream: () => new BlockStream(partsOfStream()),
};

/** Whether a limit or a filter ended an answer; one word in earlier versions of the SDK. */
function isCut(reason: unknown): boolean {
  const why = isFields(reason) ? reason.unified : reason;
  return why === 'length' || why === 'content-filter';
}

/** Whether an answer failed or broke off, which is one word in earlier versions of the SDK. */
function hasFailed({ finishReason: reason }: Fields): boolean {
  if (!isFields(reason)) return reason === 'error' || reason === 'unknown';
  return reason.unified === 'error' || (reason.unified === 'other' && reason.raw === undefined);
}

/** The parts of one stream; the words of several answers stand apart in it. */
function partsOfStream(): BlockWire {
  const words = new ShownWords();
  let spoken = 0;
  return {
    read,
    grown,
    isThought,
    isRecall,
    step(parts, [finish]) {
      return finish && !hasFailed(finish) ? stepOf(parts, isCut(finish.finishReason)) : NO_STEP;
    },
    shown(event, at) {
      const { type, id, delta } = event;
      if (!at || !PIECE.test(String(type))) return event;
      const { answer } = at;
      if (answer > spoken) words.goOn();
      spoken = answer;
      return {
        ...event,
        // Blocks of several answers stand in one stream: each keeps a name of its own.
        ...(answer > 0 && { id: `${answer}-${String(id)}` }),
        ...(type === 'text-delta' && { delta: words.take(String(delta)) }),
      };
    },
    ending: ([finish], { usage, hasOthers }) => {
      const { finishReason } = finish!;
      return [{ ...finish, usage, finishReason: hasOthers ? finishReason : withoutCalls(finishReason) }];
    },
  };
}

const HEADS: ReadonlySet<unknown> = new Set(['stream-start', 'response-metadata']);
const PLAIN: ReadonlySet<unknown> = new Set(['raw', 'error']);
const PIECE = /^(text|reasoning)-(start|delta|end)$/;

function read(event: Fields): Told | undefined {
  const { type, id, toolCallId, usage } = event;
  if (HEADS.has(type)) return { of: 'head' };
  if (type === 'finish') return { of: 'end', usage };
  if (PLAIN.has(type)) return undefined;
  const [, kind, piece] = PIECE.exec(String(type)) ?? [];
  if (kind) return { of: 'block', block: `${kind} ${String(id)}`, begins: piece === 'start' };
  // A call is told of before it is made; all else is one event.
  if (String(type).startsWith('tool-input-')) return { of: 'block', block: `call ${String(id)}` };
  return { of: 'block', block: type === 'tool-call' ? `call ${String(toolCallId)}` : event };
}

/** A part with a piece more; a call that is only told of has no input. */
function grown(part: Fields, event: Fields): Fields {
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

/**
 * A recall stands behind its thoughts, which some providers insist on. Where a thought has an id of its own and the
 * client sees it, it may not be said twice: the recall then stands without its id, which would ask for it.
 */
function stepOf(parts: readonly Fields[], cut: boolean): RecallStep {
  const hasOthers = parts.some(isForClient);
  const recalls = parts.filter(isRecall);
  if (recalls.length === 0) return { ...NO_STEP, hasOthers };
  const shown = new Set(shownOf(parts, isThought, isRecall));
  const isTied = (part: Fields): boolean => isThought(part) && hasItemId(part) && shown.has(part);
  const thoughts = parts.filter((part) => isThought(part) && !isTied(part));
  const said = [...thoughts, ...(parts.some(isTied) ? recalls.map(withoutItemId) : recalls)];
  return {
    calls: recalls.map(({ toolCallId, input }) => ({ id: String(toolCallId), arguments: input })),
    said: [{ role: 'assistant', content: said.map(asPrompt) }],
    whole: [{ role: 'assistant', content: parts.filter(isPrompted).map(asPrompt) }],
    hasOthers,
    isCut: cut,
  };
}

/** Why an answer ended whose calls were all answered here; one word in earlier versions of the SDK. */
function withoutCalls(reason: unknown): unknown {
  if (reason === 'tool-calls') return 'stop';
  return isFields(reason) && reason.unified === 'tool-calls' ? { ...reason, unified: 'stop' } : reason;
}

/** Parts of an answer that a prompt can hold too. */
const PROMPTED: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool-call', 'tool-result', 'file']);

const isPrompted = ({ type, text, preliminary }: Fields): boolean =>
  PROMPTED.has(type) && text !== '' && preliminary !== true;

const isSame = (part: Fields, own: Fields): boolean =>
  part.type === own.type && part.toolCallId === own.toolCallId;
const isThought = ({ type }: Fields): boolean => type === 'reasoning';
const isRecall = ({ type, toolName }: Fields): boolean =>
  type === 'tool-call' && toolName === recallTool.name;
const isForClient = (part: Fields): boolean =>
  part.type === 'tool-call' && part.providerExecuted !== true && !isRecall(part);

/** A part of an answer as a prompt holds it. */
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

/** What a tool gave that the provider ran itself. */
function resultAsPrompt({ toolCallId, toolName, result, isError }: Fields): Fields {
  const kind = typeof result === 'string' ? 'text' : 'json';
  const output = { type: isError === true ? `error-${kind}` : kind, value: result ?? null };
  return { type: 'tool-result', toolCallId, toolName, output };
}

const optionsOf = ({ providerMetadata }: Fields): readonly [string, unknown][] =>
  isFields(providerMetadata) ? Object.entries(providerMetadata) : [];

/** Whether its provider knows a part by a name of its own. */
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
