import { textOf, type Part } from '../../../src/transcript/index.js';
import { Bench } from '../../support/bench.js';
import { planned, replace } from '../../support/edits.js';
import { remeasured } from '../../support/looks.js';
import { answer, call, calls, image, says, text, thought, user, words } from '../../support/messages.js';

/** The parts of the first message after edits of it, with the sizes held against a fresh measurement. */
function after(parts: readonly Part[], ...edits: readonly [index: number, ...content: (string | Part)[]][]) {
  const bench = Bench.of(says(...parts), says('later'));
  for (const [index, ...content] of edits) {
    const { accepted, faults } = bench.judge([replace('m0', index, ...content)]);
    expect(faults).toEqual([]);
    bench.force(...accepted);
    const { size, resultTokens } = remeasured(bench.projection.view);
    expect(bench.projection.size).toEqual(size);
    expect(bench.projection.resultTokens).toBe(resultTokens);
  }
  return bench.projection.view[0]!.message.parts;
}

const long = words(50);

describe('a replace', () => {
  it('puts text for text', () => {
    expect(after([text('a'), text(long), text('z')], [1, 'short'])).toEqual([
      text('a'),
      text('short'),
      text('z'),
    ]);
  });

  it('takes a part out', () => {
    expect(after([text('a'), text(long)], [1])).toEqual([text('a')]);
    expect(after([text(long)], [0])).toEqual([]);
  });

  it('puts many parts for one, and later edits still find theirs', () => {
    const parts = [text(long), text(long), text(long)];
    expect(after(parts, [0, 'a', 'b', 'c'], [2, 'z'], [1])).toEqual(['a', 'b', 'c', 'z'].map(text));
  });

  it('of a part that was replaced before is of the part itself', () => {
    const parts = [text(long), text(words(60)), text('end')];
    expect(after(parts, [1, words(20), words(20)], [0, 'a', 'b'], [1, 'x'])).toEqual(
      ['a', 'b', 'x', 'end'].map(text),
    );
    expect(after(parts, [1, words(5), words(5)], [1])).toEqual([text(long), text('end')]);
  });

  it('leaves a result its id and name, and takes only what a result may hold', () => {
    const named = { ...answer('c1', words(2_000)), name: 'read', isError: true };
    expect(after([call('read'), named], [1, 'stub', image(9)])).toEqual([
      call('read'),
      { ...named, content: [text('stub'), image(9)] },
    ]);
    expect(after([call('read'), named], [1])).toEqual([call('read'), { ...named, content: [] }]);
  });

  it('leaves a call its id and name', () => {
    const big = call('write', { path: 'a.ts', content: long });
    expect(after([big], [0, '{"path":', '"a.ts"}'])).toEqual([{ ...big, arguments: '{"path":"a.ts"}' }]);
  });

  it('takes thinking out, or its signature off it', () => {
    expect(after([thought(long, 'sig'), text('so')], [0])).toEqual([text('so')]);
  });

  it('puts a line for an image', () => {
    expect(after([image(9_000), text('see')], [0, '[image; recall m0#0]'])).toEqual([
      text('[image; recall m0#0]'),
      text('see'),
    ]);
  });

  it('holds with halves of surrogate pairs', () => {
    expect(after([text(`\ud83d ${long} \udc00`)], [0, '\ud83d'])).toEqual([text('\ud83d')]);
  });

  it('says who made it, and leaves the log alone', () => {
    const bench = Bench.of(says(text(long)), user('u'));
    const before = JSON.stringify(bench.log.at(0));
    bench.force(planned(replace('m0', 0, 'a', 'b'), 'snip'));
    const shown = bench.projection.view[0]!;
    expect(shown.replaced).toEqual(new Map([[0, { stage: 'snip', reason: 'a test', length: 2 }]]));
    expect(shown.source).toBe(bench.log.at(0));
    expect([shown.from, shown.to]).toEqual([0, 0]);
    expect(JSON.stringify(bench.log.at(0))).toBe(before);
  });

  it('of a message that is not in view does nothing', () => {
    const bench = Bench.of(calls(call('a')), user('u'));
    bench.force(planned(replace('nobody', 0, 'x')));
    expect(bench.ids).toEqual(['m0', 'm1']);
  });
});

it.each<[string, Part, string]>([
  ['text', text('a'), 'a'],
  ['thinking', thought('b', 's'), 'b'],
  ['a result of one block', answer('c', 'd'), 'd'],
  ['a result of many blocks', answer('c', 'd', image(), 'e'), 'd\n\ne'],
  ['an empty result', answer('c'), ''],
  ['an image in a result', answer('c', image()), ''],
  ['a call', call('a', { b: 1 }), ''],
  ['an image', image(), ''],
])('the words of a part: %s', (_name, part, expected) => {
  expect(textOf(part)).toBe(expected);
});
