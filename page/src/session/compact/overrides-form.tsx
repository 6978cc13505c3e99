import { Button, NumberInput, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useMayChange, VIEWER_HINT } from '../../api/access';
import type { RunOverrides } from '../../api/types';

type Strategy = NonNullable<RunOverrides['strategy']>;

const STRATEGIES: readonly { readonly value: Strategy; readonly label: string; readonly what: string }[] = [
  {
    value: 'prune',
    label: 'Prune',
    what: 'Removes and condenses tool output. Messages of user and agent stay.',
  },
  { value: 'drop', label: 'Drop', what: 'Removes the oldest messages, down to the target.' },
  { value: 'summarize', label: 'Summarize', what: 'A summary replaces older spans.' },
  { value: 'delegate', label: 'Delegate', what: 'A compactor plugin does it, if one is loaded.' },
  { value: 'checkpoint', label: 'Checkpoint', what: 'As the settings say; the plan waits for approval.' },
];

type Writer = 'set' | 'model' | 'none';

interface FormValues {
  readonly strategy: Strategy | null;
  readonly writer: Writer;
  readonly upper: number | '';
  readonly lower: number | '';
  readonly retain: number | '';
  readonly prompt: string;
  readonly settings: string;
}

const NOTHING: FormValues = {
  strategy: null,
  writer: 'set',
  upper: '',
  lower: '',
  retain: '',
  prompt: '',
  settings: '',
};

interface FormProps {
  readonly isBusy: boolean;
  readonly onPreview: (overrides: RunOverrides) => void;
}

/** Overrides for one run. An empty field means the configured value. */
export function OverridesForm({ isBusy, onPreview }: FormProps) {
  const mayChange = useMayChange();
  const [values, setValues] = useState(NOTHING);
  const [fault, setFault] = useState<string>();
  const set = <Name extends keyof FormValues>(name: Name, value: FormValues[Name]): void =>
    setValues({ ...values, [name]: value });
  const preview = (event: FormEvent): void => {
    event.preventDefault();
    try {
      onPreview(overridesOf(values));
      setFault(undefined);
    } catch {
      setFault('This is not valid JSON.');
    }
  };
  return (
    <form className="in stack" onSubmit={preview}>
      <Select
        label="Strategy"
        description={
          STRATEGIES.find(({ value }) => value === values.strategy)?.what ?? 'As the settings say.'
        }
        placeholder="as set"
        clearable
        data={STRATEGIES.map(({ value, label }) => ({ value, label }))}
        value={values.strategy}
        onChange={(value) => set('strategy', value as Strategy | null)}
        clearButtonProps={{ 'aria-label': 'As the settings say' }}
      />
      <div className="pairwise">
        <Share
          label="Opens at"
          what="Pressure at which the first stage opens"
          value={values.upper}
          onChange={(value) => set('upper', value)}
        />
        <Share
          label="Down to"
          what="Pressure to compact down to"
          value={values.lower}
          onChange={(value) => set('lower', value)}
        />
      </div>
      <NumberInput
        label="Messages to retain"
        description="Newest messages that stay, at most."
        placeholder="as set"
        min={0}
        allowDecimal={false}
        value={values.retain}
        onChange={(value) => set('retain', typeof value === 'number' ? value : '')}
      />
      <div>
        <p className="field-label" id="who-writes">
          Who writes summaries
        </p>
        <SegmentedControl
          aria-labelledby="who-writes"
          fullWidth
          value={values.writer}
          onChange={(value) => set('writer', value as Writer)}
          data={[
            { value: 'set', label: 'As set' },
            { value: 'model', label: 'A model' },
            { value: 'none', label: 'No model' },
          ]}
        />
      </div>
      <TextInput
        label="Prompt"
        description="A name in the folder of prompts, or a path."
        placeholder="as set"
        value={values.prompt}
        onChange={(event) => set('prompt', event.currentTarget.value)}
      />
      <Textarea
        label="Any other settings"
        description="JSON, with the names of the configuration file."
        placeholder='{"stages": {"snip": {"mode": "remove"}}}'
        autosize
        minRows={2}
        maxRows={8}
        error={fault}
        value={values.settings}
        onChange={(event) => set('settings', event.currentTarget.value)}
      />
      <div className="line">
        <Button
          type="submit"
          loading={isBusy}
          disabled={!mayChange}
          {...(!mayChange && { title: VIEWER_HINT })}
        >
          Preview
        </Button>
        <Button variant="default" onClick={() => setValues(NOTHING)}>
          Clear
        </Button>
      </div>
    </form>
  );
}

interface ShareProps {
  readonly label: string;
  readonly what: string;
  readonly value: number | '';
  readonly onChange: (value: number | '') => void;
}

function Share({ label, what, value, onChange }: ShareProps) {
  return (
    <NumberInput
      label={label}
      description={what}
      placeholder="as set"
      min={0}
      max={1}
      step={0.05}
      decimalScale={3}
      value={value}
      onChange={(next) => onChange(typeof next === 'number' ? next : '')}
    />
  );
}

/** Throws if the settings are not valid JSON. */
function overridesOf({ strategy, writer, upper, lower, retain, prompt, settings }: FormValues): RunOverrides {
  return {
    ...(strategy !== null && { strategy }),
    ...(writer !== 'set' && { summarize: writer === 'model' }),
    ...(upper !== '' && { upper_threshold: upper }),
    ...(lower !== '' && { lower_threshold: lower }),
    ...(retain !== '' && { retain_count: retain }),
    ...(prompt.trim() !== '' && { prompt: prompt.trim() }),
    ...(settings.trim() !== '' && { settings: JSON.parse(settings) as Record<string, unknown> }),
  };
}
