import {
  isToolCall,
  isToolResult,
  type FilePart,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
  type ViewMessage,
} from '../../transcript/index.js';
import type { Serialised, WireMemory } from '../../spi/index.js';
import { alignedParts, createDrafter, ownWire, wellFormed } from '../conversation/drafts.js';
import { callsIn } from '../conversation/ids.js';
import type { DraftedAnswer } from '../conversation/pairing.js';
import { TURN_BREAK, reportedFileNote, NO_RESULT, EMPTY_TURN } from '../conversation/placeholders.js';
import { REPAIRS, type Report } from '../conversation/repairs.js';
import { resultsAfterCalls, type Call, type Draft } from '../conversation/results-after-calls.js';
import { sourceOf, urlOf } from '../files.js';
import {
  argumentsIn,
  argumentsObject,
  fieldsOf,
  isFields,
  itemAt,
  jsonText,
  listOf,
  originalIfSame,
  withFields,
  type Fields,
} from '../record.js';
import { isTwin, createTwinUpdater } from './twins.js';
import { FORMAT, inShape, unwrap, textIn, withChanges, type Shape } from './wire.js';

type Content = string | readonly unknown[];

/** A result as a message. */
interface Answer extends DraftedAnswer {
  readonly message: Fields;
  /** Whether it was made here, not by LangChain. */
  readonly isFresh: boolean;
}

/** One view message, legal on its own; the same object if nothing was edited and nothing is wrong. */
interface LangChainDraft extends Draft<Answer> {
  readonly message?: Fields;
}

const TYPE_OF = { system: 'system', user: 'human', assistant: 'ai', tool: 'human' } as const;
const KNOWN: ReadonlySet<string> = new Set(['human', 'ai', 'system']);

/** `wire` values of opaque parts that are next to the content, and remain there. */
const OUTSIDE_CONTENT: ReadonlySet<unknown> = new Set(['invalid', 'output']);

const draftOf = createDrafter<LangChainDraft>((shown, report) => {
  const { message } = shown;
  const wire = ownWire(shown, FORMAT);
  const results = message.parts.filter(isToolResult);
  const answers = results.map((part) => answerOf(part, message, wire, report));
  const silent = { answers, calls: [], hasContent: false };
  if (results.length > 0 && results.length === message.parts.length) return silent;
  const isThought = message.parts.length > 0 && message.parts.every(({ type }) => type === 'reasoning');
  const said = isThought ? undefined : writeMessage(shown, wire, report);
  if (said) return { answers, hasContent: true, calls: said.calls, message: repaired(said.message, report) };
  if (wire && results.length === 0) report('empty-text', REPAIRS.silent);
  return silent;
});

function answerOf(part: ToolResultPart, message: Message, wire: Fields | undefined, report: Report): Answer {
  const { callId, name, isError } = part;
  const { type, fields } = unwrap(wire ?? {});
  const frame = type === 'tool' ? wire : undefined;
  const content = writeResultContent(part, frame && fields.content, message, report);
  const isUnchanged = fields.content === content && fields.tool_call_id === callId;
  const fresh = { type: 'tool', tool_call_id: callId, ...(name !== undefined && { name }), content };
  const changed = frame && (isUnchanged ? frame : withChanges(frame, { content, tool_call_id: callId }));
  const sent = changed ?? { ...fresh, ...(isError && { status: 'error' }) };
  return { callId, message: repaired(sent, report), isFresh: !frame };
}

