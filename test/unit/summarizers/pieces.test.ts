import { SummarizerError, type SummaryRequest } from '../../../src/spi/index.js';
import { Log, type Message, type Part, type PlannedEdit } from '../../../src/transcript/index.js';
import { parsePrompt } from '../../../src/summarizers/index.js';
import { edit, fillerOf, good } from './support.js';

/** Four steps of a call and a long result; the second and the last keep a plan. */
function stepped(): { log: Log; whole: PlannedEdit } {
  const log = new Log();
  const add = (id: string, role: Message['role'], part: Part): void => {
    const origin = role === 'tool' ? 'tool' : 'model';
    const measured = { tokens: 200, bytes: 800, images: 0 };
    log.append({ id, role, origin, parts: [part] }, { ...measured, parts: [measured] });
  };
  ['read', 'TodoWrite', 'read', 'update_plan'].forEach((name, i) => {
    add(`a${i}`, 'assistant', {
      type: 'tool-call',
      callId: `c${i}`,
      name,
      arguments: JSON.stringify({ plan: [`STATE ${i}`] }),
    });
    const text = `result ${i} ${'long '.repeat(300)}`;
    add(`b${i}`, 'tool', { type: 'tool-result', callId: `c${i}`, content: [{ type: 'text', text }] });
  });
  const whole = {
    ...edit(0, 0),
    fromId: 'a0',
    toId: 'b3',
    slot: { ...edit(0, 0).slot!, fromId: 'a0', toId: 'b3' },
  };
  return { log, whole };
}

const wordsOf = ({ source }: SummaryRequest): string => source.join('\n');

describe('a span in pieces', () => {
  it('is sent piece by piece with the summary so far; only the last piece has the plan', async () => {
    const { filler, request, asked } = fillerOf(good, { chunks: 2 });
    const { log, whole } = stepped();
    const { texts } = await filler.fill(request([whole], log));
    expect(texts.size).toBe(1);
    expect(asked).toHaveLength(2);
    expect(asked.map(({ previous }) => previous)).toEqual([undefined, 'The mill was built.']);
    expect(asked.map(({ todos }) => todos)).toEqual([undefined, '- STATE 3 (open)']);
    expect(asked.map(({ instruction }) => instruction)).toEqual(['Do a0..b0.', 'Do a2..b2.']);
    expect(asked.map(wordsOf).join()).not.toContain('STATE 1');
  });

  it('keeps its deterministic text if one piece fails', async () => {
    let asked = 0;
    const answer = () => (++asked === 2 ? Promise.reject(new Error('no')) : good());
    const { fill } = fillerOf(answer, { chunks: 3 });
    expect(await fill(edit(0, 7))).toMatchObject({
      texts: new Map(),
      fallbacks: ['auto m0..m7: the summarizer threw'],
    });
  });
});

describe('progressive retry', () => {
  const resultIn = (request: SummaryRequest): number =>
    /returned: (.*)/
      .exec(wordsOf(request))![1]!
      .replace(/\[.*?\]/g, '')
      .trim().length;

  it.each([
    [
      'the source is too long',
      'cut',
      () => Promise.reject(new SummarizerError('too-long', 'longer than it reads')),
    ],
    [
      'the summary is',
      'retry',
      () => Promise.resolve({ text: 'Far too long. '.repeat(100), finishReason: 'stop' }),
    ],
  ] as const)('shortens tool results if %s', async (_, oversized, answer) => {
    const { filler, request, asked, calls } = fillerOf(answer, { resultChars: 200, oversized });
    const { log, whole } = stepped();
    const { texts } = await filler.fill(request([whole], log));
    expect(asked.map(resultIn)).toEqual([201, 151, 101, 51, 0]);
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    // Too long a summary is cut in the end; too long a source leaves what stood there.
    expect(texts.size).toBe(oversized === 'retry' ? 1 : 0);
  });

  it('stops at the first that is short enough', async () => {
    let calls = 0;
    const answer = () =>
      ++calls < 3 ? Promise.resolve({ text: 'Far too long. '.repeat(100), finishReason: 'stop' }) : good();
    const { filler, request, asked } = fillerOf(answer, { resultChars: 200, oversized: 'retry' });
    const { log, whole } = stepped();
    const { texts } = await filler.fill(request([whole], log));
    expect(asked).toHaveLength(3);
    expect(JSON.stringify([...texts])).toContain('The mill was built.');
  });

  it('splits a source that is too long into smaller pieces if there is no result to shorten', async () => {
    const answer = (request: SummaryRequest) =>
      wordsOf(request).length > 3_000
        ? Promise.reject(new SummarizerError('too-long', 'longer than it reads'))
        : good();
    const { fill, asked } = fillerOf(answer, { window: 3_000 });
    expect((await fill(edit(0, 7))).texts.size).toBe(1);
    expect(asked.map((request) => wordsOf(request).length > 3_000)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  it('does not send the same source twice', async () => {
    const answer = () => Promise.resolve({ text: 'Far too long. '.repeat(100), finishReason: 'stop' });
    const { fill, asked } = fillerOf(answer, { oversized: 'retry' });
    expect((await fill(edit(0, 7))).texts.size).toBe(1);
    expect(asked).toHaveLength(1);
  });
});

describe('the context of a span', () => {
  const prompts = {
    of: (name: string) => parsePrompt(name, `System ${name}\n---\nDo {{handle}}. {{piece}}`),
    question: 'And?',
  };

  it('is the user message before it; the prompt says not to repeat earlier messages', async () => {
    const { fill, asked } = fillerOf(good, { prompts });
    await fill(edit(3, 5));
    expect(asked[0]!.inView).toEqual([
      expect.stringMatching(/^<message id="m2" role="user"[^]*Message 2: words/),
    ]);
    expect(asked[0]!.instruction).toBe(
      'Do m3..m5. Everything before m3 stays in view, in full or in its own record; do not repeat it.',
    );
    expect(wordsOf(asked[0]!)).not.toContain('Message 2:');
  });

  it('is empty if the session begins with the span or an answer comes before it', async () => {
    const { fill, asked } = fillerOf(good, { prompts });
    await fill(edit(0, 1), edit(4, 5));
    expect(asked.map(({ inView = [] }) => inView)).toEqual([[], []]);
    expect(asked[0]!.instruction).toBe('Do m0..m1.');
    expect(asked[1]!.instruction).toContain('Everything before m4 stays in view');
  });
});
