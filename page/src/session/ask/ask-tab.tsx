import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { find, history, recall } from '../../api/queries';
import type { Place } from '../../api/types';
import { Answer, Empty, Failed } from '../../parts/states';
import { sessionLink } from '../../route';
import { GivenBackList } from '../give-back';
import { FindingView } from './finding-view';
import { Passages } from './passages';

/** Finds out why the agent forgot something, and offers ways to restore it. */
export function AskTab({
  place,
  question,
}: {
  readonly place: Place;
  readonly question: string | undefined;
}) {
  const [words, setWords] = useState(question ?? '');
  const ask = (event: FormEvent): void => {
    event.preventDefault();
    location.hash = sessionLink(place, 'ask', words.trim());
  };
  return (
    <>
      <section className="panel" aria-label="Ask">
        <form className="in line" onSubmit={ask}>
          <TextInput
            className="grow"
            label="What did the agent forget?"
            description="A name, a path, a number, or a few words exactly as they were written."
            placeholder="src/pipeline"
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
            data-autofocus
          />
          <Button type="submit" disabled={words.trim() === ''} className="beside-field">
            Find out
          </Button>
        </form>
      </section>
      {question === undefined || question === '' ? (
        <section className="panel">
          <Empty title="Compacted out, ignored, or never in the log?">
            <p>
              You see whether these words reached the model in its newest call; if not, which compaction
              removed them and why. You can read the original words or give them back.
            </p>
          </Empty>
        </section>
      ) : (
        <FindingPanels place={place} words={question} />
      )}
    </>
  );
}

function FindingPanels({ place, words }: { readonly place: Place; readonly words: string }) {
  const finding = useQuery(find(place, words));
  const passages = useQuery(recall(place, words));
  const records = useQuery(history(place));
  if (finding.isError && finding.data === undefined)
    return (
      <section className="panel" aria-label="Finding">
        <Failed error={finding.error} onRetry={() => void finding.refetch()} />
      </section>
    );
  return (
    <>
      <GivenBackList place={place} />
      <section className="panel" aria-label="Finding" aria-live="polite">
        <header>
          <h2>“{words}”, word by word</h2>
        </header>
        <Answer query={finding}>
          {(said) => <FindingView place={place} finding={said} records={records.data?.items ?? []} />}
        </Answer>
      </section>
      <section className="panel" aria-label="Passages">
        <header>
          <h2>Passages about it</h2>
          <span className="soft">passages that are not in view, best first</span>
        </header>
        <Answer query={passages}>
          {({ items }) => (
            <Passages
              key={words}
              place={place}
              items={items}
              shownFirst={finding.data?.verdict === 'sent' ? 0 : undefined}
            />
          )}
        </Answer>
      </section>
    </>
  );
}