/** Undefined if a message has neither content nor calls. */
function writeMessage(
  shown: ViewMessage,
  wire: Fields | undefined,
  report: Report,
): { readonly message: Fields; readonly calls: readonly Call[] } | undefined {
  const { role, name, parts } = shown.message;
  const { type: wireType, fields } = unwrap(wire ?? {});
  const made = parts.filter(isToolCall);
  const calls = callsIn(shown.message, report, wire === undefined);
  const known = listOf(fields.tool_calls);
  const written = made.map((part, at) => writeCall(part, calls[at]!, itemAt(known, part.wire), report));
  const content = writeContent(shown, fields.content, createTwinUpdater(made, written, known), report);
  const thought = thinkingText(parts);
  const hasOtherContent =
    (wire && parts.some(({ wire: at }) => OUTSIDE_CONTENT.has(at) || at === 'refusal')) ||
    isFields(fieldsOf(fields.additional_kwargs).audio);
  if (content.length === 0 && calls.length === 0 && !thought && !hasOtherContent) return undefined;
  const type = wire && KNOWN.has(wireType) ? wireType : TYPE_OF[role];
  if (!wire || type !== wireType) {
    if (wire) report('unknown-role', `type ${wireType || 'missing'} is sent as the user's`);
    const message = {
      type,
      content,
      ...(name !== undefined && { name }),
      ...(written.length > 0 && { tool_calls: written }),
      ...(thought !== '' && { additional_kwargs: { reasoning_content: thought } }),
    };
    return { message, calls };
  }
  const more = fieldsOf(fields.additional_kwargs);
  const about = fieldsOf(fields.response_metadata);
  const sameContent = content === fields.content || (content === '' && isEmpty(fields.content));
  const sameCalls = written.length === known.length && written.every((call, at) => call === known[at]);
  const sameThought = thought === (typeof more.reasoning_content === 'string' ? more.reasoning_content : '');
  if (sameContent && sameCalls && sameThought) return { message: wire, calls };
  // If calls changed, the provider's own form of the calls is removed: some providers' adapters would send that form.
  const raw = sameCalls ? {} : { tool_calls: undefined, function_call: undefined };
  const kwargs = withFields(more, { ...raw, reasoning_content: thought === '' ? undefined : thought });
  const changes = {
    ...(!sameContent && { content }),
    ...(!sameCalls && { tool_calls: written }),
    ...((!sameCalls || !sameThought) && { additional_kwargs: kwargs }),
    // OpenAI's adapter would send the original answer in place of the edited message.
    ...(Array.isArray(about.output) && { response_metadata: withFields(about, { output: undefined }) }),
  };
  return { message: withChanges(wire, changes), calls };
}

const isEmpty = (content: unknown): boolean =>
  Array.isArray(content) ? content.length === 0 : (content ?? '') === '';

/** Thinking for `additional_kwargs`: DeepSeek's, and unsigned thinking. Signed thinking is not sent there. */
function thinkingText(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => {
      if (part.type !== 'reasoning') return [];
      const isBare = part.signature === undefined && typeof part.wire !== 'number';
      return part.wire === 'reasoning_content' || isBare ? [part.text] : [];
    })
    .join('\n');
}

/** Repairs halves of surrogate pairs, which providers refuse; `wellFormed` does not look into class instances. */
function repaired(message: Fields, report: Report): Fields {
  const { content, tool_calls: calls } = unwrap(message).fields;
  const whole = { content: wellFormed(content), tool_calls: wellFormed(calls) };
  if (whole.content === content && whole.tool_calls === calls) return message;
  report('lone-surrogate', REPAIRS.surrogates);
  return withChanges(message, calls === undefined ? { content: whole.content } : whole);
}

/** A call as it is sent: `own` itself if the call is the same. Arguments that are no object are put into one. */
function writeCall(
  { arguments: text }: ToolCallPart,
  { wireId: id, tool: name }: Call,
  own: Fields | undefined,
  report: Report,
): Fields {
  const isSame =
    own &&
    own.function === undefined &&
    (typeof own.args === 'string' ? own.args : jsonText(own.args ?? {})) === text;
  const args = argumentsObject(isSame ? own.args : argumentsIn(text), name, report);
  if (own && own.id === id && own.name === name && args === own.args) return own;
  return withFields(own ?? {}, { id, name, args, type: 'tool_call', function: undefined });
}

/**
 * Content as it is sent: unchanged blocks are the very objects they were. A string stays a string unless the words
 * include a file. Some providers repeat the message's calls in the content: `twin` updates these copies.
 */
function writeContent(
  shown: ViewMessage,
  original: unknown,
  twin: (block: Fields) => Fields,
  report: Report,
): Content {
  const blocks = listOf(original);
  const byBlock = new Map<number, unknown[]>();
  const fresh: unknown[] = [];
  for (const { source, shown: parts } of alignedParts(shown)) {
    // The refusal is next to the content in this format; a refusal from chat has no other place.
    if (source.wire === 'refusal' && ownWire(shown, FORMAT)) continue;
    const at = typeof source.wire === 'number' && !isToolCall(source) ? source.wire : -1;
    const written = parts.flatMap((part) => writeBlock(part, blocks[at], shown.message, report) ?? []);
    if (at in blocks) byBlock.set(at, written);
    else fresh.push(...written);
  }
  const kept = blocks.flatMap((block, at) => byBlock.get(at) ?? (isTwin(block) ? [twin(block)] : []));
  return asContent([...kept, ...fresh], blocks);
}

