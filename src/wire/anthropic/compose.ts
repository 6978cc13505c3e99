import { lateResult, NO_RESULT, ORPHAN_RESULT, secondResult } from '../wording.js';
import type { Draft, DraftResult } from './draft.js';
import { IdBook } from './ids.js';
import { MIDWAY_SYSTEM } from './notes.js';
import type { Outbox } from './outbox.js';
import { blocksOf, type Block } from './wire.js';

interface Call {
  readonly callId: string;
  /** The id on the wire: another one where the provider refuses it or an earlier call had it. */
  readonly wireId: string;
  readonly tool: string;
  answered: boolean;
}

/** What later results may still name: the newest call of each id. */
export interface Book {
  readonly ids: IdBook;
  readonly calls: Map<string, Call>;
}

export const emptyBook = (): Book => ({ ids: new IdBook(), calls: new Map() });

/**
 * Writes one step: an assistant message and everything up to the next one (the first step may lack its head). Results
 * come first in the user's turn, all of them in one message; what else was said follows. Nothing here looks past the
 * next assistant message, so a longer log extends the blocks of the shorter one.
 */
export function writeStep(drafts: readonly Draft[], book: Book, out: Outbox): void {
  const [first] = drafts;
  const head = first?.role === 'assistant' ? first : undefined;
  const calls = head ? writeHead(head, book, out) : [];
  const waiting = new Map<string, Call[]>();
  for (const call of calls) {
    const same = waiting.get(call.callId);
    if (same) same.push(call);
    else waiting.set(call.callId, [call]);
  }
  const others = writeResults(head ? head.results : [], drafts, waiting, out);
  for (const call of calls) {
    if (call.answered) continue;
    out.note(head!.id, 'interrupted-call', `call ${call.callId} to ${call.tool} has no result`);
    const block = { type: 'tool_result', tool_use_id: call.wireId, content: NO_RESULT, is_error: true };
    out.say('user', { blocks: [block], faithful: false, marks: 0, joins: true });
  }
  for (const call of calls) book.calls.set(call.callId, call);
  for (const other of others) writeOther(other, book, out);
}

function writeHead(head: Draft, book: Book, out: Outbox): Call[] {
  for (const notice of head.notices) out.notices.push(notice);
  if (head.calls.length === 0) {
    out.assistant(head, head.id, head.original);
    return [];
  }
  const calls = head.calls.map(({ callId, tool }): Call => {
    const wireId = book.ids.take(callId);
    if (wireId !== callId)
      out.note(head.id, 'call-id', `call ${callId || 'without id'} to ${tool} is sent as ${wireId}`);
    return { callId, tool, wireId, answered: false };
  });
  let at = 0;
  const blocks = head.blocks.map((block) => {
    if (block.type !== 'tool_use') return block;
    const { wireId } = calls[at++]!;
    return block.id === wireId ? block : { ...block, id: wireId };
  });
  const same = blocks.every((block, index) => block === head.blocks[index]);
  const piece = same ? head : { ...head, blocks, whole: undefined, faithful: false };
  out.assistant(piece, head.id, head.original);
  return calls;
}

/** What is no result of this step, in order: words, and results that no call here waits for. */
type Other = { readonly draft: Draft; readonly stray?: DraftResult };

function writeResults(
  inside: readonly DraftResult[],
  drafts: readonly Draft[],
  waiting: ReadonlyMap<string, Call[]>,
  out: Outbox,
): Other[] {
  const others: Other[] = [];
  let begun = false;
  const take = (draft: Draft, result: DraftResult): void => {
    const call = waiting.get(result.callId)?.find(({ answered }) => !answered);
    if (!call) return void others.push({ draft, stray: result });
    call.answered = true;
    const { block, callId } = result;
    if (others.length > 0) out.note(draft.id, 'displaced-result', `moved up to its call ${callId}`);
    const renamed = block.tool_use_id === call.wireId ? block : { ...block, tool_use_id: call.wireId };
    const alone = draft.results.length === 1 && draft.blocks.length === 0 && renamed === block;
    const piece = alone ? draft : { ...draft, blocks: [], marks: 0, whole: undefined, faithful: false };
    if (begun && alone && !draft.continues && draft.faithful)
      out.note(draft.id, 'results-joined', `the result of ${callId} is sent in one message with the others`);
    const faithful = piece.faithful && others.length === 0;
    out.say('user', { ...piece, blocks: [renamed], faithful, joins: begun });
    begun = true;
  };
  for (const result of inside) take(drafts[0]!, result);
  for (const draft of drafts) {
    if (draft.role === 'assistant') continue;
    for (const notice of draft.notices) out.notices.push(notice);
    for (const result of draft.results) take(draft, result);
    if (draft.blocks.length > 0) others.push({ draft });
  }
  return others;
}

function writeOther({ draft, stray }: Other, book: Book, out: Outbox): void {
  const { blocks, whole, frame, faithful, marks, continues, id } = draft;
  if (stray) {
    out.say('user', { blocks: strayBlocks(stray, id, book, out), faithful: false, marks: 0 });
  } else if (draft.role === 'user') {
    out.say('user', { blocks, whole, frame, faithful, marks, joins: continues });
  } else if (faithful && out.lastRole === 'user') {
    out.say('system', { blocks, whole, frame, faithful, marks });
  } else {
    out.note(id, 'midway-system', 'instructions midway are sent as a labelled user message');
    const label: Block = { type: 'text', text: MIDWAY_SYSTEM };
    out.say('user', { blocks: [label, ...blocks], faithful: false, marks });
  }
}

/** A result that no waiting call wants, as words that say what it is. */
function strayBlocks({ callId, block }: DraftResult, at: string, book: Book, out: Outbox): Block[] {
  const call = book.calls.get(callId);
  if (!call) {
    out.note(at, 'orphan-result', `no call ${callId} stands before it; sent as a user message`);
    return labelled(ORPHAN_RESULT, block);
  }
  if (call.answered) {
    out.note(
      at,
      'duplicate-result',
      `call ${callId} to ${call.tool} already has a result; sent as a user message`,
    );
    return labelled(secondResult(callId, call.tool), block);
  }
  call.answered = true;
  out.note(at, 'late-result', `call ${callId} to ${call.tool} was over when it came; sent as a user message`);
  return labelled(lateResult(callId, call.tool), block);
}

function labelled(label: string, { content }: Block): Block[] {
  if (typeof content === 'string' && content.trim() === '') return [{ type: 'text', text: label }];
  if (typeof content === 'string') return [{ type: 'text', text: `${label}\n${content}` }];
  return [
    { type: 'text', text: label },
    ...blocksOf(content).filter(({ type }) => type !== 'tool_reference'),
  ];
}
