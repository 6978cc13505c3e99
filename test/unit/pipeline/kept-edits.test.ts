import { keptEdits } from '../../../src/pipeline/kept-edits.js';
import { Bench } from '../../support/bench.js';
import { planned, replace, supersede } from '../../support/edits.js';
import { look } from '../../support/looks.js';
import { call, calls, pinned, result, says, summary, words } from '../../support/messages.js';

const bench = () =>
  Bench.of(
    says(words(9)),
    says(words(9)),
    calls(call('a')),
    pinned(result('c1', words(99))),
    says(words(9)),
    says(words(9)),
  );

const wide = supersede('m1', 'm4', summary('wide', 'x'));
const narrow = supersede('m1', 'm1', summary('narrow', 'x'));
const stub = replace('m1', 0, 'stub');
const cut = replace('m3', 0, 'cut');
const again = replace('m3', 0, 'again');
const apart = supersede('m5', 'm5');

it.each<[string, Parameters<typeof planned>[0][], Parameters<typeof planned>[0][]]>([
  ['none', [], []],
  ['all, where they do not meet', [stub, apart], [stub, apart]],
  ['no stub that was then summarised', [stub, wide], [wide]],
  ['no narrow span in a wide one', [narrow, stub, wide, apart], [wide, apart]],
  ['the newest of two cuts', [cut, stub, again], [stub, again]],
  ['a cut of a pin that a span was put around', [cut, wide], [cut, wide]],
  [
    'the newest of two equal spans',
    [narrow, { ...narrow, replacement: [summary('other', 'y')] }],
    [{ ...narrow, replacement: [summary('other', 'y')] }],
  ],
])('the edits that survive a run %s', (_name, made, kept) => {
  const { log, isPinned } = bench();
  const edits = made.map((edit) => planned(edit));
  expect(keptEdits(edits, log, isPinned)).toEqual(kept.map((edit) => planned(edit)));
  const [all, few] = [bench(), bench()];
  all.force(...edits);
  few.force(...keptEdits(edits, log, isPinned));
  expect(look(few.projection)).toEqual(look(all.projection));
});
