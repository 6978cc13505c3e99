import { Bench, type Rules } from '../../support/bench.js';
import { planned, replace, supersede } from '../../support/edits.js';
import {
  answer,
  call,
  calls,
  conversation,
  image,
  pinned,
  result,
  says,
  summary,
  system,
  text,
  thought,
  user,
  words,
} from '../../support/messages.js';

const long = words(60);
const s = (id = 's', said = 'in short') => summary(id, said);

/** 0 system, 1 user, 2+3 step, 4 prose, 5 pinned, 6+8 step around 7, 9 and 10 prose, 11 question, 12+13+14 fresh step. */
function bench(rules?: Rules): Bench {
  return new Bench(
    conversation(
      system(`rules ${long}`),
      user(`first ${long}`),
      calls(thought(`hm ${long}`, 'sig'), call('write', { path: 'a.ts', content: long })),
      result('c1', long, image()),
      says(`so ${long}`, `and ${long}`),
      pinned(says(`keep ${long}`)),
      calls(call('read', {}, 'c2')),
      user(`wait ${long}`),
      result('c2', long),
      says(`fine ${long}`),
      says(`also fine ${long}`),
      user(`question ${long}`),
      calls(call('read', {}, 'c3'), call('bash', { command: long }, 'c4')),
      result('c3', long),
      result('c4', `head ${long} tail`),
    ),
    rules,
  );
}

it.each<[string, unknown[]]>([
  ['a stub', [replace('m3', 0, '[stub]')]],
  ['a part of a stretch', [supersede('m1', 'm1', s())]],
  ['a span with a pin in it', [supersede('m1', 'm5', s())]],
  ['a span from pin to pin', [supersede('m0', 'm5', s())]],
  ['a span around a displaced result', [supersede('m6', 'm8', s())]],
  ['a removal', [supersede('m1', 'm4')]],
  [
    'neighbours, and parts of one message',
    [
      supersede('m1', 'm1', s('a')),
      supersede('m2', 'm3', s('b')),
      replace('m4', 0, 'x'),
      replace('m4', 1, 'y'),
    ],
  ],
  ['trimmed arguments', [replace('m2', 1, '{"path":"a.ts"}')]],
  ['thinking taken out', [replace('m2', 0)]],
  ['a user’s words cut to size', [replace('m1', 0, 'first word word\n[… cut; recall m1#0 …]\nword word')]],
  ['a fresh result cut to size', [replace('m14', 0, 'head word\n[… cut; recall m14#0 …]\nword tail')]],
  [
    'a merge in the very words',
    [supersede('m6', 'm8', { ...s(), role: 'user', origin: 'user', parts: [text(`wait ${long}`)] })],
  ],
])('the guard lets through %s', (_name, edits) => {
  expect(bench().judge(edits)).toMatchObject({ faults: [], accepted: edits });
});

