import { artifactKey, type Artifact, type BoughtOnce } from './artifacts.js';
import { callOnce, InOtherLanguage, type Bought, type CallParts, type Turnstile } from './call.js';
import type { Chunk } from './chunks.js';
import { filledIn, type Prompt, type Prompts } from './prompts.js';
import { escaped } from './quote.js';

/** What all calls of one run have in common. */
export interface AskParts extends CallParts {
  readonly prompts: Prompts;
  readonly once: BoughtOnce;
  readonly through: Turnstile;
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
  /** Most tokens of source in one call. */
  readonly chunkTokens: number;
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

/** The pieces of a source, each as it stands in it. */
function piecesOf({ chunks, todos }: SlotRequest): Omit<Piece, 'prompt' | 'sourceTokens'>[] {
  return chunks.map(({ text, handle }, i) => {
    const isLast = i === chunks.length - 1;
    const plan = isLast ? todos : undefined;
    return { source: [text], handle, todos: plan, chunk: i + 1, chunks: chunks.length, isLast };
  });
}

/** Piece after piece, each with the record so far. */
export async function writeInSequence(parts: AskParts, request: SlotRequest): Promise<Text> {
  let written: Text | undefined;
  let { previous } = request;
  for (const piece of piecesOf(request)) {
    const prompt = parts.prompts.of(previous === undefined ? request.stage : 'merge');
    const sourceTokens = piece.isLast ? request.sourceTokens : Infinity;
    written = await ask(parts, request, { ...piece, prompt, previous, sourceTokens });
    previous = written.text;
  }
  return written!;
}

/** All pieces at once, then the records of them joined: sooner done, and each piece is read without what came before. */
export async function writeInParallel(parts: AskParts, request: SlotRequest): Promise<Text> {
  const { chunks, sourceTokens, handle } = request;
  if (chunks.length === 1 || request.previous !== undefined) return writeInSequence(parts, request);
  const prompt = parts.prompts.of(request.stage);
  let records = await allOrNone(
    piecesOf(request).map((piece) => ask(parts, request, { ...piece, prompt, sourceTokens: Infinity })),
  );
  for (let asked = chunks.length; records.length > 1;) {
    const groups = grouped(records, parts.count, request.chunkTokens);
    const isLast = groups.length === 1;
    const joining = groups.map((group) =>
      ask(parts, request, {
        prompt: parts.prompts.of('join'),
        handle,
        source: group.map(({ text }, at) => `<record piece="${at + 1}">\n${escaped(text)}\n</record>`),
        chunk: ++asked,
        chunks: groups.length,
        isLast,
        sourceTokens: isLast ? sourceTokens : Infinity,
      }),
    );
    records = await allOrNone(joining);
  }
  return records[0]!;
}

/** Neighbours that fit one call, two at least: each round halves their number or better. */
function grouped(records: readonly Text[], count: (text: string) => number, mostTokens: number): Text[][] {
  const groups: Text[][] = [];
  let taken = 0;
  for (const record of records) {
    const tokens = count(record.text);
    const group = groups.at(-1);
    if (group && (group.length < 2 || taken + tokens <= mostTokens)) {
      group.push(record);
      taken += tokens;
    } else {
      groups.push([record]);
      taken = tokens;
    }
  }
  return groups;
}

/** Waits for all before it says what went wrong, so that nothing runs on behind a run. */
async function allOrNone<Result>(asked: readonly Promise<Result>[]): Promise<Result[]> {
  await Promise.allSettled(asked);
  return Promise.all(asked);
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
  const make = (): Promise<Artifact> =>
    parts.through(async () => {
      const bought = await asked(instruction).catch((error: unknown) => {
        if (!(error instanceof InOtherLanguage)) throw error;
        return asked(`${instruction}\nThe last answer was in another language. Write in ${language}.`);
      });
      isCut = bought.isCut;
      return { text: bought.text, model: bought.model };
    });
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
