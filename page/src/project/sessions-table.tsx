import type { SessionSummary } from '../api/types';
import { Num } from '../parts/figure';
import { ago, at, count, dollars, exact, signed } from '../parts/format';
import { Money } from '../parts/money';
import { Pressure } from '../parts/pressure';
import { Empty } from '../parts/states';
import { PRIMARY, sessionLink } from '../route';

export function SessionsTable({ items }: { readonly items: readonly SessionSummary[] }) {
  if (items.length === 0) return <Empty title="No session has that name or model" />;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Table of sessions">
      <table className="list">
        <thead>
          <tr>
            <th>Session</th>
            <th>Pressure</th>
            <th className="right" title="Messages of the log">
              Messages
            </th>
            <th className="right" title="Committed compactions, undone ones included">
              Events
            </th>
            <th className="right" title="Tokens that the next call sends less">
              Saved
            </th>
            <th
              className="right wide"
              title="Saved over all calls, less cache re-writes and summaries; plain input tokens"
            >
              Net tokens
            </th>
            <th className="right wide" title="The same in US dollars">
              Net cost
            </th>
            <th className="right wide" title="The agent's own calls">
              Primary
            </th>
            <th className="right wide" title="Calls of summarizers">
              Compactor
            </th>
            <th className="right wide" title="Texts of models that were not to be had">
              Fallbacks
            </th>
            <th className="wide">State</th>
            <th className="right">Written</th>
          </tr>
        </thead>
        <tbody>
          {items.map((one) => (
            <Row key={`${one.id} ${one.agentPath}`} of={one} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ of: one }: { readonly of: SessionSummary }) {
  const { id, agentPath, model, messages, compactions = 0, savedTokens = 0, net = 0, netCost, costs } = one;
  const about = [agentPath === PRIMARY ? undefined : agentPath, model ?? 'no model named', one.format];
  return (
    <tr className="row">
      <td className="title-cell">
        <a href={sessionLink(one)}>{id}</a>
        <small>{about.filter(Boolean).join(' · ')}</small>
      </td>
      <td>{one.reading ? <Pressure reading={one.reading} /> : '–'}</td>
      <td className="right">{count(messages)}</td>
      <td className="right">{count(compactions)}</td>
      <td className="right">
        <Num why={`${exact(savedTokens)} tokens less in the next call`}>{count(savedTokens)}</Num>
      </td>
      <td className="right wide">
        <Num why={`${exact(net)} plain input tokens, after cache re-writes and summaries`}>{signed(net)}</Num>
      </td>
      <td className="right wide">
        <Num
          why={
            typeof netCost === 'number'
              ? 'US dollars saved so far, after cache re-writes and summaries'
              : 'The price of this model is not known.'
          }
        >
          {typeof netCost === 'number' ? dollars(netCost) : '–'}
        </Num>
      </td>
      <td className="right wide">{costs && <Money line={costs.primary} of="primary" />}</td>
      <td className="right wide">{costs && <Money line={costs.compactor} of="compactor" />}</td>
      <td className="right wide">
        <Num why="Texts that a model was to write and did not; the deterministic text stands">
          {count(one.fallbacks ?? 0)}
        </Num>
      </td>
      <td className="wide">
        <State of={one} />
      </td>
      <td className="right soft">
        <Num why={at(one.updatedAt)}>{ago(one.updatedAt)}</Num>
      </td>
    </tr>
  );
}

function State({ of: { pending, breakers = {}, flags, linked } }: { readonly of: SessionSummary }) {
  const open = Object.entries(breakers).filter(([, state]) => state !== 'closed');
  return (
    <span className="line">
      {pending !== undefined && (
        <span className="mark accent" title="A plan waits for a yes: see the inbox">
          waits
        </span>
      )}
      {open.map(([name, state]) => (
        <span
          key={name}
          className="mark bad"
          title={`The breaker of ${name} is ${state}: it failed too often`}
        >
          breaker {state}
        </span>
      ))}
      {flags && flags.bad > 0 && (
        <span className="mark warn" title="Compactions that an operator judged bad">
          {flags.bad} bad
        </span>
      )}
      {linked && (
        <span className="mark" title={`Its client came from the session ${linked.to} (${linked.how})`}>
          {linked.how}
        </span>
      )}
    </span>
  );
}
