import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { claims } from '../../api/queries';
import type { ChangedFile, Claim, Claims, Place } from '../../api/types';
import { Num } from '../../parts/figure';
import { exact } from '../../parts/format';
import { Answer, Empty } from '../../parts/states';
import { MessageDrawer, Parts } from '../context/message-drawer';
import { ClaimRows, type Shown } from './claim-rows';

/** The exact things that stand beside digests: what holds, what was ended, and which message says so. */
export function ClaimsTab({ place }: { readonly place: Place }) {
  const said = useQuery(claims(place));
  const [looked, setLooked] = useState<string>();
  return (
    <>
      <Answer of={said} rows={8}>
        {(of) => <AllClaims of={of} place={place} onLook={setLooked} />}
      </Answer>
      <MessageDrawer
        place={place}
        looked={looked === undefined ? undefined : { id: looked }}
        entries={[]}
        onClose={() => setLooked(undefined)}
      />
    </>
  );
}

const TITLES = {
  constraint: [
    'Bounds',
    'What the user said may or may not be done. Only words that name one end it, or you.',
  ],
  requirement: ['Demands', 'Lists that the user gave, letter for letter.'],
  todo: ['Open steps', 'Of the newest plan that the agent wrote.'],
  error: ['Failing checks', 'Failed when they last ran; the same check passing ends one.'],
  check: [
    'Passing checks',
    'Passed when they last ran; what was changed since is said where they are carried.',
  ],
  instruction: ['Instructions', 'Files and skills that were loaded.'],
} as const;

const KINDS = Object.keys(TITLES) as (keyof typeof TITLES)[];

interface AllProps {
  readonly of: Claims;
  readonly place: Place;
  readonly onLook: (id: string) => void;
}

function AllClaims({ of: { items, files, carried }, place, onLook }: AllProps) {
  if (items.length + files.length === 0)
    return (
      <section className="panel">
        <Empty title="Nothing to carry yet">
          <p>
            Bounds that the user sets, open steps, checks that fail and files that change are listed here as
            they come up. What leaves the request is carried in its own words.
          </p>
        </Empty>
      </section>
    );
  const held = items.filter(isHeld);
  const ended = items.filter((claim) => !isHeld(claim)).toReversed();
  const carriedText = (carried?.parts ?? []).map((part) => ('text' in part ? part.text : '')).join('\n');
  const over = (row: Shown): Shown => ({
    ...row,
    isEnded: true,
    isStillSent: carriedText.includes(row.text),
  });
  const [changed, changedBefore] = [files.filter((file) => !file.ended), files.filter((file) => file.ended)];
  const common = { place, onLook };
  return (
    <>
      <Carried of={carried} />
      {KINDS.map((kind) => {
        const [title, why] = TITLES[kind];
        const rows = held.filter((claim) => claim.kind === kind).map(shownClaim);
        return <ClaimRows key={kind} title={title} why={why} rows={rows} {...common} />;
      })}
      <ClaimRows
        title="Changed files"
        why="What the agent's calls wrote, made or deleted; each with the newest call that did."
        rows={changed.toSorted((a, b) => b.seq - a.seq).map(shownFile)}
        {...common}
      />
      <ClaimRows
        title="No longer held"
        why="Ended by words that name it, by its outcome, by an operator, or said anew. Newest first."
        rows={[
          ...ended.map((claim) => over({ ...shownClaim(claim), mark: nameOf(claim) })),
          ...changedBefore.map((file) => over({ ...shownFile(file), mark: 'ended' })),
        ]}
        {...common}
      />
    </>
  );
}

const isHeld = ({ status, kind, ended }: Claim): boolean =>
  status === 'live' || (kind === 'check' && status === 'done' && !ended);

const shownClaim = (claim: Claim): Shown => claim;
const shownFile = (file: ChangedFile): Shown => ({
  ...file,
  text: file.path,
  mark: file.state,
  isPath: true,
});

const nameOf = ({ kind, status, ended }: Claim): string =>
  ended
    ? 'ended'
    : status === 'done' && kind === 'error'
      ? 'passes'
      : status === 'done'
        ? 'done'
        : 'taken back';

function Carried({ of }: { readonly of: Claims['carried'] }) {
  return (
    <section className="panel" aria-label="As it is sent">
      {of ? (
        <details className="carried">
          <summary>
            <b>As it is sent</b>{' '}
            <span className="soft">
              one message beside the digest,{' '}
              <Num why="What it takes of each request. Its share and most tokens are knobs: claims.share, claims.maxTokens.">
                {exact(of.tokens)} tokens
              </Num>
            </span>
          </summary>
          <div className="in">
            <Parts parts={of.parts} />
          </div>
        </details>
      ) : (
        <p className="in soft">
          Nothing is carried by a message of its own: what is below still stands in the request, or a digest
          says it.
        </p>
      )}
    </section>
  );
}
