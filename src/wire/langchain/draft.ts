import type { Notice } from '../../spi/index.js';
import type { Part, ToolResultPart, ViewMessage } from '../../transcript/index.js';
import { isFields, listOf, type Fields } from '../record.js';
import { distinctIds } from '../conversation/distinct-ids.js';
import { drafted } from '../conversation/drafts.js';
import type { DraftedAnswer } from '../conversation/pairing.js';
import { reporter, SAID, type Report } from '../conversation/repairs.js';
import type { Call, Draft } from '../conversation/results-behind-calls.js';
import { wellFormed } from '../conversation/well-formed.js';
import { writeCall, writeContent, writeResultContent } from './out.js';
import { FORMAT, LEGACY_CALL, see, withFields, type Seen } from './wire.js';

/** A result as the message that it is, and its words for where no call waits for it. */
export interface LangChainAnswer extends DraftedAnswer {
  readonly message: Fields;
  readonly content: string | readonly unknown[];
  /** Written here, not by LangChain. */
  readonly isFresh: boolean;
}

const TYPE_OF = { system: 'system', user: 'human', assistant: 'ai', tool: 'human' } as const;

/** One view message, legal by itself; the same object where nothing was edited and nothing is wrong. */
export interface LangChainDraft extends Draft<Call, LangChainAnswer> {
  readonly message?: Fields;
  /** The message that holds exactly these answers, as it came in. */
  readonly whole?: Fields;
}

export const draftOf = drafted((shown: ViewMessage): LangChainDraft => {
  const { message } = shown;
  const notices: Notice[] = [];
  const report = reporter(message.id, notices);
  const own = message.wireFormat === FORMAT && !shown.made;
  const original = own ? (shown.source ?? message).wire : undefined;
  const wire = isFields(original) ? original : undefined;
  const seen = wire && see(wire);
  const results = message.parts.filter((part) => part.type === 'tool-result');
  const answers = results.map((part) => answer(part, shown, wire, seen, report));
  const about = { id: message.id, role: message.role, answers, notices };
  if (results.length > 0 && results.length === message.parts.length) {
    const whole = answers.length === 1 && answers[0]!.message === wire ? { whole: wire } : {};
    return { ...about, speaks: false, calls: [], ...whole };
  }
  const said = say(shown, wire, seen, report);
  if (said) return { ...about, speaks: true, calls: said.calls, message: mended(said.message, report) };
  if (wire && results.length === 0) report('empty-text', SAID.silent);
  return { ...about, speaks: false, calls: [] };
});

function answer(
  part: ToolResultPart,
  { message }: ViewMessage,
  wire: Fields | undefined,
  seen: Seen | undefined,
  report: Report,
): LangChainAnswer {
  const frame = seen?.type === 'tool' ? wire : undefined;
  const content = writeResultContent(part.content, frame ? seen!.fields.content : undefined, message);
  const { callId, name, isError } = part;
  const fresh = {
    type: 'tool',
    tool_call_id: callId,
    ...(name !== undefined && { name }),
    content,
    ...(isError && { status: 'error' }),
  };
  const asItWas = frame && seen!.fields.content === content && seen!.fields.tool_call_id === callId;
  const sent = asItWas ? frame : frame ? withFields(frame, { content, tool_call_id: callId }) : fresh;
  return { callId, message: mended(sent, report), content: wellFormed(content), isFresh: !frame };
}

