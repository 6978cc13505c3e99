import { createSpillway } from '../../../src/index.js';
import { prose, says, system, user } from '../../support/chats.js';
import { engine, fill, read, sessionOf, spillway, talk, temporaryFolder, preparedAt } from '../support.js';

const folder = temporaryFolder();
const CHINESE = '水库的水位正在上升，请先打开第一道闸门，然后再检查下游的压力计。';
const TALK = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 300)];

describe('AC-08: wrong token numbers (59k shown, 174k real)', () => {
  it('CJK is not counted as four characters a token', async () => {
    const tokensBy = async (counter: 'heuristic' | 'o200k_base'): Promise<number> => {
      const session = (await createSpillway({ settings: { counter } })).session();
      session.append(...read([user(CHINESE.repeat(100))]));
      return session.reading.tokens;
    };
    const exact = await tokensBy('o200k_base');
    expect(exact).toBeGreaterThan((CHINESE.length * 100) / 2);
    const estimate = await tokensBy('heuristic');
    expect(Math.abs(estimate - exact) / exact).toBeLessThan(0.25);
  });

  it('tool definitions and the system prompt are counted, and can bring a session to its limit', async () => {
    const spillwayEngine = await engine(20_000);
    const tools = [{ type: 'function', function: { name: 'search', description: prose(4_000) } }];
    const [bare, tooled] = [spillwayEngine.session(), spillwayEngine.session({ tools })];
    for (const session of [bare, tooled]) session.append(...read(TALK));
    expect(tooled.reading.tokens - bare.reading.tokens).toBeGreaterThan(4_000);
    const prompted = await sessionOf(20_000, [system(prose(4_000)), ...TALK.slice(1)]);
    expect(prompted.reading.tokens - bare.reading.tokens).toBeGreaterThan(3_900);
    const runs = await Promise.all([bare, tooled, prompted].map((session) => session.prepare()));
    expect(runs.map(({ run }) => run.kind !== 'below-gate')).toEqual([false, true, true]);
  });

  it('so are those of a request body on the command line', async () => {
    const tools = [{ type: 'function', function: { name: 'search', description: prose(4_000) } }];
    const pressure = async (body: object): Promise<number> => {
      const file = folder.file('body.json', JSON.stringify(body));
      return JSON.parse((await spillway(['compact', file, '--window', '50000', '--json'])).err).tokens.before;
    };
    expect(
      (await pressure({ messages: TALK, tools })) - (await pressure({ messages: TALK })),
    ).toBeGreaterThan(2_000);
  });

  it('the prompt that is about to be sent is counted before it is sent', async () => {
    const session = await sessionOf(20_000, TALK);
    const { reading } = await session.prepare();
    expect(reading.pressure).toBeLessThan(0.8);
    fill(session, 0.93);
    expect(session.reading.pressure).toBeGreaterThan(0.92);
    expect((await session.prepare()).run.kind).toBe('committed');
  });

  it('usage that is older than the last rewrite is ignored', async () => {
    const session = await sessionOf(20_000, TALK);
    const { reading } = await preparedAt(session, 0.75);
    expect((await session.operator.compact({ target: 0.4 })).kind).toBe('committed');
    const small = session.reading;
    // The report comes late: it is of the request before, and says nothing of the next.
    session.observe({ inputTokens: 2 * reading.tokens, outputTokens: 20_000 });
    expect(session.reading).toMatchObject({ tokens: small.tokens, basis: 'estimated' });
    expect((await session.prepare()).run.kind).toBe('below-gate');
  });

  it('also where the rewrite was an undo', async () => {
    const session = await sessionOf(20_000, TALK);
    await preparedAt(session, 0.93);
    session.operator.undo();
    session.observe({ inputTokens: 40_000 });
    expect(session.reading.basis).toBe('estimated');
  });

  it('one scale in every comparison: what is learned moves tokens, pressure and target alike', async () => {
    const session = await sessionOf(20_000, TALK);
    const first = await session.prepare();
    session.observe({ inputTokens: 2 * first.reading.tokens });
    const { reading } = session;
    expect(reading.tokens).toBe(2 * first.reading.tokens);
    expect(reading.pressure).toBeCloseTo(reading.tokens / reading.budget.tokens);
    expect(reading.derivation.join('\n')).toMatch(/measured/);
    const next = await session.prepare();
    expect(next.run.kind).toBe('committed');
    expect(next.reading.pressure).toBeLessThanOrEqual(0.6);
    expect(next.reading.scale).toBe(2);
  });

  it.each([
    ['0', () => 0],
    ['next to nothing', () => 0.001],
    ['NaN', () => NaN],
    ['what is thrown', () => raise(new Error('no vocabulary'))],
  ])('a counter that gives %s for a long text is refused, and named', async (_, count) => {
    const follow = async () => {
      const counter = { name: 'odd', exact: true, count };
      const session = (await createSpillway({ inputBudget: 3_000, counter })).session();
      await session.follow({ messages: [user(prose(2_000))] });
    };
    const refused = follow();
    await expect(refused).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringMatching(/counter "odd"/) as unknown,
    });
  });
});

function raise(error: Error): never {
  throw error;
}
