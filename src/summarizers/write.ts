import { artifactKey, type Artifact, type FollowUp, type TextBuyer } from './artifacts.js';
import { callOnce, InOtherLanguage, type AcceptedAnswer, type CallParts } from './call.js';
import type { Chunk } from './chunks.js';
import { fillTemplate, type Prompts } from './prompts.js';

/** The parts that all calls of one run share. */
export interface AskParts extends CallParts {
  readonly prompts: Prompts;
  readonly buyer: TextBuyer;
  /** Throws if no further call may be made. */
  readonly mayCall: () => void;
  /** Quoted already. */
  readonly extraLines: readonly string[];
}

/** The request for one slot's text. All texts in it are quoted already. */
export interface SlotRequest {
  /** The stage of the slot. */
  readonly stage: string;
  readonly handle: string;
  readonly maxTokens: number;
  /** Whether a text that was requested for less room is not enough. */
  readonly grows: boolean;
  /** The approximate number of characters in the record's language. */
  readonly maxChars: number;
  /** The name of the language, or a description of it. */
  readonly language: string;
  /** Whether an answer in another language is refused. */
  readonly checksLanguage: boolean;
  /** Messages that the reader of the text sees in addition to it. */
  readonly inView: readonly string[];
  /** Messages after the source, for the last piece: a text may depend on them. */
  readonly newest: readonly string[];
  /** How the log continues after the source, if the text may depend on it; and whether the log once continued so. */
  readonly followUp: FollowUp | undefined;
  readonly hadFollowUp: (followUp: FollowUp) => boolean;
  /** The first message of the span, if anything that does not stay in view precedes it. */
  readonly fromId: string | undefined;
  readonly attempt: number;
  readonly signal: AbortSignal;
  /** An earlier summary that this text continues. */
  readonly previous: string | undefined;
  readonly chunks: readonly Chunk[];
  /** The agent's plan, for the last piece. */
  readonly todos: string | undefined;
  /** Counted tokens of everything that the text replaces. */
  readonly sourceTokens: number;
}

/** A text, and whether it had to be cut. */
export type Text = Artifact & Pick<AcceptedAnswer, 'isCut'>;

/** Requests the text piece by piece, each with the record so far. */
export async function write(parts: AskParts, request: SlotRequest): Promise<Text> {
  let written: Text | undefined;
  for (const index of request.chunks.keys())
    written = await askPiece(parts, request, index, written?.text ?? request.previous);
  return written!;
}

/** The text of one piece, which continues the record so far: a stored text, or the result of one call. */
async function askPiece(
  parts: AskParts,
  slot: SlotRequest,
  index: number,
  previous: string | undefined,
): Promise<Text> {
  const { summarizer, count, extraLines, buyer } = parts;
  const { stage, maxTokens, maxChars, language, checksLanguage, inView, attempt, signal } = slot;
  const { length: chunks } = slot.chunks;
  const { text, handle } = slot.chunks[index]!;
  const [chunk, source] = [index + 1, [text]];
  const isLast = chunk === chunks;
  const prompt = parts.prompts.of(previous === undefined ? stage : 'merge');
  const todos = isLast ? slot.todos : undefined;
  const newest = isLast ? slot.newest : [];
  const followUp = isLast ? slot.followUp : undefined;
  // An answer must be smaller than the content it replaces, which is the whole source for the last piece.
  const sourceTokens = isLast ? slot.sourceTokens : Infinity;
  const values = { handle, maxTokens, maxChars, chunk, chunks, piece: placeLine(slot.fromId, chunk, chunks) };
  const instruction = fillTemplate(prompt.instruction, values).trim();
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
  const labels = { prompt: stage, handle: slot.handle, chunk, attempt };
  const callWith = (instruction: string): Promise<AcceptedAnswer> => {
    parts.mayCall();
    const asking = { request: { ...request, instruction }, sourceTokens, checksLanguage, signal, labels };
    return callOnce(parts, asking);
  };
  let isCut = false;
  const make = async (): Promise<Artifact> => {
    const bought = await callWith(instruction).catch((error: unknown) => {
      if (!(error instanceof InOtherLanguage)) throw error;
      return callWith(`${instruction}\nThe last answer was in another language. Write in ${language}.`);
    });
    isCut = bought.isCut;
    return { text: bought.text, model: bought.model, followUp };
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
    count(artifact.text) <= maxTokens && (!artifact.followUp || slot.hadFollowUp(artifact.followUp));
  const artifact = await buyer.buy({ key, maxTokens, followUp, fits, make, signal });
  return { ...artifact, isCut };
}

/** The place of the piece in the session, and its number if there are several. */
function placeLine(fromId: string | undefined, chunk: number, chunks: number): string {
  const before = `Everything before ${fromId} stays in view, in full or in its own record; do not repeat it.`;
  const piece = `This is piece ${chunk} of ${chunks}; ${chunk < chunks ? 'a later piece follows.' : 'it is the last.'}`;
  return [...(fromId === undefined ? [] : [before]), ...(chunks < 2 ? [] : [piece])].join('\n');
}
