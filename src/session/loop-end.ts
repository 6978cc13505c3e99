import { takesOut, type Policy } from '../pipeline/index.js';
import { isSigned, type Log, type Message, type ViewMessage } from '../transcript/index.js';
import { goOnMessage, withoutMarkers } from './own-messages.js';
import type { Pieces } from './wiring.js';
import type { Thread } from './thread.js';

/** Ends the tool loop in progress by a line of the user where a change took its reasoning. */
export class LoopEnd {
  /** Version of the ledger that was looked at last: only what is in it takes reasoning out. */
  #checkedAt = 0;
  constructor(private readonly of: Pick<Pieces, 'clock' | 'inbox' | 'policies' | 'thread'>) {}

  /** Before a request is written. */
  async put(): Promise<void> {
    const { thread, policies, inbox, clock } = this.of;
    const { ledger, log } = thread;
    if (this.#checkedAt === ledger.version || log.isPaused) return;
    if (lostReasoning(thread, policies.now)) await inbox.append(goOnMessage(thread.appended, clock()));
    this.#checkedAt = ledger.version;
  }
}

/**
 * Whether the tool loop in progress has lost the reasoning that its provider asks for: a loop that was begun with signed
 * reasoning is refused without it, unless the user speaks. Walks back to the newest words of a user.
 */
function lostReasoning({ log, projection }: Thread, { reasoning }: Policy): boolean {
  if (!reasoning) return false;
  const view = withoutMarkers(projection.view);
  if (view.at(-1)?.message.role !== 'tool') return false;
  for (let i = view.length - 1; i >= 0; i--) {
    const found = reasoningOf(view[i]!, log, takesOut(reasoning));
    if (found) return found === 'gone';
  }
  return false;
}

/**
 * What a message says of the loop that it stands in; undefined where the answer lies further back. Steps that may go whole
 * take no reasoning from those that stay (`isBound`: they do).
 */
function reasoningOf(
  shown: ViewMessage,
  log: Log,
  isBound: boolean,
): 'gone' | 'sent' | 'no loop' | undefined {
  const { message, source, made, replaced, from, to } = shown;
  if (isWords(message)) return 'no loop';
  if (source) {
    const first = source.parts.findIndex(isSigned);
    return first < 0 ? undefined : replaced?.has(first) ? 'gone' : 'sent';
  }
  for (let seq = to; made && seq >= from; seq--) {
    const hidden = log.at(seq);
    if (isWords(hidden)) return 'no loop';
    if (isBound && hidden.parts.some(isSigned)) return 'gone';
  }
  return undefined;
}

const isWords = ({ role, parts }: Message): boolean =>
  role === 'user' && parts.some(({ type }) => type !== 'tool-result' && type !== 'marker');
