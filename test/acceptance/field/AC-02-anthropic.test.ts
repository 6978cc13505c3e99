import { anthropic } from '../../../src/formats/index.js';
import { replaySession } from '../../../src/index.js';
import { validateAnthropic } from '../../../src/testkit/index.js';
import { engine, prose, times } from '../support.js';

type Wire = { readonly role: string; readonly content: unknown };

const text = (words: string) => ({ type: 'text', text: words });
const user = (...content: unknown[]): Wire => ({ role: 'user', content });
const says = (...content: unknown[]): Wire => ({ role: 'assistant', content });
const use = (id: string) => ({ type: 'tool_use', id, name: 'Read', input: { path: `src/${id}.ts` } });
const result = (id: string, tokens = 150, seed = id.length) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: prose(tokens, seed),
});

/** Three calls at once, their results in another order, text after them in the same message. */
const parallel = (i: number): Wire[] => [
  says(text(`Reading three, round ${i}.`), use(`x${i}`), use(`y${i}`), use(`z${i}`)),
  user(
    result(`z${i}`, 150, 3 * i),
    result(`x${i}`, 150, 3 * i + 1),
    result(`y${i}`, 150, 3 * i + 2),
    text(`By the way ${i}.`),
  ),
];

async function calls(budget: number, wire: readonly Wire[], settings = {}) {
  const session = (await engine(budget, settings, { format: 'anthropic' })).session();
  const sent: unknown[] = [];
  for await (const { prepared } of replaySession(session, anthropic.parse({ messages: wire }).messages)) {
    expect(prepared).toBeDefined();
    const request = { ...prepared!.beside, messages: prepared!.messages };
    expect(validateAnthropic(request)).toEqual([]);
    sent.push(request);
  }
  return { session, sent };
}

describe('AC-02: orphaned call or result, on the wire of the Messages API', () => {
  it('AC-02: every request of many compactions is legal, with late, lost, doubled and interrupted calls', async () => {
    const wire: Wire[] = [user(text('Go.'))];
    for (let i = 0; i < 30; i++) {
      wire.push(...parallel(i));
      if (i % 4 === 0) wire.push(says(text('Halfway.')), user(result(`x${i}`, 20), text('again')));
      if (i % 5 === 0) wire.push(user(result(`lost${i}`, 20)));
      if (i % 7 === 0) wire.push(says(text('Trying.'), use(`cut${i}`)));
    }
    wire.push(says(text('Done.')));
    const { session, sent } = await calls(4_000, wire);
    expect(sent.length).toBeGreaterThan(40);
    expect(session.operator.history.length).toBeGreaterThan(5);
  });

  it('AC-02: in both modes of snip a call and its result are kept or removed together', async () => {
    const wire = [user(text('Go.')), ...times(20, (i) => parallel(i)), says(text('Done.'))];
    for (const mode of ['stub', 'remove'] as const) {
      const { session } = await calls(8_000, wire, { stages: { snip: { mode, protectTokens: 0 } } });
      expect(session.operator.history.length).toBeGreaterThan(0);
    }
  });
});
