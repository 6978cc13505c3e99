import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { costs, effect, history } from '../../api/queries';
import type { CompactionSummary, NetCost, Place } from '../../api/types';
import { EffectPanel } from '../../parts/effect-panel';
import { Num } from '../../parts/figure';
import { ago, dateTime, count, counted, dollars, exact, duration, percent, signed } from '../../parts/format';
import { Answer, Empty } from '../../parts/states';
import { Table, type Column } from '../../parts/table';
import { sessionLink } from '../../route';
import { RecordDetail } from './record-detail';

/** Every compaction: its reason, its effect, its cost and saving, and the operator's judgement. */
export function RecordsTab({ place, open }: { readonly place: Place; readonly open: string | undefined }) {
  const records = useQuery(history(place));
  const costsQuery = useQuery(costs(place));
  const effectQuery = useQuery(effect(place));
  return (
    <>
      <section className="panel" aria-label="Compactions">
        <Answer query={records} rows={8}>
          {({ items, total = items.length }) =>
            items.length === 0 ? (
              <Empty title="No compaction yet">
                <p>
                  Stages open automatically as pressure rises.{' '}
                  <a href={sessionLink(place, 'compact')}>Compact now</a> to see what one would do.
                </p>
              </Empty>
            ) : (
              <>
                <Table label="Table of compactions" columns={COLUMNS}>
                  {items.map((record) => (
                    <Row
                      key={record.id}
                      place={place}
                      record={record}
                      net={costsQuery.data?.net.find((one) => one.record === record.id)}
                      isOpen={record.id === open}
                      isNewest={record.id === items.find(({ status }) => status === 'committed')?.id}
                    />
                  ))}
                </Table>
                {total > items.length && (
                  <p className="in soft">
                    The newest {exact(items.length)} of {exact(total)}.
                  </p>
                )}
              </>
            )
          }
        </Answer>
      </section>
      <EffectPanel query={effectQuery} />
    </>
  );
}

const COLUMNS: readonly Column[] = [
  { name: 'Compaction' },
  { name: 'Why' },
  { name: 'Tokens', why: 'Tokens of the request before and after', isNumber: true },
  { name: 'Freed', why: 'Share of the request that was removed', isNumber: true },
  { name: 'Stages', isWide: true },
  {
    name: 'Net saving',
    why: 'Saved over all calls since, less the re-written cache and summaries; plain input tokens',
    isNumber: true,
    isWide: true,
  },
  { name: 'Compactor', why: 'What its summaries cost', isNumber: true, isWide: true },
  { name: 'Took', why: 'How long planning and filling took', isNumber: true, isWide: true },
  { name: 'Judged' },
  { name: 'When', isNumber: true, isWide: true },
];

interface RowProps {
  readonly place: Place;
  readonly record: CompactionSummary;
  readonly net: NetCost | undefined;
  readonly isOpen: boolean;
  readonly isNewest: boolean;
}

function Row({ place, record, net, isOpen, isNewest }: RowProps) {
  const { id, plan, status, fallbacks = [], calls = [], flag, notes, committedAt, durationMs } = record;
  const row = useRef<HTMLTableRowElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: 'center' });
  }, [isOpen]);
  const freed = plan.before.tokens === 0 ? 0 : 1 - plan.after.tokens / plan.before.tokens;
  const spent = calls.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  return (
    <>
      <tr ref={row} className={`row ${isOpen ? 'open' : ''} ${status === 'undone' ? 'gone' : ''}`}>
        <td className="title-cell">
          <a href={sessionLink(place, 'compactions', ...(isOpen ? [] : [id]))} aria-expanded={isOpen}>
            {id}
          </a>{' '}
          {status === 'undone' && <span className="mark">undone</span>}
        </td>
        <td>{plan.trigger.detail}</td>
        <td className="right">
          <Num why={`${exact(plan.before.tokens)} tokens before, ${exact(plan.after.tokens)} after`}>
            {count(plan.before.tokens)} → {count(plan.after.tokens)}
          </Num>
        </td>
        <td className="right">
          <Num why="Share of the request that was removed">{percent(freed)}</Num>
        </td>
        <td className="wide">
          <span className="line">
            {plan.stages
              .filter(({ edits }) => edits > 0)
              .map(({ stage, edits, before, after }) => (
                <span
                  key={stage}
                  className="mark"
                  title={`${stage}: ${counted(edits, 'edit')}, ${exact(before.tokens)} to ${exact(after.tokens)} tokens`}
                >
                  {stage}
                </span>
              ))}
            {fallbacks.length > 0 && (
              <span className="mark warn" title={fallbacks.join('\n')}>
                {counted(fallbacks.length, 'fallback')}
              </span>
            )}
          </span>
        </td>
        <td className="right wide">
          {net ? (
            <Num
              why={`Saves ${exact(net.savedPerCall)} tokens a call over ${exact(net.calls)} calls; ${exact(net.rewritten)} tokens of cache were re-written, summaries took ${exact(net.spentTokens)}.${typeof net.netCost === 'number' ? ` In US dollars: ${dollars(net.netCost)}.` : ''}`}
            >
              {signed(net.net)}
            </Num>
          ) : (
            '–'
          )}
        </td>
        <td className="right wide">
          <Num why={`${counted(calls.length, 'call')} of a summarizer`}>
            {calls.length === 0 ? '$0' : dollars(spent)}
          </Num>
        </td>
        <td className="right wide">
          <Num why="Milliseconds for planning, filling and committing">{duration(durationMs)}</Num>
        </td>
        <td>
          {flag ? (
            <span className={`mark ${FLAG_LOOKS[flag]}`} title={notes ?? 'No notes'}>
              {flag}
              {notes === undefined || notes === '' ? '' : ' …'}
            </span>
          ) : (
            <span className="soft">–</span>
          )}
        </td>
        <td className="right wide soft">
          <Num why={dateTime(committedAt)}>{ago(committedAt)}</Num>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={COLUMNS.length} className="detail">
            <RecordDetail place={place} record={record} net={net} isNewest={isNewest} />
          </td>
        </tr>
      )}
    </>
  );
}

const FLAG_LOOKS = { good: 'good', bad: 'bad', neutral: '' } as const;
