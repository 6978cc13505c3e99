import { artifactKey, type Artifact } from './artifacts.js';
import { callOnce, type Bought, type CallParts } from './call.js';
import { InOtherLanguage } from './fault.js';
import type { BoughtOnce } from './once.js';
import { filledIn, type Prompt, type Prompts } from './prompts.js';
import type { Turnstile } from './turnstile.js';

/** What all calls of one run have in common. */
export interface AskParts extends CallParts {
  readonly prompts: Prompts;
  readonly once: BoughtOnce;
  readonly turnstile: Turnstile;
  /** Throws where no further call may be made. */
  readonly mayCall: () => void;
  /** Quoted already. */
  readonly extraLines: readonly string[];
}

/** What all calls for one slot have in common. */
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
  /** Messages that its reader sees beside it. Quoted already. */
  readonly inView: readonly string[];
  /** First message of the span, where anything but that stands before it. */
  readonly begins: string | undefined;
  readonly attempt: number;
  readonly signal: AbortSignal;
}

/** One piece of it. */
export interface Piece {
  readonly prompt: Prompt;
  readonly source: readonly string[];
  /** What of the log the source shows. */
  readonly handle: string;
  readonly previous?: string | undefined;
  readonly todos?: string | undefined;
  /** From 1. */
  readonly chunk: number;
  readonly chunks: number;
  /** What the answer must be smaller than, in counted tokens. */
  readonly sourceTokens: number;
}

/** A text, and whether it is one that had to be cut. */
export type Text = Artifact & { readonly isCut: boolean };

/** Where in the session it stands, and which piece it is, where there are several. */
function placeLine(begins: string | undefined, { chunk, chunks }: Piece): string {
  const before = `What came before ${begins} stays in view, as it was or in a record of its own; do not repeat it.`;
  const piece = `This is piece ${chunk} of ${chunks}; ${chunk < chunks ? 'a later piece follows.' : 'it is the last.'}`;
  return [...(begins === undefined ? [] : [before]), ...(chunks < 2 ? [] : [piece])].join('\n');
}

/** The text of one piece: from what was bought before, or by one call. */
export async function ask(parts: AskParts, slot: SlotRequest, piece: Piece): Promise<Text> {
  const { summarizer, count, extraLines, once, turnstile } = parts;
  const { prompt, source, previous, todos, chunk, chunks, sourceTokens } = piece;
  const { stage, handle, maxTokens, maxChars, language, checksLanguage, inView, attempt, signal } = slot;
  const place = placeLine(slot.begins, piece);
  const values = { handle: piece.handle, maxTokens, maxChars, chunk, chunks, piece: place };
  const instruction = filledIn(prompt.instruction, values).trim();
  const about = { prompt: stage, handle, chunk, attempt };
  const request = {
    prompt: prompt.system,
    source,
    maxTokens,
    language,
    ...(inView.length > 0 && { inView }),
    ...(previous !== undefined && { previous }),
    ...(todos !== undefined && { todos }),
    ...(extraLines.length > 0 && { extraLines }),
  };
  let isCut = false;
  const make = (): Promise<Artifact> =>
    turnstile.through(async () => {
      const asked = (instruction: string): Promise<Bought> => {
        parts.mayCall();
        return callOnce(parts, {
          request: { ...request, instruction },
          sourceTokens,
          checksLanguage,
          signal,
          about,
        });
      };
      const bought = await asked(instruction).catch((error: unknown) => {
        if (!(error instanceof InOtherLanguage)) throw error;
        return asked(`${instruction}\nThe last answer was in another language. Write in ${language}.`);
      });
      isCut = bought.isCut;
      return { text: bought.text, model: bought.model };
    }, signal);
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
