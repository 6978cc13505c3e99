import { Autocomplete, Button, NumberInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useSettingsHint } from '../api/access';
import { ask } from '../api/client';
import { limitsOf, models as modelsQuery, sessions } from '../api/queries';
import type { Models, StatedLimits } from '../api/types';
import { Confirm } from '../parts/confirm';
import { Num } from '../parts/figure';
import { exact } from '../parts/format';
import { Answer, messageOf } from '../parts/states';
import { Table, type Column } from '../parts/table';
import { segment } from '../route';

const FIELDS = [
  ['contextWindow', 'Context window', 'Input and output together.'],
  ['inputLimit', 'Most input', 'If the model has such a limit.'],
  ['outputLimit', 'Most output', 'Of one answer.'],
] as const;

const COLUMNS: readonly Column[] = [
  { name: 'Model' },
  ...FIELDS.map(([, name, why]) => ({ name, why: `${why} Tokens; in force now.`, isNumber: true })),
  { name: 'From', isWide: true },
  { name: 'Change', isNumber: true },
];

type Draft = StatedLimits & { readonly name: string };
const NOTHING: Draft = { name: '' };

/** Limits of models: stated by operators, learned from refusals, and in force. */
export function ModelsPanel() {
  const mayChange = useSettingsHint() === undefined;
  const queries = useQueryClient();
  const answer = useQuery(modelsQuery);
  const [draft, setDraft] = useState<Draft>(NOTHING);
  const renew = (): Promise<void> => queries.invalidateQueries({ queryKey: ['settings'] });
  const save = useMutation({
    mutationFn: ({ name, ...limits }: Draft) =>
      ask(`/models/${segment(name.trim())}`, { method: 'PUT', body: limits }),
    onSuccess: () => {
      setDraft(NOTHING);
      return renew();
    },
  });
  const forget = (name: string) => async (): Promise<void> => {
    await ask(`/models/${segment(name)}`, { method: 'DELETE' });
    await renew();
  };
  return (
    <section id="group models" className="panel group" aria-label="Models">
      <header>
        <h2>Models</h2>
        <span className="soft wide">
          Limits come from published sheets. Limits that you state here replace them. A limit learned from a
          refusal lowers both.
        </span>
      </header>
      <Answer query={answer} rows={3}>
        {(of) =>
          namesIn(of).length === 0 ? (
            <p className="in soft">No limit is stated, and none was learned from a refusal.</p>
          ) : (
            <Table label="Table of models" columns={COLUMNS}>
              {namesIn(of).map((name) => (
                <Row key={name} name={name} models={of} onEdit={setDraft} onForget={forget(name)} />
              ))}
            </Table>
          )
        }
      </Answer>
      <LimitsForm
        draft={draft}
        disabled={!mayChange}
        isBusy={save.isPending}
        fault={save.isError ? messageOf(save.error) : undefined}
        onChange={setDraft}
        onSave={() => save.mutate(draft)}
      />
    </section>
  );
}

const namesIn = ({ overrides, learned }: Models): readonly string[] =>
  [...new Set([...Object.keys(overrides), ...learned.map(({ model }) => model)])].sort();

interface RowProps {
  readonly name: string;
  readonly models: Models;
  readonly onEdit: (draft: Draft) => void;
  readonly onForget: () => Promise<void>;
}

function Row({ name, models: { overrides, learned }, onEdit, onForget }: RowProps) {
  const mayChange = useSettingsHint() === undefined;
  // A pattern is not one model, so the service cannot look it up.
  const isPattern = name.includes('*');
  const { data } = useQuery({ ...limitsOf(name), enabled: !isPattern });
  const stated = overrides[name];
  const learnedLimits = learned.find(({ model }) => model === name)?.proven;
  const inForce: StatedLimits = { ...(isPattern ? stated : data), ...learnedLimits };
  const from = [stated && 'stated', learnedLimits && 'a refusal'].filter(Boolean).join(', ');
  return (
    <tr className="row">
      <td className="title-cell mono">{name}</td>
      {FIELDS.map(([field, label]) => (
        <td key={field} className="right">
          <Num why={`${label}, tokens${stated?.[field] === undefined ? '' : '; stated by an operator'}`}>
            {shown(inForce[field])}
          </Num>
        </td>
      ))}
      <td className="wide">
        <span className="mark">{from || 'one refusal'}</span>
      </td>
      <td className="right">
        <span className="line end">
          <Button
            variant="default"
            size="compact-xs"
            disabled={!mayChange}
            aria-label={`Change ${name}`}
            onClick={() => onEdit({ name, ...stated })}
          >
            Change
          </Button>
          <Confirm label="Forget" confirmLabel="Forget it" isSmall act={onForget}>
            The limits of <b className="mono">{name}</b> that were stated here or learned from refusals are
            forgotten. The published limits apply again from the next call on.
          </Confirm>
        </span>
      </td>
    </tr>
  );
}

function shown(limit: number | undefined): string {
  if (limit === undefined) return '–';
  return limit === 0 ? 'no limit' : exact(limit);
}

interface FormProps {
  readonly draft: Draft;
  readonly disabled: boolean;
  readonly isBusy: boolean;
  readonly fault: string | undefined;
  readonly onChange: (draft: Draft) => void;
  readonly onSave: () => void;
}

function LimitsForm({ draft, disabled, isBusy, fault, onChange, onSave }: FormProps) {
  const { data } = useQuery(sessions);
  const names = [...new Set((data?.items ?? []).flatMap(({ model }) => (model ? [model] : [])))];
  const isStated = FIELDS.some(([field]) => draft[field] !== undefined);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onSave();
  };
  return (
    <form className="in limits" aria-label="State limits of a model" onSubmit={submit}>
      <Autocomplete
        label="Model"
        description="A name, or a pattern: llama-*"
        placeholder="gpt-4.1"
        data={names}
        disabled={disabled}
        value={draft.name}
        onChange={(name) => onChange({ ...draft, name })}
      />
      {FIELDS.map(([field, label, why]) => (
        <NumberInput
          key={field}
          label={label}
          description={why}
          placeholder="as published"
          min={0}
          allowDecimal={false}
          thousandSeparator=","
          disabled={disabled}
          value={draft[field] ?? ''}
          onChange={(next) => onChange(withLimit(draft, field, next))}
        />
      ))}
      <Button
        type="submit"
        className="beside-field"
        loading={isBusy}
        disabled={disabled || draft.name.trim() === '' || !isStated}
      >
        State limits
      </Button>
      {fault !== undefined && (
        <p className="bad" role="alert">
          {fault}
        </p>
      )}
    </form>
  );
}

function withLimit(draft: Draft, field: (typeof FIELDS)[number][0], next: string | number): Draft {
  const { [field]: _, ...others } = draft;
  return typeof next === 'number' ? { ...others, [field]: next } : others;
}
