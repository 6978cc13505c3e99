import { Dice } from '../../../src/testkit/index.js';
import { fill, split, together } from './exchanges.js';
import { stateless } from './policy.js';

/** Random exchanges; the index of the call is the seed. */
export const randomExchanges = stateless('random', (history, budget) => {
  const { head, rest, left } = split(history, budget);
  const dice = new Dice(history.length);
  const drawn = rest.map((exchange) => ({ exchange, lot: dice.next() })).sort((a, b) => a.lot - b.lot);
  return together(
    head,
    fill(
      drawn.map(({ exchange }) => exchange),
      left,
    ),
  );
});
