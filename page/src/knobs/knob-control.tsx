import {
  Autocomplete,
  MultiSelect,
  NumberInput,
  Select,
  Slider,
  Switch,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessions } from '../api/queries';
import type { Control } from './schema';

interface ControlProps {
  readonly control: Control;
  readonly label: string;
  readonly value: unknown;
  readonly disabled: boolean;
  /** Null removes the operator's value. */
  readonly onChange: (value: unknown) => void;
}

/** The control of one knob, chosen by its schema. */
export function KnobControl({ control, label, value, disabled, onChange }: ControlProps) {
  // The buttons that remove a word from a list obey `readOnly` only.
  const common = { 'aria-label': label, disabled, readOnly: disabled };
  switch (control.kind) {
    case 'toggle':
      return (
        <Switch
          {...common}
          checked={value === true}
          onChange={(event) => onChange(event.currentTarget.checked)}
        />
      );
    case 'choice':
      return (
        <Select
          {...common}
          data={[...control.choices]}
          value={typeof value === 'string' ? value : null}
          placeholder="empty"
          allowDeselect={false}
          onChange={onChange}
        />
      );
    case 'choices':
      return (
        <MultiSelect
          {...common}
          size="xs"
          data={[...control.choices]}
          value={textsOf(value)}
          onChange={onChange}
        />
      );
    case 'words':
      return <TagsInput {...common} value={textsOf(value)} onChange={onChange} />;
    case 'slider':
      return <SlidingNumber {...{ control, label, value, disabled, onChange }} />;
    case 'number':
      return (
        <NumberInput
          {...common}
          value={typeof value === 'number' ? value : ''}
          placeholder="empty"
          thousandSeparator=","
          allowDecimal={!control.isWhole}
          {...(control.from !== undefined && { min: control.from })}
          {...(control.to !== undefined && { max: control.to })}
          onChange={(next) => onChange(typeof next === 'number' ? next : null)}
        />
      );
    case 'model':
      return <ModelPicker {...{ label, value, disabled, onChange }} />;
    case 'text':
      return (
        <TextInput
          {...common}
          value={typeof value === 'string' ? value : ''}
          placeholder="empty"
          onChange={(event) => onChange(event.currentTarget.value === '' ? null : event.currentTarget.value)}
        />
      );
    case 'json':
      return <JsonText key={JSON.stringify(value)} {...{ label, value, disabled, onChange }} />;
  }
}

type PlainProps = Omit<ControlProps, 'control'>;

function SlidingNumber({
  control,
  label,
  value,
  disabled,
  onChange,
}: PlainProps & { readonly control: Extract<Control, { kind: 'slider' }> }) {
  const { from, to, step } = control;
  const number = typeof value === 'number' ? value : undefined;
  return (
    <div className="sliding">
      <Slider
        size="xs"
        thumbLabel={label}
        label={null}
        min={from}
        max={to}
        step={step}
        value={number ?? from}
        disabled={disabled}
        onChange={onChange}
      />
      <NumberInput
        aria-label={`${label}, as a number`}
        min={from}
        max={to}
        step={step}
        placeholder="empty"
        value={number ?? ''}
        disabled={disabled}
        onChange={(next) => onChange(typeof next === 'number' ? next : null)}
      />
    </div>
  );
}

/** Suggests the models of the sessions; any other name can be typed. */
function ModelPicker({ label, value, disabled, onChange }: PlainProps) {
  const { data } = useQuery(sessions);
  const models = [...new Set((data?.items ?? []).flatMap(({ model }) => (model ? [model] : [])))];
  return (
    <Autocomplete
      size="xs"
      aria-label={label}
      disabled={disabled}
      data={models}
      value={typeof value === 'string' ? value : ''}
      placeholder="empty"
      onChange={(next) => onChange(next === '' ? null : next)}
    />
  );
}

/** A value without a control of its own is written as JSON. It takes effect once it parses. */
function JsonText({ label, value, disabled, onChange }: PlainProps) {
  const [text, setText] = useState(value === undefined || value === null ? '' : JSON.stringify(value));
  const [isWrong, setWrong] = useState(false);
  const leave = (): void => {
    try {
      const next: unknown = text.trim() === '' ? null : JSON.parse(text);
      setWrong(false);
      if (JSON.stringify(next) !== JSON.stringify(value ?? null)) onChange(next);
    } catch {
      setWrong(true);
    }
  };
  return (
    <Textarea
      aria-label={label}
      disabled={disabled}
      placeholder="empty"
      autosize
      minRows={1}
      maxRows={10}
      value={text}
      error={isWrong && 'This is not valid JSON.'}
      classNames={{ input: 'mono' }}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={leave}
    />
  );
}

const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : []);
