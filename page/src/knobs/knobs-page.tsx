import { SegmentedControl, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useSettingsHint } from '../api/access';
import { ask } from '../api/client';
import { knobs as knobsQuery } from '../api/queries';
import type { Knob, Knobs } from '../api/types';
import { Answer, Empty, messageOf } from '../parts/states';
import { Changes } from './changes';
import { groupsOf, nameIn } from './groups';
import { requestOf, isUnchanged, type Draft } from './draft';
import { KnobRow } from './knob-row';
import { ModelsPanel } from './models-panel';

type Filter = 'all' | 'set' | 'own';

/** Every parameter of compaction, stages and plugins: its value, who set it; to change, compare and revert. */
export function KnobsPage() {
  const answer = useQuery(knobsQuery);
  return (
    <Answer query={answer} rows={12}>
      {(of) => <AllKnobs knobs={of} />}
    </Answer>
  );
}

function AllKnobs({ knobs }: { readonly knobs: Knobs }) {
  const hint = useSettingsHint();
  const mayChange = hint === undefined;
  const queries = useQueryClient();
  const [words, setWords] = useState('');
  const [filter, setFilter] = useState<Filter>('all');
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const save = useMutation({
    mutationFn: (changed: Readonly<Record<string, Draft>>) =>
      ask<Knobs>('/knobs', { method: 'PATCH', body: requestOf(changed) }),
    onSuccess: (answer) => {
      queries.setQueryData(knobsQuery.queryKey, answer);
      setDrafts({});
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] !== 'knobs' });
    },
  });
  const change = (knob: Knob, draft: Draft): void => {
    save.reset();
    setDrafts(isUnchanged(knob, draft) ? without(drafts, knob.path) : { ...drafts, [knob.path]: draft });
  };
  // The models panel is no knob, so the search matches it by these words.
  const isAboutModels =
    filter === 'all' && 'models limits context window'.includes(words.trim().toLowerCase());
  const groups = groupsOf(
    knobs.values.filter((knob) => !/^models\b/.test(knob.path) && isWanted(knob, words, filter)),
  );
  return (
    <>
      <div className="head">
        <h1>Knobs</h1>
        <span className="soft">{hint ?? 'for all sessions, from their next call on'}</span>
        <div className="end">
          <SegmentedControl
            aria-label="Which knobs"
            value={filter}
            onChange={(value) => setFilter(value as Filter)}
            data={[
              { value: 'all', label: 'All' },
              { value: 'set', label: 'Not default' },
              { value: 'own', label: 'Set here' },
            ]}
          />
          <TextInput
            aria-label="Find a knob"
            placeholder="Find a knob"
            value={words}
            onChange={(event) => setWords(event.currentTarget.value)}
          />
        </div>
      </div>
      <Changes
        drafts={drafts}
        knobs={knobs.values}
        isBusy={save.isPending}
        fault={save.isError ? messageOf(save.error) : undefined}
        onSave={() => save.mutate(drafts)}
        onDiscard={() => {
          save.reset();
          setDrafts({});
        }}
      />
      <div className="knobs">
        <nav className="index wide" aria-label="Groups of knobs">
          {groups.map(({ name, title, knobs }) => (
            <button
              key={name}
              type="button"
              onClick={() => document.getElementById(`group ${name}`)?.scrollIntoView()}
            >
              {title} <span className="soft">{knobs.length}</span>
            </button>
          ))}
          {isAboutModels && (
            <button type="button" onClick={() => document.getElementById('group models')?.scrollIntoView()}>
              Models
            </button>
          )}
        </nav>
        <div>
          {groups.length === 0 && !isAboutModels && (
            <section className="panel">
              <Empty title="No knob matches" />
            </section>
          )}
          {groups.map((group) => (
            <section
              key={group.name}
              id={`group ${group.name}`}
              className="panel group"
              aria-label={group.title}
            >
              <header>
                <h2>{group.title}</h2>
              </header>
              {group.knobs.map((knob) => (
                <KnobRow
                  key={knob.path}
                  knob={knob}
                  name={nameIn(group, knob.path)}
                  knobs={knobs}
                  draft={drafts[knob.path]}
                  mayChange={mayChange}
                  onChange={(draft) => change(knob, draft)}
                  onDiscard={() => setDrafts(without(drafts, knob.path))}
                />
              ))}
            </section>
          ))}
          {isAboutModels && <ModelsPanel />}
        </div>
      </div>
    </>
  );
}

function isWanted({ path, description, origin, own }: Knob, words: string, filter: Filter): boolean {
  if (filter === 'own' && !own) return false;
  if (filter === 'set' && origin === 'default') return false;
  return `${path} ${description}`.toLowerCase().includes(words.trim().toLowerCase());
}

function without(drafts: Readonly<Record<string, Draft>>, path: string): Readonly<Record<string, Draft>> {
  const { [path]: _, ...others } = drafts;
  return others;
}
