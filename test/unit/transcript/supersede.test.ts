import { Bench } from '../../support/bench.js';
import { planned, replace, supersede } from '../../support/edits.js';
import { remeasured } from '../../support/looks.js';
import { call, calls, pinned, result, says, summary, system, user, words } from '../../support/messages.js';

const ten = () => Bench.of(...Array.from({ length: 10 }, (_, i) => says(`${i} ${words(20)}`)));

function apply(bench: Bench, ...edits: Parameters<typeof planned>[0][]): string[] {
  for (const edit of edits) {
    bench.force(planned(edit));
    expect(bench.projection).toMatchObject(remeasured(bench.projection.view));
  }
  return bench.ids;
}

describe('a supersede', () => {
  it('puts any number of messages for a span', () => {
    expect(apply(ten(), supersede('m2', 'm8', summary('s', 'x')))).toEqual(['m0', 'm1', 's=2..8', 'm9']);
    expect(apply(ten(), supersede('m1', 'm9'))).toEqual(['m0']);
    expect(apply(ten(), supersede('m0', 'm9', summary('a', 'x'), summary('b', 'y')))).toEqual([
      'a=0..9',
      'b=0..9',
    ]);
  });

  it('nests: the widest wins', () => {
    const wide = supersede('m1', 'm8', summary('wide', 'x'));
    const narrow = supersede('m3', 'm4', summary('narrow', 'x'));
    expect(apply(ten(), narrow, wide)).toEqual(['m0', 'wide=1..8', 'm9']);
    expect(apply(ten(), narrow)).toEqual(['m0', 'm1', 'm2', 'narrow=3..4', 'm5', 'm6', 'm7', 'm8', 'm9']);
  });

  it('swallows one that began or ended where it does', () => {
    const inner = supersede('m1', 'm3', summary('inner', 'x'), summary('inner2', 'x'));
    expect(apply(ten(), inner, supersede('m1', 'm3', summary('s', 'x')))).toContain('s=1..3');
    expect(apply(ten(), inner, supersede('m1', 'm8', summary('s', 'x')))).toEqual(['m0', 's=1..8', 'm9']);
    expect(apply(ten(), inner, supersede('m0', 'm3'))[0]).toBe('m4');
    expect(apply(ten(), supersede('m1', 'm3'), supersede('m0', 'm4', summary('s', 'x')))[0]).toBe('s=0..4');
  });

  it('shadows a replace inside it, before and after', () => {
    const cover = supersede('m1', 'm3', summary('s', 'x'));
    expect(apply(ten(), replace('m2', 0, 'a'), cover)).toEqual(apply(ten(), cover, replace('m2', 0, 'a')));
  });

  it('keeps pins as holes behind the replacement, in order, as they were', () => {
    const bench = Bench.of(
      system('rules'),
      user(words(9)),
      pinned(user('keep me')),
      says(words(9)),
      pinned(says('and me')),
    );
    bench.force(planned(replace('m2', 0, 'keep')));
    expect(apply(bench, supersede('m0', 'm4', summary('s', 'x')))).toEqual(['s=0..4', 'm0', 'm2', 'm4']);
    expect(bench.projection.view[2]!.message.parts).toEqual([{ type: 'text', text: 'keep' }]);
    expect(apply(bench, supersede('m0', 'm4', summary('t', 'y')))).toEqual(['t=0..4', 'm0', 'm2', 'm4']);
  });

  it('keeps the whole exchange of a pin: a pinned result is no orphan', () => {
    const bench = Bench.of(
      user(words(9)),
      calls(call('a')),
      user('wait'),
      pinned(result('c1', 'r')),
      says(words(9)),
    );
    expect(apply(bench, supersede('m0', 'm4', summary('s', 'x')))).toEqual(['s=0..4', 'm1', 'm3']);
  });

  it('covers what stands between the messages of an exchange', () => {
    const bench = Bench.of(calls(call('a')), user(words(9)), result('c1', 'r'), says('x'));
    expect(apply(bench, supersede('m0', 'm2', summary('s', 'x')))).toEqual(['s=0..2', 'm3']);
  });

  it('says who made it', () => {
    const bench = ten();
    bench.force(planned(supersede('m0', 'm9', summary('s', 'x')), 'full'));
    expect(bench.projection.view[0]).toMatchObject({
      from: 0,
      to: 9,
      made: { stage: 'full', reason: 'a test' },
    });
    expect(bench.projection.view[0]!.source).toBeUndefined();
  });
});

it('the place of a log position is its index in the view, or undefined if it is superseded', () => {
  const bench = Bench.of(system('s'), says(words(9)), pinned(user('p')), says(words(9)), says('end'));
  apply(bench, supersede('m0', 'm3', summary('a', 'x'), summary('b', 'y')));
  expect(bench.ids).toEqual(['a=0..3', 'b=0..3', 'm0', 'm2', 'm4']);
  expect([0, 1, 2, 3, 4, 5, -1].map((seq) => bench.projection.indexOf(seq))).toEqual([
    2,
    undefined,
    3,
    undefined,
    4,
    undefined,
    undefined,
  ]);
});

describe('changes since the last request', () => {
  it('begin with the first message that looks different', () => {
    const bench = ten();
    const { projection } = bench;
    expect(projection.changedFrom).toBe(0);
    projection.settle();
    expect(projection.changedFrom).toBe(10);
    bench.append({ id: 'new', role: 'user', origin: 'user', parts: [] });
    expect(projection.changedFrom).toBe(10);
    apply(bench, supersede('m4', 'm6', summary('s', 'x')), replace('m8', 0, 'x'));
    expect(projection.changedFrom).toBe(4);
    projection.settle();
    apply(bench, replace('m8', 0, 'y'));
    expect(projection.changedFrom).toBe(6);
  });

  it('of a fork are its own', () => {
    const bench = ten();
    bench.projection.settle();
    const before = bench.ids;
    const draft = bench.projection.fork();
    draft.apply([planned(supersede('m1', 'm2', summary('s', 'x')))]);
    expect(draft.changedFrom).toBe(1);
    expect(bench.projection.changedFrom).toBe(10);
    expect(bench.ids).toEqual(before);
    expect(draft.view[0]).toBe(bench.projection.view[0]);
  });
});
