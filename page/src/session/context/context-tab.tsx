import { Button, SegmentedControl, Switch } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { context, log } from '../../api/queries';
import type { LogEntry, Place, ShownMessage } from '../../api/types';
import { count, counted } from '../../parts/format';
import { Answer, Empty } from '../../parts/states';
import { sessionLink } from '../../route';
import { MessageDrawer, type Selected } from './message-drawer';
import { PairRow, type Side } from './pair-row';
import { pairsOf } from './pairs';

interface ContextTabProps {
  readonly place: Place;
  /** The call whose context is shown; the present context if undefined. */
  readonly call: number | undefined;
}

/** The log as it happened, next to the context as the model sees it. */
export function ContextTab({ place, call }: ContextTabProps) {
  const sent = useQuery(context(place, call));
  const logQuery = useInfiniteQuery(log(place, call));
  const entries = useMemo(() => logQuery.data?.pages.flatMap(({ items }) => items) ?? [], [logQuery.data]);
  const total = logQuery.data?.pages[0]?.total ?? entries.length;
  return (
    <section className="panel" aria-label="Context and log">
      {call !== undefined && (
        <header>
          <h2>As call {call} was sent</h2>
          <a className="end" href={sessionLink(place, 'context')}>
            Back to now
          </a>
        </header>
      )}
      <Answer query={sent} rows={10}>
        {({ messages }) => (
          <Answer query={logQuery} rows={10}>
            {() => (
              <SideBySide
                place={place}
                entries={entries}
                sent={messages}
                total={total}
                isNow={call === undefined}
              >
                {logQuery.hasNextPage && (
                  <div className="state">
                    <Button
                      variant="default"
                      loading={logQuery.isFetchingNextPage}
                      onClick={() => void logQuery.fetchNextPage()}
                    >
                      Show more of the log ({counted(total - entries.length, 'message')})
                    </Button>
                  </div>
                )}
              </SideBySide>
            )}
          </Answer>
        )}
      </Answer>
    </section>
  );
}

interface SideBySideProps {
  readonly place: Place;
  readonly entries: readonly LogEntry[];
  readonly sent: readonly ShownMessage[];
  readonly total: number;
  readonly isNow: boolean;
  readonly children: React.ReactNode;
}

function SideBySide({ place, entries, sent, total, isNow, children }: SideBySideProps) {
  const isNarrow = useMediaQuery('(max-width: 860px)') === true;
  const [narrowSide, setSide] = useState<Exclude<Side, 'both'>>('sent');
  const [isChangedOnly, setChangedOnly] = useState(false);
  const [selected, setSelected] = useState<Selected>();
  const side: Side = isNarrow ? narrowSide : 'both';
  const pairs = useMemo(() => {
    const loaded = entries.at(-1)?.seq ?? -1;
    const isWhole = entries.length >= total;
    return pairsOf(entries, isWhole ? sent : sent.filter(({ from }) => from <= loaded));
  }, [entries, sent, total]);
  const shown = isChangedOnly ? pairs.filter(({ kind }) => kind !== 'same') : pairs;
  if (total === 0) return <Empty title="No message yet" />;
  return (
    <>
      <div className="pair-head">
        {side !== 'sent' && (
          <h2 title="Append-only: messages that left the context are still here">
            Log <span className="soft">as it happened · {counted(total, 'message')}</span>
          </h2>
        )}
        {side !== 'log' && (
          <h2>
            Context{' '}
            <span className="soft">
              as the model {isNow ? 'sees' : 'saw'} it · {counted(sent.length, 'message')} ·{' '}
              {count(sent.reduce((sum, { tokens }) => sum + tokens, 0))} tokens
            </span>
          </h2>
        )}
        <div className="pair-tools">
          {isNarrow && (
            <SegmentedControl
              aria-label="Which side"
              value={narrowSide}
              onChange={(value) => setSide(value as 'log' | 'sent')}
              data={[
                { value: 'sent', label: 'Context' },
                { value: 'log', label: 'Log' },
              ]}
            />
          )}
          <Switch
            label="Changed only"
            checked={isChangedOnly}
            onChange={(event) => setChangedOnly(event.currentTarget.checked)}
          />
        </div>
      </div>
      <div className="pairs">
        {shown.length === 0 && <Empty title="Nothing was changed: the model sees the log as it is" />}
        {shown.map((pair) => (
          <PairRow
            key={pair.key}
            pair={pair}
            side={side}
            onOriginal={(id) => setSelected({ id })}
            onSent={(message) => setSelected({ id: message.id, sent: message })}
          />
        ))}
      </div>
      {children}
      <MessageDrawer
        place={place}
        selected={selected}
        entries={entries}
        onClose={() => setSelected(undefined)}
      />
    </>
  );
}
