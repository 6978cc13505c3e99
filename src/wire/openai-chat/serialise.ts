import type { ViewMessage } from '../../transcript/index.js';
import { NO_RESULT } from '../conversation/placeholders.js';
import { SAID, type Report } from '../conversation/repairs.js';
import { resultsBehindCalls } from '../conversation/results-behind-calls.js';
import { listOf } from '../record.js';
import { draftOf, type ChatAnswer, type ChatCall, type ChatDraft } from './draft.js';
import { MIDWAY } from './placeholders.js';
import type { WireMessage } from './wire.js';

export const serialise = resultsBehindCalls<ChatCall, ChatAnswer, ChatDraft>({
  draft: draftOf,
  answered: (pairs, _, report) =>
    pairs.map(([{ wire }, call]) => {
      const sent = settled(wire, call);
      if (sent !== wire) report('result-mended', `sent in the form of its call ${call.wireId}`);
      return sent;
    }),
  unanswered: (calls) =>
    calls.map((call) => {
      return call.legacy
        ? { role: 'function', name: call.tool, content: NO_RESULT }
        : { role: 'tool', tool_call_id: call.wireId, content: NO_RESULT };
    }),
  unmatched: (label, { wire }) => labelled(label, wire.content),
  said: (draft, view, report) => (isMidway(draft, view) ? midway(draft, report) : draft.message),
});

/** A result in the form its call wants: the very object it came from, where that already fits. */
function settled(wire: WireMessage, call: ChatCall): WireMessage {
  if (call.legacy) {
    if (wire.role === 'function' && wire.name === call.tool) return wire;
    return { role: 'function', name: call.tool, content: wire.content };
  }
  if (wire.role === 'function') return { role: 'tool', tool_call_id: call.wireId, content: wire.content };
  return wire.tool_call_id === call.wireId ? wire : { ...wire, tool_call_id: call.wireId };
}

/** Servers want instructions in front, and take more only behind those. */
function isMidway({ role }: ChatDraft, view: readonly ViewMessage[]): boolean {
  return role === 'system' && view[0]!.message.role !== 'system';
}

/** Instructions of a conversation that began without any, as a user message that says what it is. */
function midway({ message }: ChatDraft, report: Report): WireMessage {
  report('midway-instructions', SAID.midway);
  return labelled(MIDWAY, message?.content);
}

function labelled(label: string, content: unknown): WireMessage {
  if (content === '') return { role: 'user', content: label };
  if (typeof content === 'string') return { role: 'user', content: `${label}\n${content}` };
  return { role: 'user', content: [{ type: 'text', text: label }, ...listOf(content)] };
}
