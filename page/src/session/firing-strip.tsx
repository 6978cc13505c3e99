import { useViewportSize } from '@mantine/hooks';
import type { Place, Stage } from '../api/types';
import { counted, percent } from '../parts/format';
import { sessionLink } from '../route';
import { MARGIN_LEFT, MARGIN_RIGHT } from './pressure-chart';
import { rowsOf, type Timeline } from './timeline';

/** The smallest target for a finger, and the width of the margins left and right of the panel; both in pixels. */
const TARGET = 24;
const FRAME = 44;

const OUTCOMES = {
  applied: 'took',
  nothing: 'found nothing to remove',
  failed: 'failed',
  refused: 'proposed edits that were refused',
} as const;

/** The gates below the curve, with a dot where the stage opened. A filled dot: the stage removed something. */
export function FiringStrip({
  place,
  timeline,
  stages,
}: {
  readonly place: Place;
  readonly timeline: Timeline;
  readonly stages: readonly Stage[];
}) {
  const { fired, first, last } = timeline;
  const { width } = useViewportSize();
  // The dots are no tab stops, because there may be a hundred; the table of compactions has the same links.
  // Dots that are too close for a finger (on a telephone) are no links either: they only show their text.
  const isRoomy = fired.length * TARGET < width - MARGIN_LEFT - MARGIN_RIGHT - FRAME;
  const across = (call: number): string => `${((call - first) / Math.max(1, last - first)) * 100}%`;
  return (
    <ul className="strip" aria-label="What fired at which call">
      {rowsOf(stages, fired).map(({ name, opensAt, summary }) => (
        <li key={name}>
          <span className="gate" style={{ width: MARGIN_LEFT }} title={summary}>
            {name}
            <small>{opensAt === undefined ? '' : opensAt.toFixed(2)}</small>
          </span>
          <span className="track" style={{ marginRight: MARGIN_RIGHT }}>
            {fired.flatMap(({ record, call }) =>
              record.plan.stages
                .filter(({ stage }) => stage === name)
                .map(({ outcome, before, after, edits }) => {
                  const freed = before.tokens - after.tokens;
                  const what =
                    outcome === 'applied'
                      ? `${counted(edits, 'edit')}, ${counted(Math.abs(freed), 'token')} ${freed < 0 ? 'added' : 'freed'}`
                      : OUTCOMES[outcome];
                  const undoneText = record.status === 'undone' ? ', undone since' : '';
                  const text = `${name} before call ${call}, in ${record.id} at ${percent(record.plan.inputs.pressure)}: ${what}${undoneText}`;
                  const dot = {
                    className: 'dot',
                    'data-outcome': record.status === 'undone' ? 'undone' : outcome,
                    style: { left: across(call) },
                    title: text,
                    'aria-label': text,
                  };
                  return isRoomy ? (
                    <a
                      key={record.id}
                      href={sessionLink(place, 'compactions', record.id)}
                      tabIndex={-1}
                      {...dot}
                    >
                      <span className="unseen">{text}</span>
                    </a>
                  ) : (
                    <span key={record.id} role="img" {...dot} />
                  );
                }),
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}
