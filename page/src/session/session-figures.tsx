import type { SessionSummary } from '../api/types';
import { Figure } from '../parts/figure';
import { count, dollars, exact, percent, signed } from '../parts/format';
import { CostFigures, FailureFigures } from '../parts/shared-figures';

export function SessionFigures({ session: said }: { readonly session: SessionSummary }) {
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
        why="Messages of the log. The log is never edited: messages that left the context are still in it."
      >
        {count(said.messages)} <small>{said.messages === 1 ? 'message' : 'messages'}</small>
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
        label="Net saving"
        why="Tokens saved over all calls so far, less the cost of re-writing the provider's cache and of summaries; as plain input tokens."
      >
        {signed(net)} <small>tokens</small>
      </Figure>
      <Figure
        label="Net saving in $"
        why={
          typeof netCost === 'number'
            ? 'The net saving in US dollars. Below 0: compaction has cost more than it saved so far.'
            : 'Not known: the request named no model, or no price sheet has the model.'
        }
      >
        {typeof netCost === 'number' ? dollars(netCost) : '–'}
      </Figure>
      <CostFigures costs={costs} />
      <FailureFigures fallbacks={fallbacks} open={open} />
    </dl>
  );
}
