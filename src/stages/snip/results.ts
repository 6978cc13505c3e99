import type { StageGoal, TranscriptView } from '../../spi/index.js';
import type { Replace } from '../../transcript/index.js';
import { candidatesOf, type Candidate } from './candidates.js';
import type { Need } from './need.js';
import type { SnipOptions } from './options.js';
import { removeExchanges } from './remove.js';
import { NOTHING, type Taken } from './taken.js';

/** Takes results in class order, oldest first, until the need is met; what has expired goes in any case. */
export function resultEdits(view: TranscriptView, goal: StageGoal<SnipOptions>, need: Need): Taken {
  const candidates = candidatesOf(view, goal);
  const chosen: Candidate[] = [];
  const removes = goal.options.mode === 'remove';
  const take = (candidate: Candidate): void => {
    chosen.push(candidate);
    const saved = removes ? candidate.result.tokens : candidate.saved;
    need.take(saved, saved);
  };
  for (const candidate of candidates) {
    if (!candidate.shielded && (candidate.why === 'expired' || !need.isMet)) take(candidate);
  }
  // A cap on tool results wins over the protection of the newest.
  for (const candidate of candidates) if (candidate.shielded && need.capExceeded) take(candidate);
  const removal = removes ? removeExchanges(view, chosen, goal.count) : NOTHING;
  const stubs = chosen
    .filter(({ result, saved }) => saved > 0 && !removal.gone.has(result.exchange))
    .map(stubEdit);
  return { edits: [...removal.edits, ...stubs], gone: removal.gone };
}

function stubEdit({ result, stub, reason }: Candidate): Replace {
  return {
    kind: 'replace',
    messageId: result.source.id,
    partIndex: result.index,
    content: [{ type: 'text', text: stub }],
    reason,
  };
}
