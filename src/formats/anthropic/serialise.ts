import type { Serialised } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { CallIds, LEGAL_ID, legalId } from '../conversation/ids.js';
import {
  type DraftedCall,
  interruptedCalls,
  type PairedStep,
  pairedSteps,
  type WaitingCall,
} from '../conversation/pairing.js';
import { TURN_BREAK, MIDWAY_SYSTEM, NO_RESULT } from '../conversation/placeholders.js';
import { REPAIRS } from '../conversation/repairs.js';
import { type Draft, draftOf } from './draft.js';
import { Outbox, textPiece } from './outbox.js';
import { type Block, blocksOf } from './wire.js';

/** The messages of one request, and `system` next to them if the log begins with instructions. */
export function serialise(view: readonly ViewMessage[]): Serialised {
  const drafts = view.map(draftOf);
  const out = new Outbox();
  const leading = drafts.findIndex(({ role }) => role !== 'system');
  const instructions = drafts.slice(0, leading < 0 ? drafts.length : leading);
  for (const { notices } of instructions) for (const notice of notices) out.notices.push(notice);

  const ids = new CallIds();
  const spoken = drafts.slice(instructions.length);
  const newest = spoken.findLastIndex(({ role }) => role === 'user' || role === 'tool');
  const cleared = new Set(spoken.slice(0, Math.max(newest, 0)).filter(isCleared));
  for (const step of pairedSteps(spoken, out.notices)) writeStep(step, ids, out, cleared);
  out.close(drafts.at(-1)?.id ?? 'request');
  const messages = out.messages(instructions.flatMap(({ blocks }) => blocks));
  const system = systemOf(instructions);
  return { messages, ...(system !== undefined && { beside: { system } }), notices: out.notices };
}

/** Whether the provider hides the message from the model as soon as the user writes again. */
const isCleared = ({ frame }: Draft): boolean => frame?.clear_at === 'next_user_message';

/** The field `system`: unchanged if it came in so; otherwise one text as a string, or all blocks as one list. */
function systemOf(instructions: readonly Draft[]): unknown {
  const [only, ...more] = instructions;
  if (only && more.length === 0 && only.unchanged) return only.unchanged.content;
  const blocks = instructions.flatMap((draft) => draft.blocks as Block[]);
  if (blocks.length === 0) return undefined;
  const [block] = blocks;
  const isPlain = blocks.length === 1 && Object.keys(block!).length === 2;
  return isPlain ? block!.text : blocks;
}

/** The ids under which a step's calls are sent: new ones if the provider refuses an id or an earlier call has it. */
type WireIds = ReadonlyMap<WaitingCall<DraftedCall>, string>;

/**
 * Writes one step. Results come first in the user's turn, all in one message; other content follows. An unanswered call
 * gets an answer even if the view ends here, because the provider accepts no request with an open call.
 */
function writeStep(step: PairedStep<Draft>, ids: CallIds, out: Outbox, cleared: ReadonlySet<Draft>): void {
  const wireIds = step.head ? writeHead(step.head, step.waiting, ids, out) : new Map<never, never>();
  const others = writeResults(step, wireIds, out);
  const missing = new Set(interruptedCalls(step, out.notices));
  for (const [{ call }, id] of wireIds) {
    if (!missing.has(call)) continue;
    const block = { type: 'tool_result', tool_use_id: id, content: NO_RESULT, is_error: true };
    out.add('user', { blocks: [block], isIntact: false, mayJoin: true });
  }
  for (const other of others) writeOther(other, out, cleared);
}

function writeHead(
  head: Draft,
  waiting: readonly WaitingCall<DraftedCall>[],
  ids: CallIds,
  out: Outbox,
): WireIds {
  const wireIds = new Map<WaitingCall<DraftedCall>, string>();
  for (const one of waiting) {
    const { callId, tool } = one.call;
    const id = ids.take(legalId(callId, LEGAL_ID));
    if (id !== callId)
      out.note(head.id, 'call-id', `call ${callId || 'without id'} to ${tool} is sent as ${id}`);
    wireIds.set(one, id);
  }
  let at = 0;
  const blocks = head.blocks.map((block) => {
    if (block.type !== 'tool_use') return block;
    const id = wireIds.get(waiting[at++]!)!;
    return block.id === id ? block : { ...block, id };
  });
  const same = blocks.every((block, index) => block === head.blocks[index]);
  const piece = same ? head : { ...head, blocks, unchanged: undefined, isIntact: false };
  out.addAssistant(piece, head.id, head.isOriginal);
  return wireIds;
}

/** Content that is no result of this step, in order: words, and results without a waiting call. */
type Other = { readonly draft: Draft } | { readonly label: string; readonly block: Block };

function writeResults({ drafts, head }: PairedStep<Draft>, wireIds: WireIds, out: Outbox): Other[] {
  const others: Other[] = [];
  let begun = false;
  for (const { draft, paired } of drafts) {
    for (const one of paired) {
      const { block, callId } = one.answer;
      if (one.kind === 'unmatched') others.push({ label: one.label, block });
      if (one.kind !== 'matched') continue;
      if (one.isDisplaced) out.note(draft.id, 'displaced-result', REPAIRS.displaced(callId));
      const id = wireIds.get(one.waiting)!;
      const renamed = block.tool_use_id === id ? block : { ...block, tool_use_id: id };
      const alone = draft.answers.length === 1 && draft.blocks.length === 0 && renamed === block;
      const piece = alone ? draft : { ...draft, blocks: [], unchanged: undefined, isIntact: false };
      if (begun && alone && !draft.continues && draft.isIntact)
        out.note(
          draft.id,
          'results-joined',
          `the result of ${callId} is sent in one message with the others`,
        );
      const isIntact = piece.isIntact && others.length === 0;
      out.add('user', { ...piece, blocks: [renamed], isIntact, mayJoin: begun });
      begun = true;
    }
    if (draft !== head && draft.hasContent) others.push({ draft });
  }
  return others;
}

function writeOther(other: Other, out: Outbox, cleared: ReadonlySet<Draft>): void {
  if ('label' in other) {
    out.add('user', { blocks: labelled(other.label, other.block), isIntact: false });
    return;
  }
  const { role, blocks, unchanged, frame, isIntact, continues, id } = other.draft;
  if (role !== 'system') {
    out.add('user', { blocks, unchanged, frame, isIntact, mayJoin: continues });
  } else if (blocks.some(changesTools) || (isIntact && out.lastRole === 'user')) {
    // Only a system message after the user's words can change tools.
    if (out.lastRole !== 'user') out.add('user', textPiece(TURN_BREAK));
    out.add('system', { blocks, unchanged, frame, isIntact });
  } else if (blocks.length === 0 || cleared.has(other.draft)) {
    out.note(id, 'midway-instructions', 'options or cleared instructions have no place here; not sent');
  } else {
    out.note(id, 'midway-instructions', REPAIRS.midway);
    const label: Block = { type: 'text', text: MIDWAY_SYSTEM };
    out.add('user', { blocks: [label, ...blocks], isIntact: false });
  }
}

const changesTools = ({ type }: Block): boolean => type === 'tool_addition' || type === 'tool_removal';

function labelled(label: string, { content }: Block): Block[] {
  if (typeof content === 'string' && content.trim() === '') return [{ type: 'text', text: label }];
  if (typeof content === 'string') return [{ type: 'text', text: `${label}\n${content}` }];
  return [
    { type: 'text', text: label },
    ...blocksOf(content).filter(({ type }) => type !== 'tool_reference'),
  ];
}
