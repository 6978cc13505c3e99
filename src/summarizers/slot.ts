import {
  textOf,
  type Edit,
  type IsPinned,
  type LogMessage,
  type PlannedEdit,
  type ReadonlyLog,
  type ViewMessage,
} from '../transcript/index.js';
import { isFault, Refused } from './call.js';
import { chunksOf, type Chunk, type ChunkRequest } from './chunks.js';
import { languageOf, USERS_LANGUAGE } from './language.js';
import { keepExisting, handleOf, markOf, existingSummary, withText } from './mark.js';
import { answerWithin, charsFor, chunkWithin, promptTokens, windowOf } from './room.js';
import {
  beginningOf,
  followUpOf,
  earlierSummary,
  inViewOf,
  newestOf,
  quotedQuestion,
  slotSource,
  todosOf,
  userMessages,
  type EarlierSummary,
  type SlotSource,
  type Wording,
} from './source.js';
import { write, type AskParts, type SlotRequest, type Text } from './write.js';

export interface SlotParts extends AskParts {
  /** The messages that stay in view after any compaction. */
  readonly isPinned: IsPinned;
  /** Removes secrets. */
  readonly redact: (text: string) => string;
  /** The longest tool result that a summarizer is shown, in characters. */
  readonly resultChars: number;
  /** The number of pieces of a source that is large enough. */
  readonly chunks: number;
  /** The treatment of an answer that is too long: it is cut, or requested again from a shorter source. */
  readonly oversized: 'cut' | 'retry';
  /** The most summaries between a text and its originals. */
  readonly generations: number;
  /** The message whose marker requested the text: its question ends the quoted source. */
  readonly queuedBy?: LogMessage | undefined;
  readonly log: ReadonlyLog;
  /** The current view, which contains earlier summaries. */
  readonly view: readonly ViewMessage[];
  /** Whether the agent has the recall tool. */
  readonly recall?: boolean | undefined;
}

/** The result lengths to try in turn if a source or its summary was too long. */
const RETRY_CHARS = [200, 150, 100, 50, 0];

/** The least growth worth a call: an endpoint's own limit may allow any slot no more than the existing text had. */
const MIN_GROWTH_FACTOR = 1.25;

/** Requests the text of one slot. Rejects if no text was received. */
export async function fillSlot(parts: SlotParts, edit: PlannedEdit, signal: AbortSignal): Promise<Edit> {
  const { count, log, recall } = parts;
  const source = slotSource(
    edit.slot!,
    edit.kind === 'replace' ? edit.partIndex : undefined,
    log,
    parts.isPinned,
  );
  if (!source) throw new Refused('names a span that is not in the log');
  const lengths = [parts.resultChars, ...RETRY_CHARS.filter((chars) => chars < parts.resultChars)];
  let best: (Text & { readonly generation: number }) | undefined;
  let shown: string | undefined;
  const existing = existingSummary(edit);
  for (const [i, resultChars] of lengths.entries()) {
    const isLast = i === lengths.length - 1;
    const request = requestOf(parts, edit, source, { resultChars, attempt: i + 1, signal });
    if (existing && request.maxTokens < MIN_GROWTH_FACTOR * (existing.room ?? 0)) return keepExisting(edit);
    const text = request.chunks.map((chunk) => chunk.text).join('\n');
    // The same request again would get the same answer.
    if (best && text === shown) continue;
    shown = text;
    try {
      best = { ...(await write(parts, request)), generation: request.generation };
      if (!best.isCut || parts.oversized === 'cut' || isLast) break;
    } catch (error) {
      if (best) break;
      if (!isFault(error, 'too-long') || isLast) throw error;
    }
  }
  if (!best) throw new Refused('could not be asked for');
  const text = parts.redact(best.text);
  // The replacement of one result is one line, even if a model writes several.
  const words = edit.kind === 'replace' ? onOneLine(text) : text;
  const filled = withText(edit, markOf(edit, source, best.model, recall), words, best.generation);
  // A shorter text says less than the text it was to replace.
  return existing && tokensOf(filled, count) <= tokensOf(edit, count) ? keepExisting(edit) : filled;
}

const onOneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

const tokensOf = (edit: Edit, count: (text: string) => number): number =>
  edit.kind === 'replace' ? 0 : count(edit.replacement.flatMap(({ parts }) => parts.map(textOf)).join('\n'));

