import type { ConfigEntry, EffectiveConfig } from './effective.js';
import { chooseSummarizer, describeChoice } from './summarizer.js';

/** Longer values would push the origins of all lines off the screen. */
const MAX_WIDTH = 60;

interface PrintOptions {
  readonly json?: boolean;
  /** Only the settings of a profile, a file, the environment or code; no defaults. */
  readonly changed?: boolean;
}

/** The effective configuration, one setting per line: `target = 0.6  # default: …` */
export function printConfig(effective: EffectiveConfig, options: PrintOptions = {}): string {
  const all = [...effective.entries.map(withoutPassword), summarizerInForce(effective)];
  const entries = options.changed ? all.filter(({ origin }) => origin !== 'default') : all;
  if (options.json) return `${JSON.stringify(entries, null, 2)}\n`;
  const rows = entries.map(({ path, value, origin, description }) => ({
    path,
    value: value === undefined ? '(not set)' : JSON.stringify(value),
    note: description === '' ? origin : `${origin}: ${description}`,
  }));
  const paths = Math.max(0, ...rows.map(({ path }) => path.length));
  const values = Math.max(0, ...rows.map(({ value }) => value.length).filter((width) => width <= MAX_WIDTH));
  return rows
    .map(({ path, value, note }) => `${path.padEnd(paths)} = ${value.padEnd(values)}  # ${note}\n`)
    .join('');
}

/** A database URL may contain a password, and in it signs that its owner did not encode. */
function withoutPassword(entry: ConfigEntry): ConfigEntry {
  if (entry.path !== 'store' || typeof entry.value !== 'string') return entry;
  return { ...entry, value: entry.value.replace(/^(\w+:\/\/).*@/s, '$1...@').replace(/[?#].*/s, '') };
}

/** The summarizer that results from several settings. */
function summarizerInForce({ settings, origin }: EffectiveConfig): ConfigEntry {
  const choice = chooseSummarizer(settings);
  const by = choice.from === 'prompt' || choice.from === 'agent' ? `compaction.${choice.from}` : 'summarizer';
  return {
    path: 'summarizer in force',
    value: describeChoice(choice),
    origin: origin(by),
    description: 'Own prompt, else a named agent, else the default, else none.',
  };
}
