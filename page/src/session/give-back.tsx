import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useSessionAct } from '../api/acts';
import { giveBackCost, givenBack } from '../api/queries';
import type { GivenBack, Place, WordsGivenBack } from '../api/types';
import { Confirm } from '../parts/confirm';
import { ago, count, dollars, exact, percent } from '../parts/format';
import { Answer } from '../parts/states';
import { sessionLink } from '../route';

/** The fewest tokens that the service gives back. */
const MIN_TOKENS = 100;

interface GiveBackProps {
  readonly place: Place;
  /** A handle as recall names it. */
  readonly handle: string;
  readonly isSmall?: boolean;
  /** One of several such buttons; not the main action. */
  readonly isQuiet?: boolean;
}

/** Gives one message or part back to the next request; the dialog shows the cost first. */
export function GiveBack({ place, handle, isSmall = false, isQuiet = false }: GiveBackProps) {
  const [isOpened, setOpened] = useState(false);
  const whole = useQuery({ ...giveBackCost(place, handle), enabled: isOpened });
  const isCut = whole.data?.fits === false && whole.data.room >= MIN_TOKENS;
  const part = useQuery({ ...giveBackCost(place, handle, whole.data?.room), enabled: isOpened && isCut });
  const cost = isCut ? part : whole;
  const give = useSessionAct<number | undefined, WordsGivenBack>(place, (maxTokens) => [
    '/give-back',
    { body: { handle, ...(maxTokens !== undefined && { max_tokens: maxTokens }) } },
  ]);
  return (
    <Confirm
      label="Give back"
      name={`Give back ${handle}`}
      confirmLabel={isCut ? 'Give the beginning back' : 'Give it back'}
      isPrimary={!isQuiet}
      isQuiet={isQuiet}
      isSmall={isSmall}
      isImpossible={cost.data?.fits !== true}
      onOpen={() => setOpened(true)}
      act={() => give.mutateAsync(isCut ? whole.data?.room : undefined)}
    >
      <div className="stack">
        <p>
          The next request carries the words of <b className="mono">{handle}</b> again, at its end and marked
          as history. Nothing else changes.
        </p>
        <Answer query={cost} rows={2}>
          {(of) => <Cost given={of} whole={isCut ? whole.data : undefined} />}
        </Answer>
      </div>
    </Confirm>
  );
}

function Cost({
  given,
  whole,
}: {
  readonly given: WordsGivenBack;
  readonly whole: WordsGivenBack | undefined;
}) {
  const { tokens, share, cost, laterCost, room, fits, compacts, inView, text } = given;
  return (
    <>
      {whole && (
        <p className="warn">
          All {exact(whole.tokens)} tokens do not fit: there is room for {exact(whole.room)}. Only the
          beginning is given back; its end names a handle for the rest.
        </p>
      )}
      <p>
        <b>{exact(tokens)} tokens</b>, {percent(share)} of the budget, in each request until a compaction
        removes them
        {cost === null ? '; the price of this model is not known' : `; ${dollars(cost)} for the next call`}
        {typeof laterCost === 'number' &&
          cost !== null &&
          `, ${dollars(laterCost)} for each later one from the cache`}
        .
      </p>
      {!fits && (
        <p className="bad" role="alert">
          This does not fit: even a compaction leaves room for {exact(room)} tokens only. Open the message and
          give the agent the part that it needs, or release the spans that undo holds.
        </p>
      )}
      {fits && compacts && <p className="soft">The next request is compacted first, to make room.</p>}
      {inView && <p className="soft">The model already receives all of it.</p>}
      <details>
        <summary>What the model will read</summary>
        <pre className="words shown-words" tabIndex={0} aria-label="What the model will read">
          {text}
        </pre>
      </details>
    </>
  );
}

const STATES: Readonly<Record<GivenBack['state'], string>> = {
  waiting: 'waits for the next request',
  'left-out': 'left out: newer messages took the room',
  sent: 'sent, not answered yet',
  seen: 'the model has seen it',
};

/** The content given back in this session (only that of `handle`, if given), and whether the model has seen it. */
export function GivenBackList({ place, handle: only }: { readonly place: Place; readonly handle?: string }) {
  const { data } = useQuery(givenBack(place));
  const given = (data?.items ?? []).filter(({ handle }) => only === undefined || handle === only);
  if (given.length === 0) return null;
  return (
    <section className="panel" aria-label="Given back" aria-live="polite">
      <header>
        <h2>Given back</h2>
      </header>
      <ul className="given">
        {given.toReversed().map(({ id, handle, state, tokens, call, askedAt }) => (
          <li key={id}>
            <span className="mono">{handle}</span>
            <span className={`mark ${state === 'seen' ? 'good' : state === 'left-out' ? 'warn' : 'accent'}`}>
              {STATES[state]}
            </span>
            {call !== undefined && <a href={sessionLink(place, 'context', String(call))}>call {call}</a>}
            <span className="soft num">
              {count(tokens)} tokens, {ago(askedAt)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
