import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { calls, history, stages } from '../api/queries';
import type { Place } from '../api/types';
import { Answer, Empty } from '../parts/states';
import { callIn, sessionLink } from '../route';
import { FiringStrip } from './firing-strip';
import { PressureChart } from './pressure-chart';
import { timelineOf } from './timeline';

interface PanelProps {
  readonly place: Place;
  readonly tab: string;
  readonly detail: string | undefined;
}

/** Kept between the views of a session. The strip is closed at first, so that the view below is easier to reach. */
let wasFiredOpen = false;

/** The pressure of each call, the gates, and the stages that opened. */
export function PressurePanel({ place, tab, detail }: PanelProps) {
  const [isFiredOpen, setFiredOpen] = useState(wasFiredOpen);
  useEffect(() => {
    wasFiredOpen = isFiredOpen;
  }, [isFiredOpen]);
  const callsQuery = useQuery(calls(place));
  const records = useQuery(history(place));
  const roster = useQuery(stages);
  const timeline = useMemo(
    () => timelineOf(callsQuery.data?.items ?? [], records.data?.items ?? []),
    [callsQuery.data, records.data],
  );
  const gates = useMemo(() => roster.data?.items ?? [], [roster.data]);
  const shown = tab === 'context' ? callIn(detail) : undefined;
  return (
    <section className="panel" aria-label="Pressure over time">
      <header>
        <h2>Pressure</h2>
        <span className="soft wide">
          by call, as it was sent; rings: before a compaction; arrows: higher than the chart; dots below:
          stages that opened
        </span>
        {shown !== undefined && (
          <a className="end" href={sessionLink(place, 'context')}>
            Back to now
          </a>
        )}
      </header>
      <Answer query={callsQuery} rows={5}>
        {({ items }) =>
          !records.data ? (
            <Answer query={records} rows={5}>
              {() => null}
            </Answer>
          ) : items.length === 0 && timeline.fired.length === 0 ? (
            <Empty title="No call yet">
              <p>Calls are shown once their usage was reported.</p>
            </Empty>
          ) : (
            <>
              <PressureChart
                timeline={timeline}
                gates={gates}
                shownCall={shown}
                onCall={(call) => {
                  if (items.some((one) => one.call === call))
                    location.hash = sessionLink(place, 'context', String(call));
                }}
              />
              <details
                className="fired"
                open={isFiredOpen}
                onToggle={(event) => setFiredOpen(event.currentTarget.open)}
              >
                <summary>What fired at which gate</summary>
                <FiringStrip place={place} timeline={timeline} stages={gates} />
              </details>
            </>
          )
        }
      </Answer>
    </section>
  );
}
