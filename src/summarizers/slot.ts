import { handleOf, markOf, withText } from './mark.js';
import type { Artifacts } from './artifacts.js';
import { callOnce, type Bought, type CallParts } from './call.js';
import { isFault, Refused } from './fault.js';
import { filledIn, type Prompts } from './prompts.js';
import type { Redact } from '../facts/index.js';
import { chunksOf, type SlotSource } from './source.js';
import type { Edit, PlannedEdit, ReadonlyLog } from '../transcript/index.js';

export interface SlotParts extends CallParts {
  readonly prompts: Prompts;
  readonly artifacts: Artifacts;
  readonly redact: Redact;
  /** Longest tool result that a summarizer is shown, in characters. */
  readonly resultChars: number;
  /** Throws where no further call may be made. */
  readonly mayCall: () => void;
}

/** What is tried one after the other where a source was too long after all: shorter tool results, smaller pieces. */
const RETRY_CHARS = [200, 150, 100, 50, 0];

/** What our counts may be off by, and what the prompt and the answer's frame take. */
const WINDOW_SHARE = 0.8;
const FRAME_TOKENS = 800;
const DEFAULT_WINDOW = 128_000;
const LEAST_CHUNK = 500;

/** A mark's line break. */
const JOIN_TOKENS = 2;

/** Buys the text of one slot, piece by piece, each piece with the record so far. Rejects where none could be had. */
export async function fillSlot(
  parts: SlotParts,
  edit: PlannedEdit,
  source: SlotSource,
  log: ReadonlyLog,
  signal: AbortSignal,
): Promise<Edit> {
  const lengths = [parts.resultChars, ...RETRY_CHARS.filter((chars) => chars < parts.resultChars)];
  for (const [i, resultChars] of lengths.entries()) {
    try {
      const bought = await summarise(parts, edit, source, log, signal, { resultChars, attempt: i + 1 });
      const { text } = parts.redact(bought.text);
      return withText(edit, markOf(edit, source, bought.model), text);
    } catch (error) {
      if (!isFault(error, 'too-long') || i === lengths.length - 1) throw error;
    }
  }
  throw new Refused('could not be asked for');
}

async function summarise(
  parts: SlotParts,
  edit: PlannedEdit,
  source: SlotSource,
  log: ReadonlyLog,
  signal: AbortSignal,
  { resultChars, attempt }: { readonly resultChars: number; readonly attempt: number },
): Promise<Bought> {
  const { summarizer, prompts, artifacts, count, redact } = parts;
  const slot = edit.slot!;
  const handle = handleOf(edit);
  const frame = count(markOf(edit, source, summarizer.name)) + JOIN_TOKENS;
  const maxTokens = Math.floor(slot.maxTokens) - frame;
  if (maxTokens <= 0) throw new Refused('would not fit behind its mark');
  const room = WINDOW_SHARE * (summarizer.window ?? DEFAULT_WINDOW) - FRAME_TOKENS - 2 * maxTokens;
  const chunks = chunksOf({
    source,
    exchangeOf: (seq) => log.exchangeOf(seq).index,
    resultChars,
    chunkTokens: Math.max(LEAST_CHUNK, Math.floor(room / 2 ** (attempt - 1))),
    count,
    redact: (text) => redact(text).text,
  });
  if (chunks.length === 0) throw new Refused('has nothing to be written from');

  let bought: Bought | undefined;
  for (const [i, chunk] of chunks.entries()) {
    const prompt = prompts.of(bought ? 'merge' : slot.prompt);
    const previous = bought?.text;
    const key = artifacts.key(prompt, summarizer.endpoint, chunk, previous);
    const known = artifacts.find(key);
    if (known && count(known.text) <= maxTokens) {
      bought = known;
      continue;
    }
    parts.mayCall();
    const values = { handle, maxTokens, chunk: i + 1, chunks: chunks.length };
    const language = languageOf(log, redact);
    bought = await callOnce(parts, {
      request: {
        prompt: prompt.system,
        instruction: filledIn(prompt.instruction, values),
        source: [chunk],
        maxTokens,
        ...(language && { language }),
        ...(previous !== undefined && { previous }),
      },
      sourceTokens: i === chunks.length - 1 ? source.tokens : Infinity,
      signal,
      about: { prompt: slot.prompt, handle, chunk: i + 1, attempt },
    });
    artifacts.keep(key, bought);
  }
  return bought!;
}

/** The user's newest words, as a sample of the language to write in. */
function languageOf(log: ReadonlyLog, redact: Redact): string {
  const part = log.unansweredUser?.parts.find(({ type }) => type === 'text');
  return part?.type === 'text' ? redact(part.text.slice(0, 200)).text : '';
}
