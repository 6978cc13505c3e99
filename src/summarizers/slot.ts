import { userWordsIn } from '../text/reading/index.js';
import { DEFAULT_WINDOW } from '../tokens/index.js';
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
import { chunksOf, type Chunk } from './chunks.js';
import { languageOf, USERS_LANGUAGE } from './language.js';
import { asItStands, handleOf, markOf, standsAlready, withText } from './mark.js';
import {
  beginningOf,
  behindOf,
  earlierSummary,
  inViewOf,
  newestOf,
  newestRoom,
  quotedQuestion,
  slotSource,
  todosOf,
  userMessages,
  type SlotSource,
} from './source.js';
import { write, type AskParts, type SlotRequest, type Text } from './write.js';

export interface SlotParts extends AskParts {
  /** Which messages stay in view whatever is compacted. */
  readonly isPinned: IsPinned;
  /** Takes secrets out. */
  readonly redact: (text: string) => string;
  /** Longest tool result that a summarizer is shown, in characters. */
  readonly resultChars: number;
  /** Into how many pieces a source is split, where it is large enough. */
  readonly chunks: number;
  /** What becomes of an answer that is longer than it may be: cut, or asked for again from a shorter source. */
  readonly oversized: 'cut' | 'retry';
  /** How many summaries may lie between a text and its originals. */
  readonly generations: number;
  /** The message whose marker asked for the text: its question ends what is quoted. */
  readonly queuedBy?: LogMessage | undefined;
  readonly log: ReadonlyLog;
  /** What is sent now: where earlier summaries stand. */
  readonly view: readonly ViewMessage[];
  /** The agent has the tool that reads back what left. */
  readonly recall?: boolean | undefined;
}

/** What is tried one after the other where a source was too long after all, or its summary: shorter tool results. */
const RETRY_CHARS = [200, 150, 100, 50, 0];

/** An endpoint's own limit on answers may leave a slot of any size no more than the text that stands was given. */
const WORTH_A_CALL = 1.25;

/** Buys the text of one slot. Rejects where none could be had. */
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
  const standing = standsAlready(edit);
  for (const [i, resultChars] of lengths.entries()) {
    const isLast = i === lengths.length - 1;
    const request = requestOf(parts, edit, source, { resultChars, attempt: i + 1, signal });
    if (standing && request.maxTokens < WORTH_A_CALL * (standing.room ?? 0)) return asItStands(edit);
    const text = request.chunks.map((chunk) => chunk.text).join('\n');
    // The same words again would be answered as they were.
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
  // What stands for one result is a line, whatever a model makes of that.
  const words = edit.kind === 'replace' ? onOneLine(text) : text;
  const filled = withText(edit, markOf(edit, source, best.model, recall), words, best.generation);
  // A shorter one says less than what it was to take the place of.
  return standing && tokensOf(filled, count) <= tokensOf(edit, count) ? asItStands(edit) : filled;
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
  /** From 1; each further one halves the pieces. */
  readonly attempt: number;
  readonly signal: AbortSignal;
}

