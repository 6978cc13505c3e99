import { jest } from '@jest/globals';
import fc from 'fast-check';
import { createSpillway, type Message, type ViewMessage } from '../../../src/index.js';

const counter = { name: 'quarter', exact: false, count: (text: string) => Math.ceil(text.length / 4) };

const talk = (index: number): Message => ({
  id: `m${index}`,
  role: index % 2 === 0 ? 'user' : 'assistant',
  origin: index % 2 === 0 ? 'user' : 'model',
  parts: [{ type: 'text', text: `Message ${index}. ${'the river runs past the mill. '.repeat(12)}` }],
});

const isMarker = ({ message }: ViewMessage): boolean => message.parts.some(({ type }) => type === 'marker');

it('no request holds a marker, whatever is queued, compacted and undone before it', async () => {
  const acts = fc.constantFrom('say', 'say', 'say', 'queue', 'queue auto', 'prepare', 'compact', 'undo');
  let marked = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { maxLength: 30 }), async (story) => {
      const spillway = await createSpillway({ counter, inputBudget: 2_000, settings: { safetyMargin: 0 } });
      const session = spillway.session();
      let said = 0;
      for (const act of [...story, 'prepare', 'prepare']) {
        if (act === 'say') await session.append(talk(said++));
        else if (act === 'queue') await session.operator.queue();
        else if (act === 'queue auto') await session.operator.queue({ auto: true });
        else if (act === 'compact') await session.operator.compact();
        else if (act === 'undo') {
          if (session.operator.history.some(({ status }) => status === 'committed'))
            await session.operator.undo();
        } else {
          const { view, messages } = await session.prepare();
          if (session.view.some(isMarker)) marked++;
          expect(view).toEqual(session.view.filter((shown) => !isMarker(shown)));
          expect(messages).toHaveLength(view.length);
        }
      }
    }),
    { numRuns: 60 },
  );
  expect(marked).toBeGreaterThan(0);
});

it('two queued compactions and two continuations in one millisecond, during a compaction, are all logged', async () => {
  let asked = (): void => undefined;
  let answer = (): void => undefined;
  const isAsked = new Promise<void>((done) => (asked = done));
  const isAnswered = new Promise<void>((done) => (answer = done));
  const summarize = async () => {
    asked();
    await isAnswered;
    return { text: 'They spoke of the river.', finishReason: 'stop' };
  };
  const clock = jest.spyOn(Date, 'now').mockReturnValue(1_000);
  const spillway = await createSpillway({
    counter,
    inputBudget: 2_000,
    settings: { safetyMargin: 0, roster: ['auto'] },
    summarizer: { name: 'slow', endpoint: 'here', summarize },
  });
  const session = spillway.session();
  for (let said = 0; said < 24; said++) await session.append(talk(said));
  const prepared = session.prepare();
  await isAsked;
  const waiting = [
    session.operator.queue(),
    session.operator.queue(),
    session.continue(),
    session.continue(),
  ];
  answer();
  await Promise.all([...waiting, prepared]);
  clock.mockRestore();
  const ids = session.log.between(24).map(({ id }) => id);
  expect(ids).toHaveLength(4);
});
