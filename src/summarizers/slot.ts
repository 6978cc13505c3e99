import {
  textOf,
  type Edit,
  type IsPinned,
  type LogMessage,
  type PlannedEdit,
  type ReadonlyLog,
  type ViewMessage,
} from '../transcript/index.js';
import { userWordsIn } from '../reading/index.js';
import { DEFAULT_WINDOW } from '../tokens/index.js';
import type { AskParts, Text } from './ask.js';
import { chunksOf, type Chunk } from './chunks.js';
import { earlierSummary } from './earlier.js';
import { isFault, Refused } from './fault.js';
import { inViewOf } from './in-view.js';
import { languageOf, USERS_LANGUAGE } from './language.js';
import { asItStands, handleOf, markOf, standsAlready, withText } from './mark.js';
import { roomOf } from './room.js';
import type { SlotSource } from './source.js';
import { todosOf } from './todos.js';
import { writeInParallel, writeInSequence } from './write.js';

export interface SlotParts extends AskParts {
  /** Which messages stay in view whatever is compacted. */
  readonly isPinned: IsPinned;
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
  /** Longest tool result that a summarizer is shown, in characters. */
  readonly resultChars: number;
  /** Into how many pieces a source is split, where it is large enough. */
  readonly chunks: number;
  readonly mode: 'sequential' | 'parallel';
  /** What becomes of an answer that is longer than it may be: cut, or asked for again from a shorter source. */
  readonly oversized: 'cut' | 'retry';
  /** How many summaries may lie between a text and its originals. */
  readonly generations: number;
  /** What is sent now: where earlier summaries stand. */
  readonly view: readonly ViewMessage[];
}

/** What is tried one after the other where a source was too long after all, or its summary: shorter tool results. */
const RETRY_CHARS = [200, 150, 100, 50, 0];

/** Buys the text of one slot. Rejects where none could be had. */
export async function fillSlot(
  parts: SlotParts,
  edit: PlannedEdit,
  source: SlotSource,
  log: ReadonlyLog,
  signal: AbortSignal,
): Promise<Edit> {
  const lengths = [parts.resultChars, ...RETRY_CHARS.filter((chars) => chars < parts.resultChars)];
  let best: (Text & { readonly generation: number }) | undefined;
  let shown: string | undefined;
  const standing = standsAlready(edit);
  for (const [i, resultChars] of lengths.entries()) {
    const isLast = i === lengths.length - 1;
    const attempt = attemptOf(parts, edit, source, log, { resultChars, attempt: i + 1 });
    if (standing && attempt.maxTokens < WORTH_A_CALL * (standing.room ?? 0)) return asItStands(edit);
    const text = joined(attempt.chunks);
    // The same words again would be answered as they were.
    if (best && text === shown) continue;
    shown = text;
    try {
      const write = parts.mode === 'parallel' ? writeInParallel : writeInSequence;
      best = { ...(await write(parts, { ...attempt, signal })), generation: attempt.generation };
      if (!best.isCut || parts.oversized === 'cut' || isLast) break;
    } catch (error) {
      if (best) break;
      if (!isFault(error, 'too-long') || isLast) throw error;
    }
  }
  if (!best) throw new Refused('could not be asked for');
  const text = parts.redact(best.text);
  const shownText = edit.kind === 'replace' ? onOneLine(text) : text;
  const filled = withText(edit, markOf(edit, source, best.model), shownText, best.generation);
  // A shorter one says less than what it was to take the place of.
  return standing && tokensOf(filled, parts.count) <= tokensOf(edit, parts.count) ? asItStands(edit) : filled;
}

/** An endpoint's own limit on answers may leave a slot of any size no more than the text that stands was given. */
const WORTH_A_CALL = 1.25;

const tokensOf = (edit: Edit, count: (text: string) => number): number =>
  edit.kind === 'replace' ? 0 : count(edit.replacement.flatMap(({ parts }) => parts.map(textOf)).join('\n'));

/** What stands for one result is a line, whatever a model makes of that. */
const onOneLine = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

interface Attempt {
  readonly resultChars: number;
  /** From 1. */
  readonly attempt: number;
}

