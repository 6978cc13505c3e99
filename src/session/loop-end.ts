import { removesInvalid, type Policy } from '../pipeline/index.js';
import { isSigned, type Log, type Message, type ViewMessage } from '../transcript/index.js';
import { loopEndMessage, withoutMarkers } from './own-messages.js';
import type { Pieces } from './wiring.js';
import type { Thread } from './thread.js';

/** Ends the tool loop in progress with a user message if an edit removed its reasoning. */
export class LoopEnd {
  /** Version of the ledger at the last check: only edits in the ledger remove reasoning. */
  #checkedAt = 0;
  constructor(private readonly pieces: Pick<Pieces, 'clock' | 'inbox' | 'policies' | 'thread'>) {}

  /** Appends the message if it is needed. Called before a request is written. */
  async put(): Promise<void> {
    const { thread, policies, inbox, clock } = this.pieces;
    const { appendedMessages, ledger, log } = thread;
    if (this.#checkedAt === ledger.version || log.isPaused) return;
    if (hasLostReasoning(thread, policies.current))
      await inbox.append(loopEndMessage(appendedMessages, clock()));
    this.#checkedAt = ledger.version;
  }
}

/**
 * Whether the tool loop in progress has lost the reasoning that its provider requires: a loop that began with signed
 * reasoning is refused without it, unless a user message follows. Walks back to the newest words of a user.
 */
function hasLostReasoning({ log, projection }: Thread, { reasoning }: Policy): boolean {
  if (!reasoning) return false;
  const view = withoutMarkers(projection.view);
  if (view.at(-1)?.message.role !== 'tool') return false;
  for (let i = view.length - 1; i >= 0; i--) {
    const found = reasoningState(view[i]!, log, removesInvalid(reasoning));
    if (found) return found === 'gone';
  }
  return false;
}

/**
 * State of a loop's reasoning as far as a message shows it; undefined if an earlier message decides. `isBound`: steps
 * that were removed as a whole count as lost reasoning; otherwise the steps that remain do not need it.
 */
function reasoningState(
  shown: ViewMessage,
  log: Log,
  isBound: boolean,
): 'gone' | 'sent' | 'no loop' | undefined {
  const { message, source, made, replaced, from, to } = shown;
  if (hasUserWords(message)) return 'no loop';
  if (source) {
    const first = source.parts.findIndex(isSigned);
    return first < 0 ? undefined : replaced?.has(first) ? 'gone' : 'sent';
  }
  for (let seq = to; made && seq >= from; seq--) {
    const hidden = log.at(seq);
    if (hasUserWords(hidden)) return 'no loop';
    if (isBound && hidden.parts.some(isSigned)) return 'gone';
  }
  return undefined;
}

const hasUserWords = ({ role, parts }: Message): boolean =>
  role === 'user' && parts.some(({ type }) => type !== 'tool-result' && type !== 'marker');
