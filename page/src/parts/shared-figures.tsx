import type { Costs } from '../api/types';
import { Figure } from './figure';
import { count, counted } from './format';
import { costText, moneyOf } from './money';

/** The cost of agent and compactor, for one session or for all. */
export function CostFigures({ costs }: { readonly costs: Costs | undefined }) {
  return (
    <>
      <Figure
        label="Primary"
        why={costs ? costText(costs.primary, 'primary') : "What the agent's own calls cost."}
      >
        {costs ? moneyOf(costs.primary) : '–'}
      </Figure>
      <Figure
        label="Compactor"
        why={costs ? costText(costs.compactor, 'compactor') : 'What calls of summarizers cost.'}
      >
        {costs ? moneyOf(costs.compactor) : '–'}
      </Figure>
    </>
  );
}

interface FailureProps {
  readonly fallbacks: number;
  /** Breakers that are not closed, by endpoint. */
  readonly open: readonly (readonly [endpoint: string, state: string])[];
}

/** Failures of summarizers, for one session or for all. */
export function FailureFigures({ fallbacks, open }: FailureProps) {
  return (
    <>
      <Figure
        label="Fallbacks"
        why="Texts that a model failed to write, so the deterministic text was used. Each compaction shows why."
      >
        <span className={fallbacks > 0 ? 'warn' : ''}>{count(fallbacks)}</span>
      </Figure>
      <Figure
        label="Breakers"
        why={
          open.length === 0
            ? 'Every summarizer endpoint is in use: none has failed too often.'
            : open.map(([endpoint, state]) => `${endpoint}: ${state}`).join('; ')
        }
      >
        <span className={open.length > 0 ? 'bad' : ''}>
          {open.length === 0 ? 'closed' : counted(open.length, 'open one')}
        </span>
      </Figure>
    </>
  );
}