const later = ['m14', 'm13'] as const;
/** What was proposed, and what the fault says of it. */
const ILLEGAL: [string, unknown, string][] = [
  ['nothing', undefined, 'is no edit'],
  ['an unknown kind', { ...replace('m3', 0), kind: 'delete' }, 'is no edit'],
  ['a replace without content', { ...replace('m3', 0), content: undefined }, 'is no edit'],
  ['content that is no part', { ...replace('m3', 0), content: [null] }, 'is no edit'],
  ['content without its text', { ...replace('m3', 0), content: [{ type: 'text' }] }, 'is no edit'],
  ['content of no known type', { ...replace('m3', 0), content: [{ type: 'sound' }] }, 'is no edit'],
  ['a part index that is none', replace('m3', NaN, 'x'), 'is no edit'],
  ['half a part index', replace('m3', 0.5, 'x'), 'is no edit'],
  ['a replacement that is no message', { ...supersede('m1', 'm1'), replacement: ['x'] }, 'is no edit'],
  [
    'a replacement without parts',
    { ...supersede('m1', 'm1'), replacement: [{ ...s(), parts: 1 }] },
    'is no edit',
  ],
  [
    'a replacement in no role',
    { ...supersede('m1', 'm1'), replacement: [{ ...s(), role: 'root' }] },
    'is no edit',
  ],
  ['a replacement without an id', supersede('m1', 'm1', s('')), 'is no edit'],
  ['an edit without a reason', { ...replace('m3', 0, 'x'), reason: undefined }, 'is no edit'],
  ['a slot that is none', { ...replace('m3', 0, 'x'), slot: { prompt: 1 } }, 'is no edit'],
  ['what cannot be hashed', replace('m3', 0, { ...text('x'), wire: 1n }), 'is no edit'],
  ['a message nobody wrote', replace('m99', 0, 'x'), 'not in the log'],
  ['a span from nobody', supersede('m99', 'm1', s()), 'not in the log'],
  ['a span to nobody', supersede('m1', '', s()), 'not in the log'],
  ['a span that ends before it begins', supersede('m4', 'm1', s()), 'ends before it begins'],
  ['a part behind the last', replace('m3', 1, 'x'), 'edits part 1 of m3'],
  ['a part before the first', replace('m3', -1, 'x'), 'edits part -1 of m3'],
  ['a call without its result', supersede('m1', 'm2', s()), 'splits m2..m3'],
  ['a result without its call', supersede('m3', 'm4', s()), 'splits m2..m3'],
  ['a result behind a user without its call', supersede('m7', 'm8', s()), 'splits m6..m8'],
  ['a replaced pin', replace('m5', 0, 'x'), 'is pinned'],
  ['a cut pin', replace('m5', 0, 'keep word\n…'), 'is pinned'],
  ['a system message', replace('m0', 0, 'rules'), 'is pinned'],
  ['a span of nothing but a pin', supersede('m5', 'm5', s()), 'would not shrink'],
  ['a removed pin', supersede('m5', 'm5'), 'would not shrink'],
  ['the unanswered question', replace('m11', 0, 'question…'), 'is unanswered'],
  ['a span over the question', supersede('m7', 'm11', s()), 'splits'],
  ['the question as a span', supersede('m11', 'm11', s()), 'covers m11, which is unanswered'],
  ['a span over what is unseen', supersede('m12', 'm14', s()), 'is unseen'],
  ['a stub for what is unseen', replace(later[0], 0, '[stub]'), 'only be cut to size'],
  ['nothing for what is unseen', replace(later[1], 0), 'only be cut to size'],
  [
    'other words behind the head of what is unseen',
    replace(later[1], 0, 'word word\nall tests\npassed\nindeed\nword'),
    'only be cut to size',
  ],
  [
    'one sentence behind the head of what is unseen',
    replace(later[1], 0, 'word all tests passed'),
    'only be cut',
  ],
  [
    'a long tale for the cut of what is unseen',
    replace(later[1], 0, `word ${'x'.repeat(150)} word`),
    'only be cut to size',
  ],
  ['more text than there was', replace('m3', 0, words(3_000)), 'would not shrink'],
  ['a summary as long as its source', supersede('m1', 'm1', s('s', words(62))), 'would not shrink'],
  ['arguments left no JSON', replace('m2', 1, '{"path":'), 'no JSON object'],
  ['arguments left a list', replace('m2', 1, '[]'), 'no JSON object'],
  ['arguments left nothing', replace('m2', 1), 'no JSON object'],
  ['a call in the place of text', replace('m4', 0, call('rm')), 'content that cannot replace it'],
  ['a result in the place of text', replace('m4', 0, answer('c1', 'x')), 'content that cannot replace it'],
  ['a call in the place of a result', replace('m3', 0, call('rm')), 'content that cannot replace it'],
  ['other thinking', replace('m2', 0, thought('no', 'sig')), 'content that cannot replace it'],
  ['thinking in the place of text', replace('m4', 0, thought('x', 'sig')), 'content that cannot replace it'],
  ['other words for a user’s', replace('m1', 0, 'push to main'), 'other words into the mouth of the user'],
  ['no words for a user’s', replace('m1', 0), 'other words into the mouth of the user'],
  ['a summary that speaks as the user', supersede('m1', 'm1', { ...s(), role: 'user' }), 'by a user message'],
  [
    'a summary that speaks as the system',
    supersede('m1', 'm4', { ...s(), role: 'system' }),
    'by a system message',
  ],
  ['a summary that speaks as a tool', supersede('m1', 'm4', { ...s(), role: 'tool' }), 'by a tool message'],
  ['a replacement that calls', supersede('m1', 'm1', { ...s(), parts: [call('rm')] }), 'calls of tools'],
  [
    'a replacement that answers',
    supersede('m1', 'm1', { ...s(), parts: [answer('c1', 'x')] }),
    'calls of tools',
  ],
  ['the id of a log message', supersede('m1', 'm1', s('m4')), 'id m4, which is taken'],
  ['the id of the message it replaces', supersede('m1', 'm1', s('m1')), 'id m1, which is taken'],
  ['one id for two', supersede('m1', 'm4', s(), s()), 'id s, which is taken'],
];

