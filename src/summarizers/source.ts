import { isNoNote, PlanBook, speechesOf, type Speech } from '../text/reading/index.js';
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
import { artifactKey, type Behind } from './artifacts.js';
import { callsByResult, escaped, middleCut, quoteMessage, type Detail, type QuoteRules } from './quote.js';

/** What a slot's text is to be written from. */
export interface SlotSource {
  /** In order; for a slot of one part, the message that holds it. */
  readonly messages: readonly LogMessage[];
  /** Set where the slot is for one part. */
  readonly partIndex?: number;
  /** The call whose result that part is. */
  readonly call?: ToolCallPart;
  /** Ids of pinned messages of the user that were said among them: they stand behind the text. */
  readonly kept?: readonly string[];
  /** Counted tokens of all that the text is to stand for. */
  readonly tokens: number;
}

/** The originals of a slot, less the pins, which stand in the view anyway. Never an earlier summary: nothing drifts. */
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
    // Results follow their call at once: the nearest earlier one with the id is it.
    const before = log.exchangeOf(from).seqs.map((seq) => log.at(seq));
    const call = part && isToolResult(part) ? callsByResult(before).get(part) : undefined;
    const tokens = message.size.parts[partIndex]?.tokens ?? 0;
    return { messages: [message], partIndex, tokens, ...(call && { call }) };
  }
  const span = log.between(from, to);
  const messages = span.filter((message) => !isPinned(message));
  const kept = span.filter((message) => message.role === 'user' && isPinned(message)).map(({ id }) => id);
  const tokens = messages.reduce((sum, { size }) => sum + size.tokens, 0);
  return { messages, tokens, ...(kept.length > 0 && { kept }) };
}

const placesOf = (slot: Slot, log: ReadonlyLog): [from: number | undefined, to: number | undefined] => [
  log.find(slot.fromId)?.seq,
  log.find(slot.toId)?.seq,
];

/** Plans are short; of a longer one head and tail are shown. In characters. */
const LONGEST_PLAN = 6_000;

/** How the agent's plan stood at the end of a source, a step a line; undefined where there was none, or nothing of it is left. */
export function todosOf(
  messages: readonly LogMessage[],
  redact: (text: string) => string,
): string | undefined {
  const book = new PlanBook();
  for (const message of messages) {
    for (const part of message.parts) {
      if (isToolCall(part)) book.call(part, message);
      else if (isToolResult(part)) book.answer(part);
    }
  }
  const { steps = [] } = book.in(0, Infinity, true) ?? {};
  if (steps.length === 0) return undefined;
  const lines = steps.map(({ text, state }) => `- ${text} (${state})`);
  return escaped(middleCut(redact(lines.join('\n')), LONGEST_PLAN));
}

/** A summary that a model wrote, which another one may go on from. */
export interface EarlierSummary {
  readonly text: string;
  /** Last log position that it stands for. */
  readonly to: number;
  /** How many summaries lie between it and the originals. */
  readonly generation: number;
}

/**
 * The bought summary that stands at the beginning of a span, where one more generation is allowed; undefined where the
 * span is to be read from its originals.
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
  // Its first line says what it is; the new one has a line of its own.
  const text = words.slice(words.indexOf('\n') + 1);
  return { text, to: found.to, generation: found.message.generation! };
}

/** A task is named in fewer characters; what is longer is shown by head and tail. */
const SHOWN: Detail = { proseChars: 1_500, writtenChars: 600, resultChars: 300 };

/** What an answer and a command come to is told in fewer. */
const GLANCED: Detail = { proseChars: 1_000, writtenChars: 400, resultChars: 300 };

/** Of the summarizer's window, what stays in view takes at most this. */
const WINDOW_SHARE = 0.03;

/** Of the newest messages, in tokens: a few steps back it is said what was committed, mended or taken back. */
const MOST_NEWEST = 2_000;
const LEAST_NEWEST = 200;
const MOST_MESSAGES = 60;

