import { forgetLimits, learnedLimits, openStore, type LearnedLimit, type Limits } from '../../index.js';
import { EXIT } from '../exit.js';
import { amount } from '../report/numbers.js';
import type { Terminal } from '../terminal.js';
import { showing, storeOf, type StoredOptions } from './within.js';

/** Lists what refusals taught of each model, or forgets it: of one model, or of all. */
export async function limits({ forget, ...options }: StoredOptions, terminal: Terminal): Promise<number> {
  const store = await openStore(await storeOf(options, terminal));
  try {
    const show = showing(options, terminal);
    if (forget !== undefined) {
      const forgotten = await forgetLimits(store, forget === true ? undefined : forget);
      show({ forgotten }, () => [
        forgotten === 0 ? 'nothing was learned of it' : `forgotten: ${amount(forgotten)} models`,
      ]);
      return EXIT.done;
    }
    const known = await learnedLimits(store);
    show(known, () => (known.length === 0 ? ['no limits were learned'] : known.flatMap(linesOf)));
    return EXIT.done;
  } finally {
    await store.close();
  }
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
