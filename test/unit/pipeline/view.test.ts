import { Bench } from '../../support/bench.js';
import { planned, supersede } from '../../support/edits.js';
import {
  call,
  calls,
  pinned,
  reminder,
  result,
  says,
  summary,
  system,
  user,
  words,
  type Draft,
} from '../../support/messages.js';

/** `step m1..m3 open`, `replacement m0..m2`: what a stage sees of each exchange. */
const seen = (bench: Bench): string[] =>
  bench.view.exchanges.map(({ kind, fromId, toId, protection, unseen }) =>
    [kind, fromId === toId ? fromId : `${fromId}..${toId}`, protection, unseen ? 'unseen' : undefined]
      .filter(Boolean)
      .join(' '),
  );

describe('the view of a stage', () => {
  it.each<[string, Draft[], string[]]>([
    [
      'protects pins, by their exchange',
      [system('s'), calls(call('a')), pinned(result('c1', 'r')), says('x')],
      ['plain m0 pinned', 'step m1..m2 pinned', 'plain m3'],
    ],
    [
      'protects the question through a whole loop',
      [user('q'), calls(call('a')), result('c1', 'r')],
      ['plain m0 unanswered', 'step m1..m2 unseen'],
    ],
    [
      'protects whatever else was said since the model spoke',
      [says('a'), user('p'), reminder('r'), user('q')],
      ['plain m0', 'plain m1 unanswered unseen', 'plain m2 unanswered unseen', 'plain m3 unanswered unseen'],
    ],
    [
      'protects a step that waits, also behind a user',
      [calls(call('a')), user('q')],
      ['step m0 open', 'plain m1 unanswered unseen'],
    ],
    [
      'does not protect a step that was left behind',
      [calls(call('a')), user('q'), says('a')],
      ['step m0', 'plain m1', 'plain m2'],
    ],
    [
      'shows late results by themselves',
      [calls(call('a')), says('x'), result('c1', 'r')],
      ['step m0', 'plain m1', 'stray m2 unseen'],
    ],
    [
      'counts a displaced result as unseen',
      [calls(call('a')), user('q'), result('c1', 'r')],
      ['step m0..m2 unseen', 'plain m1 unanswered unseen'],
    ],
  ])('%s', (_name, drafts, expected) => {
    expect(seen(Bench.of(...drafts))).toEqual(expected);
  });

  it('shows a replacement as one exchange, and pins behind it as theirs', () => {
    const bench = Bench.of(says(words(9)), pinned(user('p')), says(words(9)), says('x'));
    bench.force(planned(supersede('m0', 'm2', summary('a', 'x'), summary('b', 'y'))));
    expect(seen(bench)).toEqual(['replacement m0..m2', 'plain m1 pinned', 'plain m3']);
    expect(bench.view.exchanges[0]!.messages.map(({ message }) => message.id)).toEqual(['a', 'b']);
    expect(bench.view.originals(0, 2).map(({ id }) => id)).toEqual(['m0', 'm1', 'm2']);
  });

  it('protects what is held before all but the question and the open step', () => {
    const bench = Bench.of(system('s'), says('a'), says('b'), user('q'), calls(call('a')));
    bench.force(planned(supersede('m1', 'm1', summary('old', 'x'))));
    bench.holds = [{ from: 0, to: 4 }];
    expect(seen(bench)).toEqual([
      'plain m0 held',
      'replacement m1 held',
      'plain m2 held',
      'plain m3 unanswered',
      'step m4 open',
    ]);
  });

  it('counts turns back from the one in progress, and tokens as they are shown', () => {
    const bench = Bench.of(
      system('s'),
      user('a'),
      says(words(9)),
      user('b'),
      calls(call('t')),
      user('c'),
      result('c1', 'r'),
    );
    expect(bench.view.exchanges.map(({ turnsAgo }) => turnsAgo)).toEqual([3, 2, 2, 1, 0, 0]);
    expect(bench.view.tokens).toBe(bench.view.exchanges.reduce((sum, { tokens }) => sum + tokens, 0));
  });
});
