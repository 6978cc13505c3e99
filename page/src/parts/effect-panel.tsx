import type { UseQueryResult } from '@tanstack/react-query';
import type { Effect } from '../api/types';
import { Num } from './figure';
import { count, counted, dollars, exact, duration, percent } from './format';
import { Histogram } from './histogram';
import { Answer, SkippedNote } from './states';

/** The effect of compactions: tokens before and after, each stage, lengths of summaries, cost and hooks. */
export function EffectPanel({ query }: { readonly query: UseQueryResult<Effect> }) {
  return (
    <section className="panel" aria-label="Effect of compactions">
      <header>
        <h2>Effect</h2>
        <span className="soft">of all compactions so far</span>
      </header>
      <Answer query={query} rows={4}>
        {(effect) => (
          <>
            <div className="in effect">
              <Sums effect={effect} />
              <Stages stages={effect.stages} />
              <div>
                <h3 title="Lengths of the texts that replace superseded spans">Length of summaries</h3>
                <Histogram values={effect.summaryTokens} unit="tokens" />
              </div>
              <Hooks hooks={effect.hooks} />
            </div>
            <SkippedNote skipped={effect.skipped} />
          </>
        )}
      </Answer>
    </section>
  );
}

function Sums({ effect }: { readonly effect: Effect }) {
  const { compactions, tokensBefore, tokensAfter, triggers, modelCosts, fallbacks } = effect;
  const spent = modelCosts.reduce((sum, cost) => sum + cost, 0);
  return (
    <div>
      <h3>Tokens</h3>
      <p>
        <Num
          why={`Requests had ${exact(tokensBefore)} tokens before compaction and ${exact(tokensAfter)} after; ${counted(compactions.undone, 'undone compaction')} left out`}
        >
          {count(tokensBefore)} → {count(tokensAfter)}
        </Num>{' '}
        <span className="soft">
          {tokensBefore === 0 ? '' : `${percent(1 - tokensAfter / tokensBefore)} freed`}
        </span>
      </p>
      <h3>Why they ran</h3>
      <p className="soft">
        {Object.entries(triggers)
          .map(([kind, some]) => `${kind} ${count(some)}`)
          .join(', ') || 'none ran'}
      </p>
      <h3>Cost of a compaction</h3>
      <p className="soft">
        {modelCosts.length === 0 ? (
          'no model was asked'
        ) : (
          <Num why="Of compactions that asked a summarizer; calls without a known price count as 0">
            {dollars(spent / modelCosts.length)} on average, at most {dollars(Math.max(...modelCosts))}, in{' '}
            {counted(modelCosts.length, 'compaction')}
          </Num>
        )}
        {fallbacks > 0 && `; ${counted(fallbacks, 'fallback')}`}
      </p>
    </div>
  );
}

function Stages({ stages }: { readonly stages: Effect['stages'] }) {
  return (
    <table className="small">
      <thead>
        <tr>
          <th>Stage</th>
          <th title="Runs in which the stage removed something, of the runs in which it opened">Took</th>
          <th title="Tokens that the stage freed; negative if it added tokens">Freed</th>
          <th title="Average time of a run">Time</th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(stages).map(([stage, { ran, applied, tokens, ms }]) => (
          <tr key={stage}>
            <td>{stage}</td>
            <td className="num">
              {applied} of {ran}
            </td>
            <td className="num">{count(tokens)}</td>
            <td className="num">{duration(ms / ran)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Hooks({ hooks }: { readonly hooks: Effect['hooks'] }) {
  const entries = Object.entries(hooks);
  return (
    <div>
      <h3 title="Time that plugins took before and during compactions">Hooks of plugins</h3>
      {entries.length === 0 && <p className="soft">none ran</p>}
      {entries.map(([name, { ran, failed, ms, longestMs }]) => (
        <p key={name}>
          {name}{' '}
          <span className="soft num">
            {duration(ms / ran)} on average, {duration(longestMs)} at most, {counted(ran, 'run')}
          </span>
          {failed > 0 && <span className="bad num"> {counted(failed, 'failure')}</span>}
        </p>
      ))}
    </div>
  );
}
