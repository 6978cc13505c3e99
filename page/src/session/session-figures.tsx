import type { SessionSummary } from '../api/types';
import { Figure } from '../parts/figure';
import { count, counted, dollars, exact, percent, signed } from '../parts/format';
import { explained, moneyOf } from '../parts/money';

export function SessionFigures({ of: said }: { readonly of: SessionSummary }) {
  const { reading, costs, breakers = {}, flags, savedTokens = 0, net = 0, netCost, fallbacks = 0 } = said;
  const open = Object.entries(breakers).filter(([, state]) => state !== 'closed');
  const derivation = (
    (reading as { readonly derivation?: readonly string[] } | undefined)?.derivation ?? []
  ).join('; ');
  return (
    <dl className="figures">
      {reading && (
        <Figure label="Pressure" why={`Tokens that would be sent now, over the budget. ${derivation}`}>
          {percent(reading.pressure)}{' '}
          <small>
            {count(reading.tokens)} / {count(reading.budget.tokens)}
          </small>
        </Figure>
      )}
      <Figure
        label="Log"
        why="Messages of the log. It is never edited: what left the context is still there."
      >
        {count(said.messages)} <small>messages</small>
      </Figure>
      <Figure
        label="Compactions"
        why={`Committed compactions, undone ones included. Judged: ${flags?.good ?? 0} good, ${flags?.neutral ?? 0} neutral, ${flags?.bad ?? 0} bad.`}
      >
        {count(said.compactions ?? 0)}
      </Figure>
      <Figure
        label="Saved per call"
        why={`The next call sends ${exact(savedTokens)} tokens less than without compaction.`}
      >
        {count(savedTokens)} <small>tokens</small>
      </Figure>
      <Figure
        label="Net"
        why="Tokens saved over all calls so far, less what re-writing the provider's cache and summarizing took; as plain input tokens."
      >
        {signed(net)} <small>tokens</small>
      </Figure>
      <Figure
        label="Net cost"
        why={
          typeof netCost === 'number'
            ? 'The same in US dollars. Above 0: compaction has paid for itself.'
            : 'Not known: no model was named, or it is in no price sheet.'
        }
      >
        {typeof netCost === 'number' ? dollars(netCost) : '–'}
      </Figure>
      {costs && (
        <>
          <Figure label="Primary" why={explained(costs.primary, 'primary')}>
            {moneyOf(costs.primary)}
          </Figure>
          <Figure label="Compactor" why={explained(costs.compactor, 'compactor')}>
            {moneyOf(costs.compactor)}
          </Figure>
        </>
      )}
      <Figure
        label="Fallbacks"
        why="Texts that a model was to write and did not: the deterministic text stands."
      >
        <span className={fallbacks > 0 ? 'warn' : ''}>{count(fallbacks)}</span>
      </Figure>
      <Figure
        label="Breakers"
        why={
          open.length === 0
            ? 'No summarizer endpoint failed so often that it is not asked for a while.'
            : open.map(([name, state]) => `${name}: ${state}`).join('; ')
        }
      >
        <span className={open.length > 0 ? 'bad' : ''}>
          {open.length === 0 ? 'closed' : counted(open.length, 'open one')}
        </span>
      </Figure>
    </dl>
  );
}
