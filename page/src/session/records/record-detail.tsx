import { useQuery } from '@tanstack/react-query';
import { compaction } from '../../api/queries';
import type { CompactionSummary, NetCost, Place } from '../../api/types';
import { counted, dollars, exact, duration } from '../../parts/format';
import { Answer } from '../../parts/states';
import { EditList } from './edit-list';
import { Judgement } from './judgement';
import { UndoRecord } from './undo-record';

interface DetailProps {
  readonly place: Place;
  readonly record: CompactionSummary;
  readonly net: NetCost | undefined;
  readonly isNewest: boolean;
}

/** One whole compaction: every edit with its reason and words, its time and cost, and the operator's actions. */
export function RecordDetail({ place, record, net, isNewest }: DetailProps) {
  const whole = useQuery(compaction(place, record.id));
  const { warnings = [], fallbacks = [], calls = [], hooks = [], stageMs } = record;
  return (
    <div className="stack">
      <div className="line">
        <Judgement key={`${record.flag} ${record.notes}`} place={place} record={record} />
      </div>
      {warnings.map(({ code, message }) => (
        <p key={code} className="notice">
          {message}
        </p>
      ))}
      <div className="two">
        <section aria-label="Edits">
          <Answer query={whole} rows={4}>
            {({ record: { plan: own } }) => (
              <>
                <h3>{counted(own.edits.length, 'edit')}</h3>
                <EditList edits={own.edits} />
              </>
            )}
          </Answer>
        </section>
        <aside className="stack">
          <Facts record={record} net={net} />
          <div>
            <h3>Time</h3>
            <p className="soft">
              {Object.entries(stageMs)
                .map(([stage, ms]) => `${stage} ${duration(ms)}`)
                .join(', ') || 'Planned by hand.'}
            </p>
          </div>
          {calls.length > 0 && (
            <div>
              <h3>Summarizer</h3>
              {calls.map((call, place_) => (
                <p key={place_} className="soft">
                  {call.model ?? call.endpoint}: {call.outcome}
                  {call.reason === undefined ? '' : ` (${call.reason})`}, {duration(call.durationMs)},{' '}
                  {call.cost === null ? 'no price' : dollars(call.cost)}
                </p>
              ))}
            </div>
          )}
          {hooks.length > 0 && (
            <div>
              <h3>Hooks</h3>
              {hooks.map(({ plugin, hook, outcome, durationMs, message }) => (
                <p key={`${plugin} ${hook}`} className={outcome === 'done' ? 'soft' : 'warn'}>
                  {plugin} {hook}: {outcome}
                  {message === undefined ? '' : ` (${message})`}, {duration(durationMs)}
                </p>
              ))}
            </div>
          )}
          {fallbacks.length > 0 && (
            <div>
              <h3>Fallbacks</h3>
              {fallbacks.map((why) => (
                <p key={why} className="warn">
                  {why}
                </p>
              ))}
            </div>
          )}
          <UndoRecord place={place} record={record} isNewest={isNewest} />
        </aside>
      </div>
    </div>
  );
}

function Facts({ record: { plan, unchangedTokens }, net }: Pick<DetailProps, 'record' | 'net'>) {
  return (
    <div>
      <h3>Reading</h3>
      <p className="soft">{plan.inputs.derivation.join('; ')}</p>
      <p
        className="soft"
        title="The part of the request that no run may remove: pins, tools, the unanswered user message, the open exchange"
      >
        Floor {exact(plan.floor.total)} tokens
        {unchangedTokens === undefined
          ? ''
          : `; the first ${exact(unchangedTokens)} tokens stayed as they were, in the provider's cache`}
        .
      </p>
      {net && (
        <p className="soft">
          {net.paysAfterCalls === undefined
            ? 'It does not pay for itself.'
            : `It pays for itself after ${counted(net.paysAfterCalls, 'call')}; ${counted(net.calls, 'call')} were observed.`}
        </p>
      )}
    </div>
  );
}