interface BesideRequest {
  readonly log: ReadonlyLog;
  readonly question: string;
  readonly redact: (text: string) => string;
  readonly count: (text: string) => number;
  /** Of the summarizer, in tokens. */
  readonly window: number;
}

export type Wording = Pick<BesideRequest, 'question' | 'redact'>;

const plainRules = ({ question, redact }: Wording): QuoteRules => ({
  question,
  redact,
  speechesOf: (message) => speechesOf(message),
  callOf: () => undefined,
  isRepeated: () => false,
});

/** The message whose marker asked for a record, with the question that stands there. */
export const quotedQuestion = (marker: LogMessage, wording: Wording): string =>
  quoteMessage(marker, SHOWN, plainRules(wording));

/**
 * Messages that the reader of the record sees beside it, quoted: the first user message, where it is pinned, and that
 * of the user which the span begins behind, for it says what the span is about.
 */
export function inViewOf(from: number, isPinned: IsPinned, request: BesideRequest): string[] {
  const { log, count, window } = request;
  const first = log.firstUser;
  const before = from > log.exchanges[0]!.seqs[0]! ? log.at(from - 1) : undefined;
  const asked = before?.role === 'user' && before !== first ? before : undefined;
  return [...(first && isPinned(first) ? [first] : []), ...(asked ? [asked] : [])]
    .map((message) => quoteMessage(message, SHOWN, plainRules(request)))
    .filter((text) => text !== '' && count(text) <= WINDOW_SHARE * window);
}

/** What they may take. It does not hang on what they say: the pieces of a span stay what they were when it was bought ahead. */
export function newestRoom(window: number): number {
  const room = Math.floor(Math.min(MOST_NEWEST, WINDOW_SHARE * window));
  return room < LEAST_NEWEST ? 0 : room;
}

/**
 * The newest messages that come after a span, quoted in short, as many as a small part of the window holds. Notes of programs
 * are left out: clients take them back with the next call, and the text would have to be bought again.
 */
export function newestOf(to: number, request: BesideRequest): string[] {
  const { log, count, window } = request;
  const messages = log.between(Math.max(to + 1, log.length - MOST_MESSAGES)).filter(isNoNote);
  const calls = callsByResult(messages);
  const rules: QuoteRules = {
    ...plainRules(request),
    callOf: (result) => calls.get(result),
    speechesOf: speechesWithoutNotes,
  };
  const shown: string[] = [];
  let room = newestRoom(window);
  for (const message of messages.toReversed()) {
    const text = quoteMessage(message, GLANCED, rules);
    if (text === '') continue;
    room -= count(text);
    if (room < 0) break;
    shown.unshift(text);
  }
  return shown;
}

const speechesWithoutNotes = (message: LogMessage): readonly Speech[] =>
  speechesOf(message).filter(({ speaker }) => speaker !== 'program');

/** How a log goes on behind a span, notes aside: so many messages of it, all where no number is given. */
export function behindOf(to: number, log: ReadonlyLog, count = Infinity): Behind {
  const messages = log
    .between(to + 1)
    .filter(isNoNote)
    .slice(0, count);
  const said = messages.flatMap((message) => [
    message.role,
    ...speechesWithoutNotes(message).map(({ text }) => text),
    ...message.parts.filter(isToolCall).map((call) => call.arguments),
  ]);
  return { count: messages.length, hash: artifactKey(said) };
}

/** The first message of a span, where anything but what is pinned stands before it. */
export function beginningOf(
  { messages }: SlotSource,
  log: ReadonlyLog,
  isPinned: IsPinned,
): string | undefined {
  const { seq, id } = messages[0]!;
  const held = log.exchanges[0]!.seqs[0]!;
  for (let before = held; before < seq; before++) if (!isPinned(log.at(before))) return id;
  return held > 0 ? id : undefined;
}

/** What stands in the user's role: first, in the source, and last. */
export function userMessages(
  { messages }: SlotSource,
  { firstUser, unansweredUser }: ReadonlyLog,
): LogMessage[] {
  const all = new Set([firstUser, ...messages, unansweredUser]);
  return [...all].filter((message): message is LogMessage => message?.role === 'user');
}
