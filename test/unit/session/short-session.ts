import { createSpillway, type Message, type Session, type SpillwayOptions } from '../../../src/index.js';

/* Short sessions, and ways to have something happen while one waits. */

const counter = { name: 'quarter', exact: false, count: (text: string) => Math.ceil(text.length / 4) };

export const said = (id: string, role: 'user' | 'assistant', words = 12): Message => ({
  id,
  role,
  origin: role === 'user' ? 'user' : 'model',
  parts: [{ type: 'text', text: `${id}: ${'the river runs past the mill. '.repeat(words)}` }],
});

export const talk = (length: number): Message[] =>
  Array.from({ length }, (_, i) => said(`m${i}`, i % 2 === 0 ? 'user' : 'assistant'));

export const engine = (more: SpillwayOptions = {}) =>
  createSpillway({ counter, inputBudget: 2_000, ...more, settings: { safetyMargin: 0, ...more.settings } });

/** A summarizer that answers when it is told to, and says when it was asked. */
export function slow() {
  let ask = (): void => undefined;
  let answer = (): void => undefined;
  const asked = new Promise<void>((done) => (ask = done));
  const answered = new Promise<void>((done) => (answer = done));
  const summarize = async () => {
    ask();
    await answered;
    return { text: 'They spoke of the river.', finishReason: 'stop' };
  };
  return { asked, answer: () => answer(), summarizer: { name: 'slow', endpoint: 'here', summarize } };
}

export const idsIn = (session: Session): string[] => session.log.between(0).map(({ id }) => id);

/** Lets so many continuations of promises have their turn. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
}
