import { TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { inbox, projectCosts, projectEffect, sessions } from '../api/queries';
import type { Costs, SessionSummary } from '../api/types';
import { EffectPanel } from '../parts/effect-panel';
import { Figure } from '../parts/figure';
import { count, dollars, exact, signed } from '../parts/format';
import { CostFigures, FailureFigures } from '../parts/shared-figures';
import { Answer, Empty } from '../parts/states';
import { linkTo } from '../route';
import { SessionsTable } from './sessions-table';

/** All sessions at a glance, and a notice of plans that wait for approval. */
export function ProjectPage() {
  const list = useQuery(sessions);
  const costs = useQuery(projectCosts);
  const effect = useQuery(projectEffect);
  const [words, setWords] = useState('');
  return (
    <>
      <div className="head">
        <h1>Sessions</h1>
        <span className="soft">newest first</span>
        <div className="end">
          <TextInput
            aria-label="Find a session by its words, name or model"
            placeholder="Find by words, name or model"
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
        </div>
      </div>
      <WaitingNotice />
      <Answer query={list} rows={8}>
        {({ items, total = items.length }) =>
          items.length === 0 ? (
            <NoSessions />
          ) : (
            <>
              <Totals items={items} total={total} costs={costs.data} />
              <section className="panel" aria-label="Sessions">
                <SessionsTable items={matching(items, words)} />
              </section>
              <EffectPanel query={effect} />
              {total > items.length && (
                <p className="soft">
                  The newest {exact(items.length)} of {exact(total)} sessions.
                </p>
              )}
            </>
          )
        }
      </Answer>
    </>
  );
}

function matching(items: readonly SessionSummary[], words: string): readonly SessionSummary[] {
  const wanted = words.trim().toLowerCase();
  return items.filter(({ id, agentPath, model, title = '' }) =>
    `${title} ${id} ${agentPath} ${model ?? ''}`.toLowerCase().includes(wanted),
  );
}

function WaitingNotice() {
  const { data } = useQuery(inbox);
  const waiting = data?.items ?? [];
  if (waiting.length === 0) return null;
  return (
    <div className="notice" role="status">
      <b>
        {waiting.length === 1 ? 'One plan waits for approval.' : `${waiting.length} plans wait for approval.`}
      </b>
      <span className="soft">Calls that need one pause until you answer.</span>
      <a className="end" href={linkTo({ view: 'inbox' })}>
        Open the inbox
      </a>
    </div>
  );
}

function Totals({
  items,
  total,
  costs,
}: {
  readonly items: readonly SessionSummary[];
  readonly total: number;
  readonly costs: Costs | undefined;
}) {
  const sum = (of: (one: SessionSummary) => number | undefined): number =>
    items.reduce((all, one) => all + (of(one) ?? 0), 0);
  const priced = items.filter(({ netCost }) => typeof netCost === 'number');
  const fallbacks = sum(({ fallbacks: some }) => some);
  const open = items
    .flatMap(({ breakers = {} }) => Object.entries(breakers))
    .filter(([, state]) => state !== 'closed');
  return (
    <dl className="figures">
      <Figure
        label="Sessions"
        why="Agents whose conversations this service keeps; each agent of a session is counted separately."
      >
        {count(total)}
      </Figure>
      <Figure label="Compactions" why="Committed compactions of these sessions, undone ones included.">
        {count(sum(({ compactions }) => compactions))}
      </Figure>
      <Figure
        label="Saved per call"
        why={`Tokens that the next call of each session sends less than without compaction, added up: ${exact(sum(({ savedTokens }) => savedTokens))}.`}
      >
        {count(sum(({ savedTokens }) => savedTokens))} <small>tokens</small>
      </Figure>
      <Figure
        label="Net saving"
        why="Tokens saved over all calls so far, less the cost of re-writing the provider's cache and of summaries; as plain input tokens."
      >
        {signed(sum(({ net }) => net))} <small>tokens</small>
      </Figure>
      <Figure
        label="Net saving in $"
        why="The net saving in US dollars, for sessions whose model has a known price. Below 0: compaction has cost more than it saved so far."
      >
        {priced.length === 0 ? '–' : dollars(sum(({ netCost }) => netCost ?? 0))}
      </Figure>
      <CostFigures costs={costs} />
      <FailureFigures fallbacks={fallbacks} open={open} />
    </dl>
  );
}

function NoSessions() {
  const url = location.origin;
  return (
    <section className="panel">
      <Empty title="No session yet">
        <p>
          Set the base URL of any agent to this service. The agent sends its whole history as before; the
          service sends the model a request that fits.
        </p>
        <p>
          <code>OPENAI_BASE_URL={url}/v1</code>
          <br />
          <code>ANTHROPIC_BASE_URL={url}</code>
        </p>
      </Empty>
    </section>
  );
}