/** A result's content, for its own message or a user message. */
function writeResultContent(
  { content }: ToolResultPart,
  original: unknown,
  message: Message,
  report: Report,
): Content {
  const blocks = listOf(original);
  const written = content.map((part): unknown => {
    const from = typeof part.wire === 'number' ? blocks[part.wire] : undefined;
    return writeBlock(part, from, message, report) ?? { type: 'text', text: '' };
  });
  return asContent(written, blocks);
}

/** The list itself if every block is the same; one text if there was no list and all parts are words. */
function asContent(written: readonly unknown[], blocks: readonly unknown[]): Content {
  const texts = blocks.length === 0 ? written.map(textIn) : [undefined];
  if (texts.every((text) => text !== undefined)) return texts.join('\n');
  return originalIfSame(written, blocks) as Content;
}

function writeBlock(part: Part, from: unknown, message: Message, report: Report): unknown {
  switch (part.type) {
    case 'text':
      if (from === part.text || textIn(from) === part.text) return from;
      return part.text === '' ? undefined : { type: 'text', text: part.text };
    // Thinking is sent as it was or not at all: other words would carry the wrong signature.
    case 'reasoning':
      return 'wire' in part && isFields(from) ? from : undefined;
    case 'file':
      return isFields(from) ? from : writeFile(part, message, report);
    case 'opaque':
      if (from === undefined && !OUTSIDE_CONTENT.has(part.wire))
        report('foreign-part', REPAIRS.foreignPart(part.kind, part.bytes));
      return from;
    default:
      return from;
  }
}

/** A file as a block that every LangChain provider converts; its name in words if there is no such block. */
function writeFile(part: FilePart, message: Message, report: Report): Fields {
  const source = sourceOf(message, part);
  const url = source && urlOf(source);
  if (url === undefined) return { type: 'text', text: reportedFileNote(part, report) };
  const { mediaType } = source!;
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } };
  const metadata = part.name === undefined ? {} : { metadata: { filename: part.name } };
  return {
    type: 'file',
    mimeType: mediaType,
    ...(source!.kind === 'base64' ? { data: source!.data } : { url }),
    ...metadata,
  };
}

const write = resultsAfterCalls<LangChainDraft>({
  draft: draftOf,
  writeAnswers: (pairs) =>
    pairs.map(([{ message, callId, isFresh }, { wireId, tool }]) => {
      const named = isFresh ? { name: tool } : {};
      const changes = { ...(wireId !== callId && { tool_call_id: wireId }), ...named };
      return Object.keys(changes).length === 0 ? message : withChanges(message, changes);
    }),
  writeMissing: (calls) =>
    calls.map(({ wireId, tool }) => {
      return { type: 'tool', tool_call_id: wireId, name: tool, content: NO_RESULT, status: 'error' };
    }),
  writeUnmatched: (label, { message }) => {
    const content = unwrap(message).fields.content as Content;
    if (typeof content !== 'string')
      return { type: 'human', content: [{ type: 'text', text: label }, ...content] };
    return { type: 'human', content: content === '' ? label : `${label}\n${content}` };
  },
  turnBreak: { type: 'human', content: TURN_BREAK },
  emptyView: { type: 'human', content: EMPTY_TURN },
});

/** Messages made here get the shape of their neighbours: that of the first message that came from LangChain. */
export function serialise(view: readonly ViewMessage[], memory?: WireMemory): Serialised {
  const { messages, notices } = write(view, memory);
  const first = view.map((shown) => ownWire(shown, FORMAT)).find((wire) => wire !== undefined);
  const shape: Shape = first ? unwrap(first).shape : 'fields';
  if (shape !== 'lc' && shape !== 'stored') return { messages, notices };
  const shaped = messages.map((message) =>
    isFields(message) && unwrap(message).shape === 'fields' ? inShape(message, shape) : message,
  );
  return { messages: shaped, notices };
}