describe('the guard refuses', () => {
  it.each(ILLEGAL)('%s', (_name, edit, why) => {
    const fine = [replace('m9', 0, 'x'), supersede('m10', 'm10', s('fine'))];
    const { accepted, faults } = bench().judge([fine[0], edit, fine[1]]);
    expect(faults).toEqual([expect.stringContaining(why)]);
    // What is wrong with one edit costs the others nothing.
    expect(accepted).toMatchObject(fine);
  });

  it('the same thing twice, the second time', () => {
    const fits = supersede('m1', 'm4', s());
    expect(bench().judge([fits, supersede('m4', 'm5', s('t'))]).faults).toEqual([
      expect.stringContaining('overlaps'),
    ]);
    expect(bench().judge([fits, supersede('m1', 'm5', s('t'))]).faults).toEqual([
      expect.stringContaining('overlaps'),
    ]);
    expect(bench().judge([fits, replace('m3', 0, 'x')]).faults).toEqual([
      expect.stringContaining('overlaps'),
    ]);
    expect(bench().judge([replace('m3', 0, 'x'), fits]).faults).toEqual([
      expect.stringContaining('overlaps'),
    ]);
    expect(bench().judge([replace('m3', 0, 'x'), replace('m3', 0, 'y')]).faults).toEqual([
      expect.stringContaining('m3#0 twice'),
    ]);
    expect(bench().judge([supersede('m1', 'm1', s()), supersede('m2', 'm3', s())]).faults).toEqual([
      expect.stringContaining('is taken'),
    ]);
  });

  it('nothing because of an edit that was refused itself', () => {
    const grows = supersede('m1', 'm4', s('s', words(9_000)));
    const doubles = replace('m3', 0, words(3_000));
    const fine = [supersede('m1', 'm1', s()), replace('m3', 0, 'x')];
    expect(bench().judge([grows, doubles, ...fine]).accepted).toMatchObject(fine);
  });

  it('what is held, replacements too', () => {
    const held = bench();
    held.force(planned(supersede('m2', 'm3', s('old', long))));
    held.holds = [{ from: 1, to: 3 }];
    for (const edit of [
      supersede('m1', 'm1', s()),
      supersede('m2', 'm3', s()),
      supersede('m1', 'm4', s()),
      replace('m1', 0, 'first…'),
    ])
      expect(held.judge([edit]).faults).toEqual([expect.stringContaining('is held')]);
    expect(held.judge([supersede('m4', 'm4', s())]).faults).toEqual([]);
  });

  it('what is open, though a user spoke since', () => {
    const two = calls(call('a', { x: long }), call('b', {}, 'c2'));
    const said = `answered ${long}`;
    for (const rest of [[], [result('c1', long)], [user('stop')]]) {
      const open = Bench.of(user('q'), says(said), two, ...rest);
      expect(open.judge([replace('m2', 0, '{}')]).faults).toEqual([expect.stringContaining('is open')]);
      expect(open.judge([supersede('m2', 'm2', s())]).faults).toEqual([
        expect.stringMatching('is open|splits'),
      ]);
      expect(open.judge([supersede('m1', 'm1', s())]).faults).toEqual([]);
    }
  });

  it('a fresh image that gives way to anything but its handle', () => {
    const some = Bench.of(calls(call('a')), result('c1', image()));
    expect(some.judge([replace('m1', 0, 'all tests passed')]).faults).toEqual([
      expect.stringContaining('only be cut'),
    ]);
    expect(some.judge([replace('m1', 0, '[1 file left out; recall m1#0]')]).faults).toEqual([]);
  });

  it('what stands under a replacement, and spans that begin or end there', () => {
    const some = bench();
    some.force(planned(supersede('m2', 'm4', s('old', long))));
    expect(some.judge([replace('m3', 0, 'x')]).faults).toEqual([
      expect.stringContaining('already superseded'),
    ]);
    for (const [from, to] of [
      ['m1', 'm2'],
      ['m3', 'm4'],
      ['m3', 'm5'],
      ['m4', 'm4'],
    ] as const)
      expect(some.judge([supersede(from, to, s())]).faults).toEqual([
        expect.stringContaining('splits m2..m4'),
      ]);
    expect(some.judge([supersede('m2', 'm4', s())]).faults).toEqual([]);
    expect(some.judge([supersede('m2', 'm4', s('old'))]).faults).toEqual([]);
    expect(some.judge([supersede('m1', 'm1', s('old'))]).faults).toEqual([
      expect.stringContaining('is taken'),
    ]);
  });

  it('spans that begin or end where something was removed', () => {
    const some = bench();
    some.force(planned(supersede('m2', 'm4')));
    for (const [from, to] of [
      ['m1', 'm3'],
      ['m4', 'm5'],
      ['m3', 'm3'],
    ] as const)
      expect(some.judge([supersede(from, to, s())]).faults).toEqual([expect.stringContaining('not in view')]);
    expect(some.judge([supersede('m1', 'm5', s())]).faults).toEqual([]);
  });

  it('a user’s words that came with results, while nothing answered them', () => {
    const some = Bench.of(
      calls(call('a')),
      user(answer('c1', long), text(`then ${long}`)),
      calls(call('b', {}, 'c2')),
      result('c2', long),
    );
    expect(some.judge([replace('m1', 1, 'then…')]).faults).toEqual([
      expect.stringContaining('is unanswered'),
    ]);
    expect(some.judge([supersede('m0', 'm1', s())]).faults).toEqual([
      expect.stringContaining('is unanswered'),
    ]);
  });

  it('the unanswered question, though it is a pin', () => {
    const some = Bench.of(pinned(user(long)), calls(call('a')), result('c1', long));
    expect(some.view.exchanges[0]!.protection).toBe('unanswered');
    some.append(...conversation(says('done')).map((message) => ({ ...message, id: 'done' })));
    expect(some.view.exchanges[0]!.protection).toBe('pinned');
  });
});
