import { describe, expect, it } from '@jest/globals';
import type { Session, SpillwayOptions, Summarizer, SummaryRequest } from '../../src/index.js';
import { engine, prose, read, step, system, talk, user, type Chat } from './support.js';

const BUDGET = 16_000;

/** Writes so much of what it may, in words that are its own in each call; or what `answer` makes of the request. */
function writer(answer: (request: SummaryRequest, nth: number) => string | number = () => 0.9) {
  const asked: SummaryRequest[] = [];
  const summarizer: Summarizer = {
    name: 'writer',
    endpoint: 'here',
    summarize(request) {
      asked.push(request);
      const made = answer(request, asked.length);
      const text =
        typeof made === 'string' ? made : prose(Math.floor(made * request.maxTokens), asked.length);
      return Promise.resolve({ text, finishReason: 'stop' });
    },
  };
  return { asked, summarizer };
}

/** A session that takes messages with ids of their own: `n0`, `n1`, … */
async function begun(more: Omit<SpillwayOptions, 'settings'>, settings = {}) {
  const spillway = await engine(BUDGET, { unseen: { share: 0.6 }, ...settings }, more);
  const session = spillway.session();
  let next = 0;
  const add = (chat: readonly Chat[]) =>
    session.append(...read(chat).map((message) => ({ ...message, id: `n${next++}` })));
  return { session, add };
}

const summaryIn = (session: Session) => {
  const shown = session.view.find(({ message }) => message.label === 'summary')!;
  return { tokens: shown.size.tokens };
};

describe('S5: a text is asked for at the size that the digest takes in the end', () => {
  it('also where the digest grew after claims had joined it', async () => {
    const chat = [
      system('Be brief.'),
      user('Mend the mill.'),
      ...[1, 2, 3].flatMap((i) =>
        step('write_file', { path: `src/wheel${i}.ts`, content: prose(80, i) }, 'ok'),
      ),
      ...talk(12, 640),
    ];
    const plain = await begun({});
    await plain.add(chat);
    await plain.session.prepare();
    const { asked, summarizer } = writer();
    const { session, add } = await begun({ summarizer });
    await add(chat);
    const { run } = await session.prepare();
    expect(run.stages.map(({ stage }) => stage).slice(-2)).toEqual(['claims', 'regrow']);
    expect(asked[0]!.maxTokens).toBeGreaterThan(0.95 * summaryIn(plain.session).tokens);
  });
});
