import type { ZodType } from 'zod/v4';
import { Settings } from './schema.js';
import { jsonOf, settingsJson, type JsonSchema, type Names } from './shape.js';

/** Everything that operators may turn, as JSON Schema: types, bounds, steps, choices, defaults, titles, descriptions. */
export interface KnobSchemas {
  /** Of the settings. */
  readonly schema: JsonSchema;
  /** Options of each stage, by its name. */
  readonly stages: Readonly<Record<string, JsonSchema>>;
  /** Knobs of each plugin that has any, by its name. */
  readonly plugins: Readonly<Record<string, JsonSchema>>;
}

type Named<T> = readonly (readonly [name: string, schema: T])[];

export function knobSchemas(stages: Named<ZodType>, plugins: Named<ZodType>, names: Names): KnobSchemas {
  const each = (named: Named<ZodType>): Record<string, JsonSchema> =>
    Object.fromEntries(named.map(([name, schema]) => [name, jsonOf(schema)]));
  return { schema: settingsJson(Settings, names), stages: each(stages), plugins: each(plugins) };
}
