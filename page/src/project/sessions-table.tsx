import type { SessionSummary } from '../api/types';
import { Num } from '../parts/figure';
import { ago, dateTime, count, dollars, exact, signed } from '../parts/format';
import { Money } from '../parts/money';
import { Pressure } from '../parts/pressure';
import { Empty } from '../parts/states';
import { Table, type Column } from '../parts/table';
import { PRIMARY, sessionLink } from '../route';

const COLUMNS: readonly Column[] = [
  { name: 'Session' },
  { name: 'Pressure' },
  { name: 'Messages', why: 'Messages of the log', isNumber: true },
  { name: 'Compactions', why: 'Committed compactions, undone ones included', isNumber: true },
  { name: 'Saved', why: 'Tokens that the next call sends less', isNumber: true },
  {
    name: 'Net saving',
    why: 'Saved over all calls, less cache re-writes and summaries; plain input tokens',
    isNumber: true,
    isWide: true,
  },
  {
    name: 'In $',
    why: 'The net saving in US dollars; below 0 compaction has cost more than it saved so far',
    isNumber: true,
    isWide: true,
  },
  { name: 'Primary', why: "The agent's own calls", isNumber: true, isWide: true },
  { name: 'Compactor', why: 'Calls of summarizers', isNumber: true, isWide: true },
  { name: 'Fallbacks', why: 'Texts that a model failed to write', isNumber: true, isWide: true },
  { name: 'Written', isNumber: true },
];

export function SessionsTable({ items }: { readonly items: readonly SessionSummary[] }) {
  if (items.length === 0) return <Empty title="No session matches these words" />;
  return (
    <Table label="Table of sessions" columns={COLUMNS}>
      {items.map((one) => (
        <Row key={`${one.id} ${one.agentPath}`} session={one} />
      ))}
    </Table>
  );
}

function Row({ session: one }: { readonly session: SessionSummary }) {
  const { id, agentPath, model } = one;
  const about = [
    one.title === undefined ? undefined : id,
    agentPath === PRIMARY ? undefined : agentPath,
    model ?? 'no model named',
    one.format,
  ];
  return (
    <tr className="row">
      <td className="title-cell">
        <a href={sessionLink(one)}>
          <span>{one.title ?? id}</span>
          <small>{about.filter(Boolean).join(' · ')}</small>
        </a>
        <State session={one} />
      </td>
      {one.fault === undefined ? <Figures session={one} /> : <td colSpan={COLUMNS.length - 2}>–</td>}
      <td className="right soft">
        {one.updatedAt !== undefined && <Num why={dateTime(one.updatedAt)}>{ago(one.updatedAt)}</Num>}
      </td>
    </tr>
  );
}

function Figures({ session: one }: { readonly session: SessionSummary }) {
  const { messages, compactions = 0, savedTokens = 0, net = 0, netCost, costs } = one;
  return (
    <>
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
      <td className="right wide">{costs && <Money line={costs.primary} kind="primary" />}</td>
      <td className="right wide">{costs && <Money line={costs.compactor} kind="compactor" />}</td>
      <td className="right wide">
        <Num why="Texts that a model failed to write; the deterministic text was used">
          {count(one.fallbacks ?? 0)}
        </Num>
      </td>
    </>
  );
}

function State({
  session: { pending, breakers = {}, flags, forkOf, fault },
}: {
  readonly session: SessionSummary;
}) {
  const open = Object.entries(breakers).filter(([, state]) => state !== 'closed');
  return (
    <span className="line">
      {fault !== undefined && (
        <span className="mark bad" title="The session cannot be read: its own page says why">
          {fault}
        </span>
      )}
      {pending !== undefined && (
        <span className="mark accent" title="A plan waits for approval: see the inbox">
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
      {forkOf !== undefined && (
        <span className="mark" title={`Forked: the session begins with answers of the session ${forkOf}`}>
          fork
        </span>
      )}
    </span>
  );
}