function requestOf(
  parts: SlotParts,
  edit: PlannedEdit,
  source: SlotSource,
  { resultChars, attempt, signal }: Attempt,
): SlotRequest & { readonly generation: number } {
  const { summarizer, count, prompts, extraLines, redact, isPinned, log, queuedBy } = parts;
  const slot = edit.slot!;
  const isSpan = source.partIndex === undefined;
  const todos = isSpan ? todosOf(source.messages, redact) : undefined;
  const plan = { text: todos ?? '', tokens: count(todos ?? '') };
  const { window = DEFAULT_WINDOW, outputLimit = Infinity } = summarizer;
  const beside = { log, question: prompts.question, redact, count, window };
  const inView = isSpan ? inViewOf(source.messages[0]!.seq, isPinned, beside) : [];
  const asking = (isSpan ? [slot.prompt, 'merge'] : [slot.prompt]).map((name) => prompts.of(name));
  const prompt = Math.max(...asking.map(({ system, instruction }) => count(system) + count(instruction)));

  // Of the longest mark, and two tokens for its line break: what is bought ahead fits whoever asks.
  const allowance = Math.floor(slot.maxTokens) - count(markOf(edit, source, summarizer.name, true)) - 2;
  const answer = Math.min(ANSWER_SHARE * window, OUTPUT_SHARE * outputLimit, LONGEST_ANSWER);
  const maxTokens = Math.min(allowance, Math.floor(answer));
  if (maxTokens < LEAST_ANSWER) throw new Refused('would not fit behind its mark');
  const taken = prompt + count([...inView, ...extraLines].join('\n')) + plan.tokens + newestRoom(window);
  const room = (WINDOW_SHARE * window - FRAME_TOKENS - 2 * maxTokens - taken) / 2 ** (attempt - 1);
  const chunkTokens = Math.floor(Math.max(Math.min(LEAST_CHUNK, LEAST_SHARE * window), room));

  const earlier = isSpan ? earlierSummary(slot, log, parts.view, parts.generations) : undefined;
  const exchangeOf = (seq: number): number => log.exchangeOf(seq).index;
  const chunking = { ...beside, source, exchangeOf, resultChars, chunks: parts.chunks, chunkTokens };
  const later = earlier && source.messages.filter(({ seq }) => seq > earlier.to);
  const fresh = later ? chunksOf({ ...chunking, source: { ...source, messages: later } }) : [];
  const base = fresh.length > 0 ? earlier : undefined;
  const chunks = base ? fresh : chunksOf(chunking);
  if (chunks.length === 0 && todos !== undefined)
    chunks.push({ text: '', tokens: 0, handle: handleOf(edit) });
  if (chunks.length === 0) throw new Refused('has nothing to be written from');
  if (isSpan && queuedBy && !source.messages.includes(queuedBy)) {
    const last = chunks.pop()!;
    const question = quotedQuestion(queuedBy, beside);
    const text = last.text === '' ? question : `${last.text}\n${question}`;
    chunks.push({ ...last, text, tokens: last.tokens + count(question) });
  }
  const users = userMessages(source, log);
  const to = log.find(slot.toId)!.seq;
  const newest = isSpan ? newestOf(to, beside) : [];
  return {
    stage: slot.prompt,
    handle: handleOf(edit),
    maxTokens,
    grows: slot.grows === true,
    maxChars: Math.floor((isSpan ? 1 : LINE_SHARE) * charsFor(maxTokens, [...chunks, plan], users, count)),
    language: languageOf(users) ?? USERS_LANGUAGE,
    // A line about one result is mostly quoted.
    checksLanguage: isSpan,
    previous: base?.text,
    generation: base ? base.generation + 1 : 0,
    inView,
    newest,
    behind: newest.length > 0 ? behindOf(to, log) : undefined,
    wasBehind: ({ count, hash }) => count < log.length - to && behindOf(to, log, count).hash === hash,
    begins: isSpan ? beginningOf(source, log, isPinned) : undefined,
    attempt,
    signal,
    chunks,
    todos,
    sourceTokens: source.tokens,
  };
}

/** What our counts may be off by. */
const WINDOW_SHARE = 0.8;
/** What stands between the texts of a request, in tokens. */
const FRAME_TOKENS = 100;
/** Smaller pieces say nothing. Of a small window it is this share. */
const LEAST_CHUNK = 200;
const LEAST_SHARE = 0.1;
/** Of a small window an answer takes at most this: it stands in it twice, as the record so far and as what is written. */
const ANSWER_SHARE = 0.15;
/** No sentence fits in less. In tokens. */
const LEAST_ANSWER = 12;
/** Longer answers repeat themselves, and many models write no longer ones. In tokens. */
const LONGEST_ANSWER = 8_000;
/** Of what a model writes at most: its counts are not ours. */
const OUTPUT_SHARE = 0.9;

/** A line about one result names more than its source does: half of those that were told all their characters were too long. */
const LINE_SHARE = 0.85;

/** The user's words are of a denser script than what is read where they have so much fewer characters a token. */
const OTHER_SCRIPT = 0.6;
/** Of the user's words, the newest; of fewer nothing is known. In characters. */
const SAMPLE_CHARS = 8_000;
const LEAST_SAMPLE = 50;

/**
 * Characters that so many tokens hold, as those of the source do; as the user's words where the record's language takes
 * far more tokens than the code and output that it is about. Models count characters better than tokens that are not theirs.
 */
function charsFor(
  maxTokens: number,
  sources: readonly Pick<Chunk, 'text' | 'tokens'>[],
  users: readonly LogMessage[],
  count: (text: string) => number,
): number {
  const chars = sources.reduce((total, { text }) => total + text.length, 0);
  const tokens = sources.reduce((total, source) => total + source.tokens, 0);
  const ofSource = chars / Math.max(1, tokens);
  const sample = users
    .map((message) => userWordsIn(message))
    .join('\n')
    .slice(-SAMPLE_CHARS);
  const ofUser = sample.length < LEAST_SAMPLE ? Infinity : sample.length / Math.max(1, count(sample));
  return Math.floor(maxTokens * (ofUser < OTHER_SCRIPT * ofSource ? ofUser : ofSource));
}
