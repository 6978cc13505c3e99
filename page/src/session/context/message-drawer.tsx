import { Button, CopyButton, Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { original } from '../../api/queries';
import type { LogEntry, Part, Place, ShownMessage } from '../../api/types';
import { dateTime, exact } from '../../parts/format';
import { Answer } from '../../parts/states';
import { sessionLink } from '../../route';
import { GiveBack, GivenBackList } from '../give-back';
import { RollBack } from '../roll-back';
import { kindOf, wordsOf } from './words';

/** The message in the drawer: from the log, or as it is sent. */
export interface Selected {
  readonly id: string;
  readonly sent?: ShownMessage;
}

/** What became of a message, as far as known. */
export type Fate = Pick<LogEntry, 'id' | 'by' | 'record' | 'tokensBefore'>;

interface DrawerProps {
  readonly place: Place;
  readonly selected: Selected | undefined;
  readonly entries: readonly Fate[];
  readonly onClose: () => void;
}

/** One whole message: its original words, what replaces it, and why. */
export function MessageDrawer({ place, selected, entries, onClose }: DrawerProps) {
  return (
    <Drawer
      opened={selected !== undefined}
      onClose={onClose}
      position="right"
      size="min(720px, 96vw)"
      title={selected && <b className="mono">{selected.id}</b>}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {selected && (
        <MessageDetail
          place={place}
          selected={selected}
          entry={entries.find(({ id }) => id === selected.id)}
        />
      )}
    </Drawer>
  );
}

function MessageDetail({
  place,
  selected: { id, sent },
  entry,
}: {
  readonly place: Place;
  readonly selected: Selected;
  readonly entry: Fate | undefined;
}) {
  return (
    <div className="stack">
      <Reason place={place} entry={entry} sent={sent} />
      {sent && sent.status !== 'original' && (
        <section aria-label="As it is sent">
          <h3>As it is sent, {exact(sent.tokens)} tokens</h3>
          <Parts parts={sent.parts} />
        </section>
      )}
      {sent?.status === 'summary' ? (
        <p className="soft">The log next to it shows the original messages.</p>
      ) : (
        <Original place={place} id={id} tokens={entry?.tokensBefore} />
      )}
      {entry && (
        <div className="line">
          {entry.by && <GiveBack place={place} handle={id} />}
          <RollBack place={place} id={id} />
        </div>
      )}
      <GivenBackList place={place} handle={id} />
    </div>
  );
}

function Reason({
  place,
  entry,
  sent,
}: {
  readonly place: Place;
  readonly entry: Fate | undefined;
  readonly sent: ShownMessage | undefined;
}) {
  const by = entry?.by ?? sent?.by;
  if (!by) return null;
  return (
    <div className="notice">
      <div>
        <b>{by.stage}</b>: {by.reason}
      </div>
      {entry?.record !== undefined && (
        <Button
          component="a"
          variant="default"
          className="end"
          href={sessionLink(place, 'compactions', entry.record)}
        >
          Compaction {entry.record}
        </Button>
      )}
    </div>
  );
}

function Original({
  place,
  id,
  tokens,
}: {
  readonly place: Place;
  readonly id: string;
  readonly tokens: number | undefined;
}) {
  const said = useQuery(original(place, id));
  return (
    <section aria-label="As it was written">
      <h3>As it was written{tokens === undefined ? '' : `, ${exact(tokens)} tokens`}</h3>
      <Answer query={said}>
        {({ parts, role, origin, createdAt }) => (
          <>
            <div className="line">
              <p className="soft grow">
                {role}, from {origin}
                {createdAt === undefined ? '' : `, ${dateTime(createdAt)}`}
              </p>
              <CopyButton value={parts.map(wordsOf).join('\n')}>
                {({ copied, copy }) => (
                  <Button variant="default" size="compact-xs" onClick={copy} aria-live="polite">
                    {copied ? 'Copied' : 'Copy the words'}
                  </Button>
                )}
              </CopyButton>
            </div>
            <Parts parts={parts} />
          </>
        )}
      </Answer>
    </section>
  );
}

export function Parts({ parts }: { readonly parts: readonly Part[] }) {
  return (
    <>
      {parts.map((part, place) => (
        <div key={place} className="part">
          {part.type !== 'text' && <span className="soft">{kindOf(part)}</span>}
          <pre className="words" tabIndex={0}>
            {wordsOf(part)}
          </pre>
        </div>
      ))}
    </>
  );
}
