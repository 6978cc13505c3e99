import type { Session } from '../../src/index.js';
import { textOf } from '../../src/transcript/index.js';
import { userSays, type Planted, type Rule } from './plant.js';

export interface Outcome {
  readonly rules: { verbatim: number; missing: number };
  readonly missing: readonly Rule[];
  readonly retired: number;
  /** Rules that were taken back, and are in view without the words that took them back. */
  readonly alone: readonly string[];
}

/** Compares the request after the last compaction with the planted rules. */
export function judge({ view }: Session, planted: Planted): Outcome {
  const sent = sentOf(view);
  const missing = planted.rules.filter(({ text }) => !holds(sent, text));
  return {
    rules: { verbatim: planted.rules.length - missing.length, missing: missing.length },
    missing,
    retired: planted.retired.length,
    alone: planted.retired
      .filter(({ rule, word }) => sent.includes(rule) && !sent.includes(word))
      .map(({ rule }) => rule),
  };
}

/** Missing rules that recall does not bring back when the user mentions their subject. */
export async function lostOf(session: Session, missing: readonly Rule[]): Promise<Rule[]> {
  const lost: Rule[] = [];
  for (const [i, rule] of missing.entries()) {
    const parts = [{ type: 'text', text: 'All right.' }] as const;
    session.append({ id: `heard${i}`, role: 'assistant', origin: 'model', parts });
    session.append(userSays(`spoken${i}`, `Now we go on with ${rule.subject}.`));
    await session.prepare();
    if (!holds(sentOf(session.view), rule.text)) lost.push(rule);
  }
  return lost;
}

const sentOf = (view: Session['view']): string =>
  view.map(({ message }) => message.parts.map(textOf).join('\n')).join('\n');

const holds = (sent: string, text: string): boolean => sent.includes(text.replace(/[“”]/g, '"'));