interface Attempt {
  readonly resultChars: number;
  /** From 1; each further attempt halves the pieces. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

function requestOf(
  parts: SlotParts,
  edit: PlannedEdit,
  source: SlotSource,
  { resultChars, attempt, signal }: Attempt,
): SlotRequest & { readonly generation: number } {
  const { summarizer, count, prompts, redact, isPinned, log } = parts;
  const slot = edit.slot!;
  const isSpan = source.partIndex === undefined;
  const quoting = { log, question: prompts.question, redact, count, window: windowOf(parts) };
  const todos = isSpan ? todosOf(source.messages, redact) : undefined;
  const plan = { text: todos ?? '', tokens: count(todos ?? '') };
  const inView = isSpan ? inViewOf(source.messages[0]!.seq, isPinned, quoting) : [];
  // Minus the longest mark, and two tokens for its line break, so that a text requested in advance fits any request.
  const allowance = Math.floor(slot.maxTokens) - count(markOf(edit, source, summarizer.name, true)) - 2;
  const maxTokens = answerWithin(parts, allowance);
  const taken = promptTokens(parts, slot.prompt, isSpan) + count([...inView, ...parts.extraLines].join('\n'));
  const chunkTokens = chunkWithin(quoting.window, 2 * maxTokens + taken + plan.tokens, attempt);
  const chunking = { ...quoting, source, resultChars, chunks: parts.chunks, chunkTokens };
  const { chunks, base } = piecesOf(parts, edit, {
    ...chunking,
    exchangeOf: (seq) => log.exchangeOf(seq).index,
  });
  if (chunks.length === 0 && todos !== undefined)
    chunks.push({ text: '', tokens: 0, handle: handleOf(edit) });
  if (chunks.length === 0) throw new Refused('has nothing to be written from');
  if (isSpan) endWithQuestion(chunks, parts, source, quoting);
  const users = userMessages(source, log);
  const to = log.find(slot.toId)!.seq;
  const newest = isSpan ? newestOf(to, quoting) : [];
  return {
    stage: slot.prompt,
    handle: handleOf(edit),
    maxTokens,
    grows: slot.grows === true,
    maxChars: Math.floor((isSpan ? 1 : LINE_SHARE) * charsFor(maxTokens, [...chunks, plan], users, count)),
    language: languageOf(users) ?? USERS_LANGUAGE,
    // A line about one result is mostly quotation.
    checksLanguage: isSpan,
    previous: base?.text,
    generation: base ? base.generation + 1 : 0,
    inView,
    newest,
    followUp: newest.length > 0 ? followUpOf(to, log) : undefined,
    hadFollowUp: ({ count: said, hash }) => followUpOf(to, log, said).hash === hash,
    fromId: isSpan ? beginningOf(source, log, isPinned) : undefined,
    attempt,
    signal,
    chunks,
    todos,
    sourceTokens: source.tokens,
  };
}

/** The source in pieces: the messages since an earlier summary, which the new text continues, or all of it. */
function piecesOf(
  { log, view, generations }: SlotParts,
  { slot }: PlannedEdit,
  chunking: ChunkRequest,
): { readonly chunks: Chunk[]; readonly base?: EarlierSummary } {
  const isSpan = chunking.source.partIndex === undefined;
  const earlier = isSpan ? earlierSummary(slot!, log, view, generations) : undefined;
  if (earlier) {
    const messages = chunking.source.messages.filter(({ seq }) => seq > earlier.to);
    const chunks = chunksOf({ ...chunking, source: { ...chunking.source, messages } });
    if (chunks.length > 0) return { chunks, base: earlier };
  }
  return { chunks: chunksOf(chunking) };
}

/** The question that requested the text ends the last piece, unless the source itself contains it. */
function endWithQuestion(
  chunks: Chunk[],
  { queuedBy, count }: SlotParts,
  { messages }: SlotSource,
  wording: Wording,
): void {
  if (!queuedBy || messages.includes(queuedBy)) return;
  const last = chunks.pop()!;
  const question = quotedQuestion(queuedBy, wording);
  const text = last.text === '' ? question : `${last.text}\n${question}`;
  chunks.push({ ...last, text, tokens: last.tokens + count(question) });
}

/** A line about one result has more names than its source: half of the lines with the full allowance were too long. */
const LINE_SHARE = 0.85;
