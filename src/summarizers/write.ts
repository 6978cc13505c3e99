import { artifactKey, type Artifact, type BoughtOnce } from './artifacts.js';
import { callOnce, InOtherLanguage, type Bought, type CallParts } from './call.js';
import type { Chunk } from './chunks.js';
import { filledIn, type Prompt, type Prompts } from './prompts.js';

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
  /** Messages behind the source, for what comes last. No part of what is bought: a text that is there is taken. */
  readonly newest: readonly string[];
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

/** One piece of it. */
interface Piece {
  readonly prompt: Prompt;
  readonly source: readonly string[];
  /** What of the log the source shows. */
  readonly handle: string;
  readonly previous?: string | undefined;
  readonly todos?: string | undefined;
  /** From 1. */
  readonly chunk: number;
  readonly chunks: number;
  /** The end of the source is in it. */
  readonly isLast: boolean;
  /** What the answer must be smaller than, in counted tokens. */
  readonly sourceTokens: number;
}

/** A text, and whether it is one that had to be cut. */
export type Text = Artifact & Pick<Bought, 'isCut'>;

/** Piece after piece, each with the record so far. */
export async function write(parts: AskParts, request: SlotRequest): Promise<Text> {
  const { chunks, stage } = request;
  let written: Text | undefined;
  let { previous } = request;
  for (const [i, { text, handle }] of chunks.entries()) {
    const isLast = i === chunks.length - 1;
    written = await ask(parts, request, {
      prompt: parts.prompts.of(previous === undefined ? stage : 'merge'),
      source: [text],
      handle,
      previous,
      todos: isLast ? request.todos : undefined,
      chunk: i + 1,
      chunks: chunks.length,
      isLast,
      sourceTokens: isLast ? request.sourceTokens : Infinity,
    });
    previous = written.text;
  }
  return written!;
}

/** The text of one piece: from what was bought before, or by one call. */
async function ask(parts: AskParts, slot: SlotRequest, piece: Piece): Promise<Text> {
  const { summarizer, count, extraLines, once } = parts;
  const { prompt, source, previous, todos, chunk, chunks, sourceTokens } = piece;
  const { stage, maxTokens, maxChars, language, checksLanguage, inView, attempt, signal } = slot;
  const newest = piece.isLast ? slot.newest : [];
  const values = {
    handle: piece.handle,
    maxTokens,
    maxChars,
    chunk,
    chunks,
    piece: placeLine(slot.begins, piece),
  };
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
    return { text: bought.text, model: bought.model };
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
  const fits = ({ text }: Artifact): boolean => count(text) <= maxTokens;
  const artifact = await once.buy({ key, maxTokens, fits, make, signal });
  return { ...artifact, isCut };
}

/** Where in the session it stands, and which piece it is, where there are several. */
function placeLine(begins: string | undefined, { chunk, chunks }: Piece): string {
  const before = `What came before ${begins} stays in view, as it was or in a record of its own; do not repeat it.`;
  const piece = `This is piece ${chunk} of ${chunks}; ${chunk < chunks ? 'a later piece follows.' : 'it is the last.'}`;
  return [...(begins === undefined ? [] : [before]), ...(chunks < 2 ? [] : [piece])].join('\n');
}
