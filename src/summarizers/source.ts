import { isTalk, PlanBook, speechesOf, type Speech } from '../text/reading/index.js';
import {
  isToolCall,
  isToolResult,
  textOf,
  type IsPinned,
  type LogMessage,
  type ReadonlyLog,
  type Slot,
  type ToolCallPart,
  type ViewMessage,
} from '../transcript/index.js';
import { artifactKey, type FollowUp } from './artifacts.js';
import { callsByResult, escaped, middleCut, quoteMessage, type Detail, type QuoteRules } from './quote.js';

/** The source of a slot's text. */
export interface SlotSource {
  /** In order; for a slot of one part, the message with the part. */
  readonly messages: readonly LogMessage[];
  /** Set if the slot is for one part. */
  readonly partIndex?: number;
  /** The call whose result the part is. */
  readonly call?: ToolCallPart;
  /** Ids of the pinned user messages among these messages: in the view they follow the text. */
  readonly keptIds?: readonly string[];
  /** Counted tokens of everything that the text replaces. */
  readonly tokens: number;
}

/** A slot's originals without pins, which stay in view. Never an earlier summary, so that texts do not drift. */
export function slotSource(
  slot: Slot,
  partIndex: number | undefined,
  log: ReadonlyLog,
  isPinned: IsPinned,
): SlotSource | undefined {
  const [from, to] = placesOf(slot, log);
  if (from === undefined || to === undefined || from > to) return undefined;
  if (partIndex !== undefined) {
    const message = log.at(from);
    const part = message.parts[partIndex];
    // Results directly follow their call: the nearest earlier call with the id is the one.
    const before = log.exchangeOf(from).seqs.map((seq) => log.at(seq));
    const call = part && isToolResult(part) ? callsByResult(before).get(part) : undefined;
    const tokens = message.size.parts[partIndex]?.tokens ?? 0;
    return { messages: [message], partIndex, tokens, ...(call && { call }) };
  }
  const span = log.between(from, to);
  const messages = span.filter((message) => !isPinned(message));
  const keptIds = span.filter((message) => message.role === 'user' && isPinned(message)).map(({ id }) => id);
  const tokens = messages.reduce((sum, { size }) => sum + size.tokens, 0);
  return { messages, tokens, ...(keptIds.length > 0 && { keptIds }) };
}

const placesOf = (slot: Slot, log: ReadonlyLog): [from: number | undefined, to: number | undefined] => [
  log.find(slot.fromId)?.seq,
  log.find(slot.toId)?.seq,
];

/** Plans are short; a longer plan is shown by head and tail. In characters. */
const MAX_PLAN_CHARS = 6_000;

/** The agent's plan at the end of a source, one step per line; undefined if there was no plan, or no step is left. */
export function todosOf(
  messages: readonly LogMessage[],
  redact: (text: string) => string,
): string | undefined {
  const book = new PlanBook();
  for (const message of messages) {
    for (const part of message.parts) {
      if (isToolCall(part)) book.addCall(part, message);
      else if (isToolResult(part)) book.addAnswer(part);
    }
  }
  const { steps = [] } = book.planWithin(0, Infinity, true) ?? {};
  if (steps.length === 0) return undefined;
  const lines = steps.map(({ text, state }) => `- ${text} (${state})`);
  return escaped(middleCut(redact(lines.join('\n')), MAX_PLAN_CHARS));
}

/** A model's summary, which another one may continue. */
export interface EarlierSummary {
  readonly text: string;
  /** The last log position that it covers. */
  readonly to: number;
  /** The number of summaries between it and the originals. */
  readonly generation: number;
}

/**
 * The model's summary at the beginning of a span, if one more generation is allowed; undefined if the span must be read
 * from its originals.
 */
export function earlierSummary(
  slot: Slot,
  log: ReadonlyLog,
  view: readonly ViewMessage[],
  generations: number,
): EarlierSummary | undefined {
  const [from, to] = placesOf(slot, log);
  if (generations === 0 || from === undefined || to === undefined) return undefined;
  const found = view.find(
    (shown) =>
      shown.from === from && shown.to < to && (shown.message.generation ?? generations) < generations,
  );
  if (!found) return undefined;
  const words = found.message.parts.map(textOf).join('\n');
  // The first line is the mark of this summary; the new text gets its own.
  const text = words.slice(words.indexOf('\n') + 1);
  return { text, to: found.to, generation: found.message.generation! };
}

/** A task fits into fewer characters; longer text is shown by head and tail. */
const CONTEXT_DETAIL: Detail = { proseChars: 1_500, writtenChars: 600, resultChars: 300 };

