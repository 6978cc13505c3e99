import { ActionIcon, Tooltip } from '@mantine/core';
import type { Knob, Knobs } from '../api/types';
import { dateTime } from '../parts/format';
import { Undo } from '../parts/icons';
import { KnobControl } from './knob-control';
import { valueAfter, type Draft } from './draft';
import { controlOf, mayBeEmpty, schemaAt } from './schema';

export const shownValue = (value: unknown): string =>
  value === null || value === undefined ? 'empty' : typeof value === 'string' ? value : JSON.stringify(value);

interface RowProps {
  readonly knob: Knob;
  readonly name: string;
  readonly knobs: Knobs;
  readonly draft: Draft | undefined;
  readonly mayChange: boolean;
  readonly onChange: (draft: Draft) => void;
  readonly onDiscard: () => void;
}

/** One parameter: its description, its value, who set it, and the value that would apply otherwise. */
export function KnobRow({ knob, name, knobs, draft, mayChange, onChange, onDiscard }: RowProps) {
  const { path, value, origin, own, before, by, at: since } = knob;
  const schema = schemaAt(knobs, path);
  const shown = draft ? valueAfter(knob, draft) : value;
  const isEmptiable = mayBeEmpty(schema);
  const draftOf = (next: unknown): Draft =>
    next !== null ? { kind: 'value', value: next } : { kind: isEmptiable ? 'empty' : 'taken-back' };
  return (
    <div className="knob" data-changed={draft !== undefined} data-own={own}>
      <div className="knob-name">
        <b title={path}>{schema?.title ?? name}</b>
        <p className="soft">{knob.description}</p>
      </div>
      <div className="knob-control">
        <KnobControl
          control={controlOf(schema, value)}
          label={path}
          value={shown}
          disabled={!mayChange}
          onChange={(next) => onChange(draftOf(next))}
        />
      </div>
      <div className="knob-origin">
        <span
          className={`mark ${own ? 'accent' : ''}`}
          title={
            own
              ? `Set on this page or by the API${by === undefined ? '' : ` by ${by}`}${since === undefined ? '' : `, ${dateTime(since)}`}. Without it: ${shownValue(before)}`
              : `Set by: ${origin}`
          }
        >
          {origin}
        </span>
        {isEmptiable && mayChange && !draft && shown !== null && shown !== undefined && (
          <button
            type="button"
            className="link"
            aria-label={`Empty ${path}`}
            title="Set it to empty, overriding files and environment"
            onClick={() => onChange({ kind: 'empty' })}
          >
            empty
          </button>
        )}
        {own && !draft && (
          <>
            <span className="soft" title="The value that would apply otherwise">
              else {shownValue(before)}
            </span>
            <Tooltip label={`Back to ${shownValue(before)}`}>
              <ActionIcon
                size="sm"
                aria-label={`Revert ${path} to ${shownValue(before)}`}
                disabled={!mayChange}
                onClick={() => onChange({ kind: 'taken-back' })}
              >
                <Undo size={13} />
              </ActionIcon>
            </Tooltip>
          </>
        )}
        {draft && (
          <button
            type="button"
            className="link"
            onClick={onDiscard}
            aria-label={`Discard the change: ${path}`}
          >
            discard the change
          </button>
        )}
      </div>
    </div>
  );
}
