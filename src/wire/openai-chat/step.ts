import type { Notice } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { listOf } from '../record.js';
import { draftOf, type Draft, type DraftCall, type DraftResult } from './draft.js';
import type { CallBook, Outbox, PastCall } from '../steps/index.js';
import { lateResult, MIDWAY, NO_RESULT, ORPHAN_RESULT, secondResult } from './notes.js';
import { type WireMessage } from './wire.js';

interface Slot {
  readonly call: DraftCall;
  answered: boolean;
  /** The next call of this message that results would name by the same id. */
  next?: Slot;
}

/**
 * Writes one step: an assistant message and everything up to the next one (the first step may lack its head).
 * Results go directly behind their calls, what else was said goes behind the results. Nothing here looks past the
 * next assistant message, and a step that ends the view differs from the same step with a successor only by
 * results appended at its end; so a longer log extends the bytes of the shorter one.
 */
export function writeStep(
  view: readonly ViewMessage[],
  from: number,
  to: number,
  book: CallBook,
  out: Outbox,
): void {
  const head = view[from]!.message.role === 'assistant' ? draftOf(view[from]!) : undefined;
  const slots = (head?.calls ?? []).map((call): Slot => ({ call, answered: false }));
  const byId = chain(slots);
  const others: unknown[] = [];
  const note = (at: string, kind: string, what: string) => void out.notices.push({ at, kind, what });

  // Servers want instructions in front, and take more only behind those.
  const instructed = view[0]!.message.role === 'system';
  if (head) push(head, out.messages, out.notices);
  for (let at = from; at < to; at++) {
    const shown = view[at]!;
    const draft = draftOf(shown);
    if (!instructed && shown.message.role === 'system')
      others.push(midway(draft, shown.message.id, out.notices));
    else if (at > from || !head) push(draft, others, out.notices);
    for (const result of draft.results) {
      const { id } = shown.message;
      const slot = take(byId, result.part.callId);
      if (!slot) {
        others.push(stray(result, id, byId, book, note));
        continue;
      }
      const { wireId } = slot.call;
      const wire = settled(result, slot.call);
      if (others.length > 0) note(id, 'displaced-result', `moved up to its call ${wireId}`);
      if (wire !== result.wire) note(id, 'result-mended', `sent in the form of its call ${wireId}`);
      out.messages.push(wire);
    }
  }

  for (const { call, answered } of slots) {
    if (!answered && (to < view.length || others.length > 0)) {
      note(view[from]!.message.id, 'interrupted-call', `call ${call.callId} to ${call.tool} has no result`);
      out.messages.push(noResult(call));
    }
    book.enter(call.callId, { tool: call.tool, answered });
  }
  for (const message of others) out.messages.push(message);
}

function push(draft: Draft, messages: unknown[], notices: Notice[]): void {
  if (draft.message) messages.push(draft.message);
  for (const notice of draft.notices) notices.push(notice);
}

/** Instructions of a conversation that began without any, as a user message that says what it is. */
function midway({ message, notices }: Draft, at: string, out: Notice[]): WireMessage {
  out.push(...notices, {
    at,
    kind: 'midway-instructions',
    what: 'the session began without; sent as a user message',
  });
  return labelled(MIDWAY, message?.content);
}

function chain(slots: readonly Slot[]): Map<string, Slot> {
  const byId = new Map<string, Slot>();
  for (const slot of slots.toReversed()) {
    const next = byId.get(slot.call.callId);
    if (next) slot.next = next;
    byId.set(slot.call.callId, slot);
  }
  return byId;
}

/** The first call of that id still waiting. The last of a chain stays, to tell a second result from an orphan. */
function take(byId: Map<string, Slot>, id: string): Slot | undefined {
  const slot = byId.get(id);
  if (!slot || slot.answered) return undefined;
  slot.answered = true;
  if (slot.next) byId.set(id, slot.next);
  return slot;
}

/** A result in the form its call wants: the very object it came from, where that already fits. */
function settled({ wire }: DraftResult, call: DraftCall): WireMessage {
  if (call.legacy) {
    if (wire.role === 'function' && wire.name === call.tool) return wire;
    return { role: 'function', name: call.tool, content: wire.content };
  }
  if (wire.role === 'function') return { role: 'tool', tool_call_id: call.wireId, content: wire.content };
  return wire.tool_call_id === call.wireId ? wire : { ...wire, tool_call_id: call.wireId };
}

function noResult(call: DraftCall): WireMessage {
  return call.legacy
    ? { role: 'function', name: call.tool, content: NO_RESULT }
    : { role: 'tool', tool_call_id: call.wireId, content: NO_RESULT };
}

/** A result that no waiting call wants, as a user message that says what it is. */
function stray(
  { part, wire }: DraftResult,
  at: string,
  byId: Map<string, Slot>,
  book: CallBook,
  note: (at: string, kind: string, what: string) => void,
): WireMessage {
  const id = part.callId;
  const here = byId.get(id);
  const call: PastCall | undefined = here ? { tool: here.call.tool, answered: here.answered } : book.find(id);
  if (!call) {
    note(at, 'orphan-result', `no call ${id} stands before it; sent as a user message`);
    return labelled(ORPHAN_RESULT, wire.content);
  }
  if (call.answered) {
    note(at, 'duplicate-result', `call ${id} to ${call.tool} already has a result; sent as a user message`);
    return labelled(secondResult(id, call.tool), wire.content);
  }
  book.enter(id, { tool: call.tool, answered: true });
  note(at, 'late-result', `call ${id} to ${call.tool} was over when it came; sent as a user message`);
  return labelled(lateResult(id, call.tool), wire.content);
}

function labelled(label: string, content: unknown): WireMessage {
  if (content === '') return { role: 'user', content: label };
  if (typeof content === 'string') return { role: 'user', content: `${label}\n${content}` };
  return { role: 'user', content: [{ type: 'text', text: label }, ...listOf(content)] };
}
