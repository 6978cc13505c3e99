import { ask, type AskParts, type SlotRequest, type Text } from './ask.js';
import type { Chunk } from './chunks.js';
import { escaped } from './quote.js';

interface WriteRequest extends SlotRequest {
  /** An earlier summary that this one goes on from. */
  readonly previous?: string | undefined;
  readonly chunks: readonly Chunk[];
  /** The agent's plan, for the piece that comes last. */
  readonly todos: string | undefined;
  /** Counted tokens of all that the text stands for. */
  readonly sourceTokens: number;
  /** Most tokens of source in one call. */
  readonly chunkTokens: number;
}

/** Piece after piece, each with the record so far. */
export async function writeInSequence(parts: AskParts, request: WriteRequest): Promise<Text> {
  const { chunks, stage, todos, sourceTokens } = request;
  let written: Text | undefined;
  let previous = request.previous;
  for (const [i, chunk] of chunks.entries()) {
    const isLast = i === chunks.length - 1;
    written = await ask(parts, request, {
      prompt: parts.prompts.of(previous === undefined ? stage : 'merge'),
      source: [chunk.text],
      handle: chunk.handle,
      previous,
      todos: isLast ? todos : undefined,
      chunk: i + 1,
      chunks: chunks.length,
      sourceTokens: isLast ? sourceTokens : Infinity,
    });
    previous = written.text;
  }
  return written!;
}

/** All pieces at once, then the records of them joined: sooner done, and each piece is read without what came before. */
export async function writeInParallel(parts: AskParts, request: WriteRequest): Promise<Text> {
  const { chunks, stage, todos, sourceTokens } = request;
  if (chunks.length === 1 || request.previous !== undefined) return writeInSequence(parts, request);
  const records = await allOrNone(
    chunks.map((chunk, i) =>
      ask(parts, request, {
        prompt: parts.prompts.of(stage),
        source: [chunk.text],
        handle: chunk.handle,
        todos: i === chunks.length - 1 ? todos : undefined,
        chunk: i + 1,
        chunks: chunks.length,
        sourceTokens: Infinity,
      }),
    ),
  );
  let joined = records;
  for (let chunk = chunks.length + 1; joined.length > 1;) {
    const groups = grouped(joined, parts.count, request.chunkTokens);
    const isLast = groups.length === 1;
    const first = chunk;
    chunk += groups.length;
    joined = await allOrNone(
      groups.map((group, i) =>
        ask(parts, request, {
          prompt: parts.prompts.of('join'),
          handle: request.handle,
          source: group.map(({ text }, at) => `<record piece="${at + 1}">\n${escaped(text)}\n</record>`),
          chunk: first + i,
          chunks: groups.length,
          sourceTokens: isLast ? sourceTokens : Infinity,
        }),
      ),
    );
  }
  return joined[0]!;
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
  const settled = await Promise.allSettled(asked);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
