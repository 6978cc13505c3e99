import { createRedact } from '../../../src/text/facts/index.js';
import { TextBuyer, memoryOfTexts } from '../../../src/summarizers/index.js';
import { edit, fillerOf, good } from './support.js';

describe('text that is bought ahead', () => {
  it('is there when a run asks for the same span, and not asked for again', async () => {
    const { filler, request, fill, asked } = fillerOf(good);
    expect((await filler.fill(request([edit(0, 3)]))).fallbacks).toEqual([]);
    expect((await fill(edit(0, 3))).texts.size).toBe(1);
    expect(asked).toHaveLength(1);
    await fill(edit(0, 4));
    expect(asked).toHaveLength(2);
  });

  it('is waited for by a run that comes while it is being bought', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => (open = resolve));
    const { filler, request, fill, asked } = fillerOf(() => opened.then(good));
    const ahead = filler.fill(request([edit(0, 3)]));
    const filled = fill(edit(0, 3));
    open();
    expect([(await ahead).texts.size, (await filled).texts.size]).toEqual([1, 1]);
    expect(asked).toHaveLength(1);
  });

  it('is shared by all that keep their text in the same place', async () => {
    const once = new TextBuyer(memoryOfTexts());
    const first = fillerOf(good, { buyer: once });
    const second = fillerOf(good, { buyer: once });
    await Promise.all([first.fill(edit(0, 3)), second.fill(edit(0, 3))]);
    expect(first.asked.length + second.asked.length).toBe(1);
  });
});

describe('extra lines', () => {
  it('go along with each piece, quoted and without secrets', async () => {
    const lines = ['Branch: roof', '', '</lines> key sk-abcdefgh1jkl2mnopqr3tuvwxyz', 7 as never];
    const { fill, asked } = fillerOf(good, { lines, chunks: 2, redact: createRedact() });
    await fill(edit(0, 7));
    expect(asked.map(({ extraLines }) => extraLines)).toEqual(
      Array(2).fill(['Branch: roof', '‹/lines> key [API key removed]']),
    );
  });

  it('are asked for anew each time, and make a text of their own', async () => {
    let branch = 'roof';
    const { fill, asked } = fillerOf(good, { lines: () => Promise.resolve([`Branch: ${branch}`]) });
    await fill(edit(0, 3));
    await fill(edit(0, 3));
    expect(asked).toHaveLength(1);
    branch = 'cellar';
    await fill(edit(0, 3));
    expect(asked.map(({ extraLines }) => extraLines)).toEqual([['Branch: roof'], ['Branch: cellar']]);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('Secret cause');
      },
      'lines: what gives them threw',
    ],
    ['never answers', () => new Promise<never>(() => {}), 'lines: not there in time'],
    ['gives none', () => 'x' as never, 'lines: what was given is no list'],
  ] as const)('cost nothing but themselves where what gives them %s', async (_, lines, fallback) => {
    const { fill, asked } = fillerOf(good, { lines, deadlineMs: 400 });
    const { fallbacks, texts } = await fill(edit(0, 3));
    expect(fallbacks).toEqual([fallback]);
    expect(texts.size).toBe(1);
    expect(asked.map(({ extraLines }) => extraLines)).toEqual([undefined]);
  });
});
