import type { ZodType } from 'zod/v4';
import { knobSchemas } from '../../config/index.js';
import { RuleBroken } from '../rule.js';

/** Throws where an operator could not turn them, or would not know what they are. */
export function demandKnobs(knobs: ZodType<unknown>): void {
  const parsed = knobs.safeParse({});
  if (!parsed.success)
    throw new RuleBroken(
      `nothing at all is refused: ${parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; ')}`,
    );
  const json = JSON.stringify(parsed.data);
  if (json === undefined || JSON.stringify(knobs.safeParse(parsed.data).data) !== json)
    throw new RuleBroken('its own defaults, given back, are other values');
  const schema = knobSchemas([], [['it', knobs]], {}).plugins['it']!;
  const { properties } = schema;
  if (!properties) throw new RuleBroken('its schema is no object of knobs that JSON Schema could tell');
  if (knobs.safeParse({ ...(parsed.data as object), 'no-such-knob': 1 }).success)
    throw new RuleBroken('a knob that it does not know is let through (use z.strictObject)');
  for (const [name, knob] of Object.entries(properties)) {
    if ((knob.description ?? '').trim() === '') throw new RuleBroken(`${name} has no description`);
    const isKnown = [knob.type, knob.enum, knob.anyOf, knob.properties, knob.const].some(
      (said) => said !== undefined,
    );
    if (!isKnown) throw new RuleBroken(`${name} does not say what it may be`);
    if (knob.default === undefined && !(name in (parsed.data as object)))
      throw new RuleBroken(`${name} has no default`);
  }
}