/** Undefined where a message says nothing and calls nothing. */
function say(
  shown: ViewMessage,
  wire: Fields | undefined,
  seen: Seen | undefined,
  report: Report,
): { readonly message: Fields; readonly calls: readonly Call[] } | undefined {
  const { message } = shown;
  const parts = message.parts.filter((part) => part.type === 'tool-call');
  const ids = distinctIds(parts, report);
  const fields = seen?.fields ?? {};
  const known = listOf(fields.tool_calls);
  const written = parts.map((part, at) => {
    const from = typeof part.wire === 'number' ? known[part.wire] : undefined;
    return writeCall({ ...part, callId: ids[at] ?? part.callId }, from, report);
  });
  const calls = parts.map(({ callId, name }, at) => ({ callId, wireId: ids[at] ?? callId, tool: name }));
  const byId = new Map(written.map((call, at) => [parts[at]!.callId, call]));
  const withoutResults: ViewMessage =
    wire || message.parts.every(({ type }) => type !== 'tool-result') ? shown : saidBy(shown);
  const content = writeContent(withoutResults, fields.content, byId, report);
  if (parts.some(({ wire: from }) => from === LEGACY_CALL))
    report('legacy-call', 'a function_call is sent as a tool call with an id');
  const thought = thinking(message.parts, fields);
  const invalid = message.parts.some((part) => part.type === 'opaque' && part.wire === 'invalid');
  if (content.length === 0 && calls.length === 0 && !thought && !invalid) return undefined;
  const type = wire && KNOWN.has(seen!.type) ? seen!.type : TYPE_OF[message.role];
  if (!wire || type !== seen!.type) {
    if (wire) report('unknown-role', `type ${seen!.type || 'missing'} is sent as the user's`);
    return {
      message: { type, content, ...named(message.name), ...callFields(written), ...kwargs(thought) },
      calls,
    };
  }
  const sameContent = content === fields.content || (content === '' && (fields.content ?? '') === '');
  const rawOnly = known.length === 0 && written.length > 0;
  const sameCalls =
    !rawOnly && written.length === known.length && written.every((call, at) => call === known[at]);
  const sameThought = thought === thoughtIn(fields);
  if (sameContent && sameCalls && sameThought) return { message: wire, calls };
  const changes = {
    ...(!sameContent && { content }),
    ...(!sameCalls && { tool_calls: written }),
    ...((!sameCalls || !sameThought) && { additional_kwargs: kwargsWithout(fields, thought, !sameCalls) }),
  };
  return { message: withFields(wire, changes), calls };
}

const KNOWN: ReadonlySet<string> = new Set(['human', 'ai', 'system']);

/** A message that nobody of LangChain wrote, without its results: those stand behind it. */
function saidBy(shown: ViewMessage): ViewMessage {
  const parts = shown.message.parts.filter((part) => part.type !== 'tool-result');
  const { source: _, replaced: __, ...rest } = shown;
  return { ...rest, message: { ...shown.message, parts } };
}

const named = (name: string | undefined): Fields => (name === undefined ? {} : { name });
const callFields = (calls: readonly Fields[]): Fields => (calls.length > 0 ? { tool_calls: calls } : {});
const kwargs = (thought: string): Fields =>
  thought === '' ? {} : { additional_kwargs: { reasoning_content: thought } };

/** Thinking that travels in `additional_kwargs`: DeepSeek's, and what carries no proof. Signed thinking does not travel. */
function thinking(parts: readonly Part[], fields: Fields): string {
  const kept = parts.filter(
    (part) =>
      part.type === 'reasoning' &&
      (part.wire === 'reasoning_content' || (part.signature === undefined && typeof part.wire !== 'number')),
  );
  const text = kept.map((part) => (part.type === 'reasoning' ? part.text : '')).join('\n');
  return text === '' && thoughtIn(fields) === '' ? '' : text;
}

function thoughtIn({ additional_kwargs: more }: Fields): string {
  return isFields(more) && typeof more.reasoning_content === 'string' ? more.reasoning_content : '';
}

/** The provider's own writing of the calls goes where they changed: some providers' adapters would send that one. */
function kwargsWithout({ additional_kwargs: more }: Fields, thought: string, calls: boolean): Fields {
  const {
    tool_calls: raw,
    function_call: legacy,
    reasoning_content: _,
    ...rest
  } = isFields(more) ? more : {};
  return {
    ...rest,
    ...(thought !== '' && { reasoning_content: thought }),
    ...(!calls && raw !== undefined && { tool_calls: raw }),
    ...(!calls && legacy !== undefined && { function_call: legacy }),
  };
}

/** Halves of characters are no text in JSON that providers take. */
function mended(message: Fields, report: Report): Fields {
  const { fields } = see(message);
  const { content, tool_calls: calls } = fields;
  const whole = { content: wellFormed(content), tool_calls: wellFormed(calls) };
  if (whole.content === content && whole.tool_calls === calls) return message;
  report('lone-surrogate', SAID.surrogates);
  return withFields(message, calls === undefined ? { content: whole.content } : whole);
}