function attemptOf(
  parts: SlotParts,
  edit: PlannedEdit,
  source: SlotSource,
  log: ReadonlyLog,
  { resultChars, attempt }: Attempt,
) {
  const { summarizer, count, prompts, extraLines, redact, isPinned } = parts;
  const slot = edit.slot!;
  const isSpan = source.partIndex === undefined;
  const todos = isSpan ? todosOf(source.messages, redact) : undefined;
  const { window = DEFAULT_WINDOW, outputLimit } = summarizer;
  const inView = isSpan
    ? inViewOf({
        log,
        from: source.messages[0]!.seq,
        isPinned,
        question: prompts.question,
        redact,
        count,
        window,
      })
    : [];
  const prompt = longest(
    isSpan ? [slot.prompt, 'merge', 'join'] : [slot.prompt],
    (name) => count(prompts.of(name).system) + count(prompts.of(name).instruction),
  );
  const { maxTokens, chunkTokens } = roomOf({
    window,
    outputLimit,
    // Two tokens for the mark's line break.
    allowance: Math.floor(slot.maxTokens) - count(markOf(edit, source, summarizer.name)) - 2,
    beside: prompt + count([...inView, ...extraLines].join('\n')) + count(todos ?? ''),
    attempt,
  });
  if (maxTokens <= 0) throw new Refused('would not fit behind its mark');
  const earlier = isSpan ? earlierSummary(slot, log, parts.view, parts.generations) : undefined;
  const chunking = {
    exchangeOf: (seq: number) => log.exchangeOf(seq).index,
    resultChars,
    question: prompts.question,
    chunks: parts.chunks,
    chunkTokens,
    count,
    redact,
  };
  const later = earlier && source.messages.filter(({ seq }) => seq > earlier.to);
  const fresh = later ? chunksOf({ ...chunking, source: { ...source, messages: later } }) : [];
  const base = fresh.length > 0 ? earlier : undefined;
  const chunks = base ? fresh : chunksOf({ ...chunking, source });
  if (chunks.length === 0 && todos !== undefined) chunks.push({ text: '', handle: handleOf(edit) });
  if (chunks.length === 0) throw new Refused('has nothing to be written from');
  const users = userMessages(source, log);
  return {
    stage: slot.prompt,
    handle: handleOf(edit),
    maxTokens,
    grows: slot.grows === true,
    maxChars: charsFor(maxTokens, [joined(chunks), wordsOf(users)], count),
    chunkTokens,
    language: languageOf(users) ?? USERS_LANGUAGE,
    // A line about one result is mostly quoted.
    checksLanguage: isSpan,
    previous: base?.text,
    generation: base ? base.generation + 1 : 0,
    inView,
    begins: isSpan ? beginningOf(source, log, isPinned) : undefined,
    attempt,
    chunks,
    todos,
    sourceTokens: source.tokens,
  };
}

const joined = (chunks: readonly Chunk[]): string => chunks.map(({ text }) => text).join('\n');

/** The first message of a span, where anything but what is pinned stands before it. */
function beginningOf({ messages }: SlotSource, log: ReadonlyLog, isPinned: IsPinned): string | undefined {
  const { seq, id } = messages[0]!;
  const held = log.exchanges[0]!.seqs[0]!;
  for (let before = held; before < seq; before++) if (!isPinned(log.at(before))) return id;
  return held > 0 ? id : undefined;
}

/** What stands in the user's role: first, in the source, and last. */
function userMessages({ messages }: SlotSource, { firstUser, unansweredUser }: ReadonlyLog): LogMessage[] {
  const all = new Set([firstUser, ...messages, unansweredUser]);
  return [...all].filter((message): message is LogMessage => message?.role === 'user');
}

/** A record holds more names and numbers than what it is written from. */
const RECORD_DENSITY = 0.9;

/** Of each text, so much shows how dense it is; of less nothing is known. In characters. */
const SAMPLE_CHARS = 8_000;
const LEAST_SAMPLE = 100;

/**
 * Characters that so many tokens hold, as the source's do, or the user's words where those are denser. Models count
 * characters better than tokens that are not theirs.
 */
function charsFor(maxTokens: number, texts: readonly string[], count: (text: string) => number): number {
  const densities = texts
    .map((text) => text.slice(0, SAMPLE_CHARS))
    .filter((sample, i) => i === 0 || sample.length >= LEAST_SAMPLE)
    .map((sample) => sample.length / Math.max(1, count(sample)));
  const chars = RECORD_DENSITY * maxTokens * Math.min(...densities);
  return chars < LEAST_SAMPLE ? Math.ceil(chars) : Math.floor(chars / 10) * 10;
}

function wordsOf(messages: readonly LogMessage[]): string {
  return messages.map((message) => userWordsIn(message)).join('\n');
}

function longest(names: readonly string[], tokensOf: (name: string) => number): number {
  return Math.max(...names.map(tokensOf));
}
