import type { Edit, PlannedEdit, ReadonlyLog } from '../transcript/index.js';
import type { AskParts, Text } from './ask.js';
import { chunksOf } from './chunks.js';
import { isFault, Refused } from './fault.js';
import { handleOf, markOf, withText } from './mark.js';
import { roomOf } from './room.js';
import type { SlotSource } from './source.js';
import { todosOf } from './todos.js';
import { writeInParallel, writeInSequence } from './write.js';

export interface SlotParts extends AskParts {
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
  /** Longest tool result that a summarizer is shown, in characters. */
  readonly resultChars: number;
  /** Into how many pieces a source is split, where it is large enough. */
  readonly chunks: number;
  readonly mode: 'sequential' | 'parallel';
  /** What becomes of an answer that is longer than it may be: cut, or asked for again from a shorter source. */
  readonly oversized: 'cut' | 'retry';
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
  let best: Text | undefined;
  let shown: string | undefined;
  for (const [i, resultChars] of lengths.entries()) {
    const isLast = i === lengths.length - 1;
    const attempt = attemptOf(parts, edit, source, log, { resultChars, attempt: i + 1 });
    const text = attempt.chunks.join('\n');
    // The same words again would be answered as they were.
    if (best && text === shown) continue;
    shown = text;
    try {
      const write = parts.mode === 'parallel' ? writeInParallel : writeInSequence;
      best = await write(parts, { ...attempt, signal });
      if (!best.isCut || parts.oversized === 'cut' || isLast) break;
    } catch (error) {
      if (best) break;
      if (!isFault(error, 'too-long') || isLast) throw error;
    }
  }
  if (!best) throw new Refused('could not be asked for');
  return withText(edit, markOf(edit, source, best.model), parts.redact(best.text));
}

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
  const { summarizer, count, prompts, extraLines, redact } = parts;
  const slot = edit.slot!;
  const todos = source.partIndex === undefined ? todosOf(source.messages, redact) : undefined;
  const { maxTokens, chunkTokens } = roomOf({
    window: summarizer.window,
    // Two tokens for the mark's line break.
    allowance: Math.floor(slot.maxTokens) - count(markOf(edit, source, summarizer.name)) - 2,
    beside: count(extraLines.join('\n')) + count(todos ?? ''),
    attempt,
  });
  if (maxTokens <= 0) throw new Refused('would not fit behind its mark');
  const chunks = chunksOf({
    source,
    exchangeOf: (seq) => log.exchangeOf(seq).index,
    resultChars,
    question: prompts.question,
    chunks: parts.chunks,
    chunkTokens,
    count,
    redact,
  });
  if (chunks.length === 0 && todos !== undefined) chunks.push('');
  if (chunks.length === 0) throw new Refused('has nothing to be written from');
  return {
    stage: slot.prompt,
    handle: handleOf(edit),
    maxTokens,
    chunkTokens,
    language: languageOf(source, log, redact),
    attempt,
    chunks,
    todos,
    sourceTokens: source.tokens,
  };
}

/** A sample of the language to write in: the user's newest words, or their newest in the source. In characters. */
const LANGUAGE_CHARS = 200;

function languageOf({ messages }: SlotSource, log: ReadonlyLog, redact: (text: string) => string): string {
  const inSource = messages.findLast(({ role, origin }) => role === 'user' && origin === 'user');
  const part = (log.unansweredUser ?? inSource)?.parts.find(({ type }) => type === 'text');
  return part?.type === 'text' ? redact(part.text).slice(0, LANGUAGE_CHARS) : '';
}
