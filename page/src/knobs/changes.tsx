import { Button } from '@mantine/core';
import type { Knob } from '../api/types';
import { counted } from '../parts/format';
import { valueAfter, type Draft } from './draft';
import { shownValue } from './knob-row';

interface ChangesProps {
  readonly drafts: Readonly<Record<string, Draft>>;
  readonly knobs: readonly Knob[];
  readonly isBusy: boolean;
  readonly fault: string | undefined;
  readonly onSave: () => void;
  readonly onDiscard: () => void;
}

/** The changes with old and new values, before they are saved for all sessions. */
export function Changes({ drafts, knobs, isBusy, fault, onSave, onDiscard }: ChangesProps) {
  const paths = Object.keys(drafts);
  if (paths.length === 0) return null;
  const known = new Map(knobs.map((knob) => [knob.path, knob]));
  return (
    <section className="changes" aria-label="Changes that are not saved">
      <div className="line">
        <b>{counted(paths.length, 'change')}</b>
        <span className="soft wide">
          For all sessions, from their next call on. Configuration files and environment do not change.
        </span>
        <span className="grow" />
        <Button onClick={onSave} loading={isBusy}>
          Save
        </Button>
        <Button variant="default" onClick={onDiscard}>
          Discard
        </Button>
      </div>
      {fault !== undefined && (
        <p className="bad" role="alert">
          {fault}
        </p>
      )}
      <ul>
        {paths.map((path) => {
          const knob = known.get(path);
          const draft = drafts[path]!;
          const next = knob && valueAfter(knob, draft);
          return (
            <li key={path}>
              <span className="mono">{path}</span> <del className="soft">{shownValue(knob?.value)}</del> →{' '}
              <ins>{shownValue(next)}</ins>
              {draft.kind === 'taken-back' && <span className="soft"> (no longer set by an operator)</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
