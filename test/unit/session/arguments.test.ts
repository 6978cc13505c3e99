import { createSpillway } from '../../../src/index.js';
import { quarter } from '../../acceptance/support.js';
import { place } from '../../acceptance/sessions/stores.js';

const engine = () => createSpillway({ inputBudget: 2_000, counter: quarter });
const MANY = Array.from({ length: 21 }, (_, i) => ({
  role: i % 2 ? 'assistant' : 'user',
  content: `${i} ${'word '.repeat(200)}`,
}));

/** What JavaScript lets people write where TypeScript would not. */
const untyped = (value: unknown) => value as never;

describe('reported usage', () => {
  it.each([
    undefined,
    null,
    5,
    'x',
    [],
    { inputTokens: '2500' },
    { inputTokens: NaN },
    { inputTokens: -5, outputTokens: 1 },
    { inputTokens: 100, outputTokens: Infinity },
    { inputTokens: 1e300 },
    { inputTokens: { total: 5 } },
    { inputTokens: 5, cacheReadTokens: '1' },
  ])('is refused if it is %p, and does not calibrate the session', async (usage) => {
    const session = (await engine()).session();
    await session.follow({ messages: MANY.slice(0, 3) });
    await session.prepare();
    const before = session.reading;
    await expect(session.observe(untyped(usage))).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' });
    expect(session.reading).toEqual(before);
    expect(session.operator.costs.primary.calls).toBe(0);
  });

  it('is accepted if a field is null', async () => {
    const session = (await engine()).session();
    await session.follow({ messages: MANY.slice(0, 3) });
    await session.prepare();
    await session.observe(untyped({ inputTokens: 600, cacheReadTokens: null }));
    expect(session.reading.basis).toBe('measured');
  });
});

describe('invalid options are refused', () => {
  it.each<[string, (spillway: Awaited<ReturnType<typeof engine>>) => unknown]>([
    ['session: null', (one) => one.session(untyped(null))],
    ['session: an id that is no text', (one) => one.session(untyped({ id: 5 }))],
    ['session: an id with half a surrogate pair', (one) => one.session({ id: 'mill \ud800' })],
    ['open: an id with half a surrogate pair', (one) => one.open({ id: 'mill \udc00' })],
    ['session: a name that there is none of', (one) => one.session(untyped({ idd: 'x' }))],
    ['session: tools that are no list', (one) => one.session(untyped({ tools: {} }))],
    ['open: null', (one) => one.open(untyped(null))],
    ['prepare: null', (one) => one.session().prepare(untyped(null))],
    ['prepare: a model that is no name', (one) => one.session().prepare(untyped({ model: 5 }))],
    ['prepare: a signal that is none', (one) => one.session().prepare(untyped({ signal: 'now' }))],
    ['prepare: content to inject that is none', (one) => one.session().prepare(untyped({ inject: [5] }))],
    ['prepare: a count that is none', (one) => one.session().prepare(untyped({ maxOutputTokens: 'x' }))],
    ['call: no function', (one) => one.session().call(untyped(5))],
  ])('%s', async (_, ask) => {
    const spillway = await engine();
    await expect((async () => ask(spillway))()).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' });
  });

  it.each([
    null,
    5,
    [],
    { modle: 'x' },
    { stages: 5 },
    { stages: [null] },
    { counter: 5 },
    { store: 5 },
    { settings: 5 },
    { env: 'x' },
    { profile: 5 },
    { summarizer: 'model' },
    { summaryLines: [5] },
    { onStoreFailure: 'ajar' },
  ])('createSpillway(%p)', async (options) => {
    await expect(createSpillway(untyped(options))).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });
});

it('a session that was opened again knows its whole log', async () => {
  const { store, again } = await place('sqlite');
  const options = { inputBudget: 2_000, counter: quarter };
  const first = await (await createSpillway({ ...options, store })).open({ id: 'mill' });
  await first.follow({ messages: MANY });
  await first.prepare();
  const session = await (await createSpillway({ ...options, store: await again() })).open({ id: 'mill' });
  expect(session.operator.explain()).toHaveLength(MANY.length);
});
