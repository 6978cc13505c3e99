import type { EffectiveConfig } from './effective.js';

/** Longer values would push the origins of all lines off the screen. */
const WIDEST = 60;

/** The configuration in force, one setting a line: `target = 0.6  # default: Pressure an open stage reclaims to.` */
export function printConfig(effective: EffectiveConfig, options: { readonly json?: boolean } = {}): string {
  if (options.json) return `${JSON.stringify(effective.entries, null, 2)}\n`;
  const rows = effective.entries.map(({ path, value, origin, description }) => ({
    path,
    value: value === undefined ? '(not set)' : JSON.stringify(value),
    note: description === '' ? origin : `${origin}: ${description}`,
  }));
  const paths = Math.max(0, ...rows.map(({ path }) => path.length));
  const values = Math.max(0, ...rows.map(({ value }) => value.length).filter((width) => width <= WIDEST));
  return rows
    .map(({ path, value, note }) => `${path.padEnd(paths)} = ${value.padEnd(values)}  # ${note}\n`)
    .join('');
}
