import { useQuery } from '@tanstack/react-query';
import { stages } from '../api/queries';
import type { Reading } from '../api/types';
import { exact, percent } from './format';

/** Tokens over budget, with the gates as ticks. */
export function Pressure({ reading }: { readonly reading: Pick<Reading, 'pressure' | 'tokens' | 'budget'> }) {
  const { data } = useQuery(stages);
  const { pressure, tokens, budget } = reading;
  const why =
    budget.tokens > 0
      ? `Pressure: ${exact(tokens)} of ${exact(budget.tokens)} tokens. Ticks are the gates; a stage opens when pressure passes its gate.`
      : `${exact(tokens)} tokens; this model has no limit.`;
  return (
    <span className="pressure" title={why}>
      <span
        className="gauge"
        role="meter"
        aria-label="Pressure"
        aria-valuemin={0}
        aria-valuemax={1}
        aria-valuenow={Math.min(1, pressure)}
        aria-valuetext={why}
      >
        <i className={pressure >= 1 ? 'over' : ''} style={{ width: `${Math.min(1, pressure) * 100}%` }} />
        {data?.items.map(({ name, opensAt }) =>
          opensAt === undefined ? null : <u key={name} style={{ left: `${opensAt * 100}%` }} />,
        )}
      </span>
      <b>{percent(pressure)}</b>
    </span>
  );
}