/** The outcome of an answer or a command fits into fewer characters. */
const NEWEST_DETAIL: Detail = { proseChars: 1_000, writtenChars: 400, resultChars: 300 };

/** The largest share of the summarizer's window for one message in view, and for the newest messages. */
const WINDOW_SHARE = 0.03;

/** Limits for the newest messages, in tokens and messages: recent steps tell what was committed, fixed or reverted. */
const MAX_NEWEST = 2_000;
const MIN_NEWEST = 200;
const MAX_MESSAGES = 60;

interface QuotingRequest {
  readonly log: ReadonlyLog;
  readonly question: string;
  readonly redact: (text: string) => string;
  readonly count: (text: string) => number;
  /** The summarizer's window, in tokens. */
  readonly window: number;
}

export type Wording = Pick<QuotingRequest, 'question' | 'redact'>;

const plainRules = ({ question, redact }: Wording): QuoteRules => ({
  question,
  redact,
  speechesOf: (message) => speechesOf(message),
  callOf: () => undefined,
  isRepeated: () => false,
});

/** The message whose marker requested a record, quoted, with the question in place of the marker. */
export const quotedQuestion = (marker: LogMessage, wording: Wording): string =>
  quoteMessage(marker, CONTEXT_DETAIL, plainRules(wording));

/**
 * Messages that the reader of the record sees in addition to it, quoted: the first user message, if it is pinned, and
 * the user message directly before the span, because it tells what the span is about.
 */
export function inViewOf(from: number, isPinned: IsPinned, request: QuotingRequest): string[] {
  const { log, count, window } = request;
  const first = log.firstUser;
  const before = from > log.exchanges[0]!.seqs[0]! ? log.at(from - 1) : undefined;
  const asked = before?.role === 'user' && before !== first ? before : undefined;
  return [...(first && isPinned(first) ? [first] : []), ...(asked ? [asked] : [])]
    .map((message) => quoteMessage(message, CONTEXT_DETAIL, plainRules(request)))
    .filter((text) => text !== '' && count(text) <= WINDOW_SHARE * window);
}

/** The room for the newest messages, for any content, so that pieces equal those of a text requested in advance. */
export function newestRoom(window: number): number {
  const room = Math.floor(Math.min(MAX_NEWEST, WINDOW_SHARE * window));
  return room < MIN_NEWEST ? 0 : room;
}

/**
 * The newest messages after a span, quoted in short, as many as fit into a small part of the window. Program notes are
 * left out: clients remove them with the next call, and the text would have to be requested again.
 */
export function newestOf(to: number, request: QuotingRequest): string[] {
  const { log, count, window } = request;
  const messages = log.between(Math.max(to + 1, log.length - MAX_MESSAGES)).filter(isTalk);
  const calls = callsByResult(messages);
  const rules: QuoteRules = {
    ...plainRules(request),
    callOf: (result) => calls.get(result),
    speechesOf: speechesWithoutNotes,
  };
  const shown: string[] = [];
  let room = newestRoom(window);
  for (const message of messages.toReversed()) {
    const text = quoteMessage(message, NEWEST_DETAIL, rules);
    if (text === '') continue;
    room -= count(text);
    if (room < 0) break;
    shown.unshift(text);
  }
  return shown;
}

const speechesWithoutNotes = (message: LogMessage): readonly Speech[] =>
  speechesOf(message).filter(({ speaker }) => speaker !== 'program');

/** How a log continues after a span, without program notes: `count` messages, or all by default. */
export function followUpOf(to: number, log: ReadonlyLog, count = Infinity): FollowUp {
  const messages = log
    .between(to + 1)
    .filter(isTalk)
    .slice(0, count);
  const said = messages.flatMap((message) => [
    message.role,
    ...speechesWithoutNotes(message).map(({ text }) => text),
    ...message.parts.filter(isToolCall).map((call) => call.arguments),
  ]);
  return { count: messages.length, hash: artifactKey(said) };
}

/** The id of the first message of a span, if any message that is not pinned precedes it. */
export function beginningOf(
  { messages }: SlotSource,
  log: ReadonlyLog,
  isPinned: IsPinned,
): string | undefined {
  const { seq, id } = messages[0]!;
  const logStart = log.exchanges[0]!.seqs[0]!;
  for (let before = logStart; before < seq; before++) if (!isPinned(log.at(before))) return id;
  return logStart > 0 ? id : undefined;
}

/** The messages in the user's role: the log's first, those of the source, and the unanswered last. */
export function userMessages(
  { messages }: SlotSource,
  { firstUser, unansweredUser }: ReadonlyLog,
): LogMessage[] {
  const all = new Set([firstUser, ...messages, unansweredUser]);
  return [...all].filter((message): message is LogMessage => message?.role === 'user');
}
