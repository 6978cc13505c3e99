import type { Session } from '../../src/index.js';
import { textOf } from '../../src/transcript/index.js';
import type { Planted } from './plant.js';

export interface Outcome {
  readonly rules: { verbatim: number; lost: number };
  readonly missing: readonly string[];
  readonly retired: number;
  /** Rules that were taken back and stand without the words that took them back. */
  readonly alone: readonly string[];
}

/** What is sent after the last compaction, held against what was planted. */
export function judge({ view }: Session, planted: Planted): Outcome {
  const sent = view.map(({ message }) => message.parts.map(textOf).join('\n')).join('\n');
  const missing = planted.rules.filter(({ text }) => !sent.includes(text.replace(/[“”]/g, '"')));
  return {
    rules: { verbatim: planted.rules.length - missing.length, lost: missing.length },
    missing: missing.map(({ kind, place, text }) => `${kind}@${place}: ${text}`),
    retired: planted.retired.length,
    alone: planted.retired
      .filter(({ rule, word }) => sent.includes(rule) && !sent.includes(word))
      .map(({ rule }) => rule),
  };
}
