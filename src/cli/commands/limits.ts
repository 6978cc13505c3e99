import { forgetLimits, learnedLimits, type LearnedLimit, type Limits } from '../../index.js';
import type { SessionStore } from '../../spi/index.js';
import { amount } from '../report/numbers.js';
import type { Said, StoredOptions } from './within.js';

/** Lists what refusals taught of each model, or forgets it: of one model, or of all. */
export async function limits(store: SessionStore, { forget }: StoredOptions): Promise<Said> {
  if (forget !== undefined) {
    const forgotten = await forgetLimits(store, forget === true ? undefined : forget);
    const line = forgotten === 0 ? 'nothing was learned of it' : `forgotten: ${amount(forgotten)} models`;
    return { value: { forgotten }, lines: () => [line] };
  }
  const known = await learnedLimits(store);
  return {
    value: known,
    lines: () => (known.length === 0 ? ['no limits were learned'] : known.flatMap(linesOf)),
  };
}

function linesOf({ model, seen, proven }: LearnedLimit): readonly string[] {
  return [
    `${model}  ${proven ? `${figures(proven)}, for every session` : 'for the sessions below alone'}`,
    ...seen.map((one) => `  ${one.thread}  ${figures(one)}  ${new Date(one.at).toISOString()}`),
  ];
}

function figures({ contextWindow, inputLimit }: Limits): string {
  return [
    ...(contextWindow === undefined ? [] : [`window ${amount(contextWindow)}`]),
    ...(inputLimit === undefined ? [] : [`input ${amount(inputLimit)}`]),
  ].join(', ');
}
