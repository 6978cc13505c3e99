import { artifactKey, type Artifact, type Behind, type BoughtOnce } from './artifacts.js';
import { callOnce, InOtherLanguage, type Bought, type CallParts } from './call.js';
import type { Chunk } from './chunks.js';
import { filledIn, type Prompts } from './prompts.js';

/** What all calls of one run have in common. */
export interface AskParts extends CallParts {
  readonly prompts: Prompts;
  readonly once: BoughtOnce;
  /** Throws where no further call may be made. */
  readonly mayCall: () => void;
  /** Quoted already. */
  readonly extraLines: readonly string[];
}

/** What is written for one slot. All texts in it are quoted already. */
export interface SlotRequest {
  /** The stage whose slot it is. */
  readonly stage: string;
  readonly handle: string;
  readonly maxTokens: number;
  /** A text that was bought for less room is not enough. */
  readonly grows: boolean;
  /** About as many characters of the record's language. */
  readonly maxChars: number;
  /** By its name, or in words that say which. */
  readonly language: string;
  /** Whether an answer in another language is refused. */
  readonly checksLanguage: boolean;
  /** Messages that its reader sees beside it. */
  readonly inView: readonly string[];
  /** Messages behind the source, for what comes last: a text may tell of them. */
  readonly newest: readonly string[];
  /** What comes behind the source now, where the text may tell of it; and whether it once was so. */
  readonly behind: Behind | undefined;
  readonly wasBehind: (behind: Behind) => boolean;
  /** First message of the span, where anything but what stays in view stands before it. */
  readonly begins: string | undefined;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** An earlier summary that this one goes on from. */
  readonly previous: string | undefined;
  readonly chunks: readonly Chunk[];
  /** The agent's plan, for the piece that comes last. */
  readonly todos: string | undefined;
  /** Counted tokens of all that the text stands for. */
  readonly sourceTokens: number;
}

/** A text, and whether it is one that had to be cut. */
export type Text = Artifact & Pick<Bought, 'isCut'>;

/** Piece after piece, each with the record so far. */
export async function write(parts: AskParts, request: SlotRequest): Promise<Text> {
  let written: Text | undefined;
  for (const at of request.chunks.keys())
    written = await ask(parts, request, at, written?.text ?? request.previous);
  return written!;
}

/** The text of the piece at a place, which goes on from the record so far: from what was bought before, or by one call. */
async function ask(
  parts: AskParts,
  slot: SlotRequest,
  at: number,
  previous: string | undefined,
): Promise<Text> {
  const { summarizer, count, extraLines, once } = parts;
  const { stage, maxTokens, maxChars, language, checksLanguage, inView, attempt, signal } = slot;
  const { length: chunks } = slot.chunks;
  const { text, handle } = slot.chunks[at]!;
  const [chunk, source] = [at + 1, [text]];
  const isLast = chunk === chunks;
  const prompt = parts.prompts.of(previous === undefined ? stage : 'merge');
  const todos = isLast ? slot.todos : undefined;
  const newest = isLast ? slot.newest : [];
  const behind = isLast ? slot.behind : undefined;
  // An answer must be smaller than what it stands for: that is all of it at the end.
  const sourceTokens = isLast ? slot.sourceTokens : Infinity;
  const values = { handle, maxTokens, maxChars, chunk, chunks, piece: placeLine(slot.begins, chunk, chunks) };
  const instruction = filledIn(prompt.instruction, values).trim();
  const request = {
    prompt: prompt.system,
    source,
    maxTokens,
    language,
    ...(inView.length > 0 && { inView }),
    ...(previous !== undefined && { previous }),
    ...(todos !== undefined && { todos }),
    ...(newest.length > 0 && { newest }),
    ...(extraLines.length > 0 && { extraLines }),
  };
  const about = { prompt: stage, handle: slot.handle, chunk, attempt };
  const asked = (instruction: string): Promise<Bought> => {
    parts.mayCall();
    const asking = { request: { ...request, instruction }, sourceTokens, checksLanguage, signal, about };
    return callOnce(parts, asking);
  };
  let isCut = false;
  const make = async (): Promise<Artifact> => {
    const bought = await asked(instruction).catch((error: unknown) => {
      if (!(error instanceof InOtherLanguage)) throw error;
      return asked(`${instruction}\nThe last answer was in another language. Write in ${language}.`);
    });
    isCut = bought.isCut;
    return { text: bought.text, model: bought.model, behind };
  };
  const key = artifactKey(
    prompt.hash,
    summarizer.endpoint,
    source,
    previous ?? [],
    todos ?? [],
    extraLines,
    inView,
    ...(slot.grows ? [`room for ${maxTokens}`] : []),
  );
  const fits = (artifact: Artifact): boolean =>
    count(artifact.text) <= maxTokens && (!artifact.behind || slot.wasBehind(artifact.behind));
  const artifact = await once.buy({ key, maxTokens, behind, fits, make, signal });
  return { ...artifact, isCut };
}

/** Where in the session it stands, and which piece it is, where there are several. */
function placeLine(begins: string | undefined, chunk: number, chunks: number): string {
  const before = `What came before ${begins} stays in view, as it was or in a record of its own; do not repeat it.`;
  const piece = `This is piece ${chunk} of ${chunks}; ${chunk < chunks ? 'a later piece follows.' : 'it is the last.'}`;
  return [...(begins === undefined ? [] : [before]), ...(chunks < 2 ? [] : [piece])].join('\n');
}
