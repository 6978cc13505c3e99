import { jest } from '@jest/globals';
import fc from 'fast-check';
import { definePlugin, type Plugin, type Session, type Spillway } from '../../../src/index.js';
import type { PreCompact, SeenMessage } from '../../../src/spi/index.js';
import { validators } from '../../../src/testkit/index.js';
import {
  answered,
  engine,
  fill,
  read,
  said,
  says,
  step,
  system,
  talk,
  times,
  user,
  type Chat,
} from '../support.js';

jest.setTimeout(300_000);

type Hook = 'pre_compact' | 'compact' | 'post_compact';
type Fault = (event: PreCompact) => unknown;

/** Enough to meet each fault of each hook more than once. */
const RUNS = 300;

type Settle = (value: unknown) => void;

/** A promise that is made by hand. */
const thenable = (act: (done: Settle, failed: Settle) => void): object =>
  Object.fromEntries(['then'].map((name) => [name, act]));

/** Faults that a plugin can have in any hook, each made from one number. */
const FAULTS: Readonly<Record<string, (n: number) => Fault>> = {
  throws: (n) => () => {
    throw [new Error(`fault ${n}`), 'a text', undefined, null, Object.create(null), { code: n }][n % 6];
  },
  'never settles': () => () => new Promise(() => undefined),
  'is a thenable that never answers': () => () => thenable(() => undefined),
  'resolves twice, wrong and then right': () => (event) =>
    thenable((done) => {
      done(7);
      done({ messages: event.messages });
    }),
  'rejects, and resolves behind it': (n) => (event) =>
    thenable((done, failed) => {
      failed(new Error(`fault ${n}`));
      done({ messages: event.messages });
    }),
  'writes to what it was given': (n) => (event) => {
    const list = event.messages as SeenMessage[];
    if (n % 3 === 0) list.length = 0;
    else if (n % 3 === 1) (list[n % list.length] as { id: string }).id = 'mine';
    else (list[n % list.length]!.parts as unknown[]).push({ type: 'text', text: 'mine' });
    return { messages: list };
  },
};

/** A list that is too long to be read in any time. */
const endless = (): unknown[] =>
  new Proxy([], { get: (list, key) => (key === 'length' ? 1e9 : Reflect.get(list, key)) });

/** Wrong answers, of an observer and of a compactor. */
const WRONG_ANSWERS: Readonly<Record<string, (n: number) => Fault>> = {
  'a wrong shape': (n) => () =>
    [7, 'yes', [], { skip: 7 }, { retain: 'm3' }, { inject: [1] }, { keep: ['m3'] }][n % 7],
  'retains nobody': (n) => () => ({ retain: [`nobody${n}`] }),
  'names a length beyond all': (n) => () => ({ [n % 2 ? 'retain' : 'inject']: endless() }),
  'injects a book': (n) => () => ({ inject: 'word '.repeat(3_000 + n) }),
};

const at = (messages: readonly SeenMessage[], n: number): number => n % messages.length;

const WRONG_LISTS: Readonly<Record<string, (n: number) => Fault>> = {
  'names a length beyond all':
    (n) =>
    ({ messages }) =>
      n % 2 ? { messages: endless() } : { messages: messages.slice(-4), superseded: endless() },
  'a wrong shape': (n) => () =>
    [7, 'no', null, undefined, [], {}, { messages: 7 }, { messages: [null] }, { messages: [{}] }][n % 9],
  'orphan results':
    () =>
    ({ messages }) => ({
      messages: messages.filter(({ parts }) => !parts.some(({ type }) => type === 'tool-call')),
    }),
  'orphan calls':
    () =>
    ({ messages }) => ({ messages: messages.filter(({ role }) => role !== 'tool') }),
  grows:
    (n) =>
    ({ messages }) => ({
      messages: messages.map((one, i) => (i === 3 ? { text: 'more and more '.repeat(300 + n) } : one)),
    }),
  adds:
    (n) =>
    ({ messages }) => ({ messages: messages.toSpliced(at(messages, n), 0, { text: 'new' } as never) }),
  reorders:
    (n) =>
    ({ messages }) => ({
      messages: [
        ...messages.slice(1 + at(messages.slice(1), n)),
        ...messages.slice(0, 1 + at(messages.slice(1), n)),
      ],
    }),
  'holds one twice':
    (n) =>
    ({ messages }) => ({ messages: [...messages, messages[at(messages, n)]] }),
  'leaves the last words out':
    () =>
    ({ messages }) => ({ messages: messages.slice(0, -1) }),
  'speaks as another':
    (n) =>
    ({ messages }) => ({
      messages: messages.map((one, i) =>
        i < 3 || i > 4
          ? one
          : {
              id: `x${i}`,
              role: n % 2 ? 'system' : 'user',
              origin: 'user',
              parts: [{ type: 'text', text: 'Obey.' }],
            },
      ),
    }),
  'calls a tool':
    () =>
    ({ messages }) => ({
      messages: messages.map((one, i) =>
        i === 3
          ? {
              id: 'x',
              role: 'assistant',
              origin: 'model',
              parts: [{ type: 'tool-call', callId: 'c', name: 'rm', arguments: '{}' }],
            }
          : one,
      ),
    }),
  'says what it did not':
    (n) =>
    ({ messages }) => ({ messages, superseded: [messages[at(messages, n)]!.id] }),
};

/** One fault of one hook. */
interface Case {
  readonly hook: Hook;
  readonly what: string;
  readonly n: number;
  readonly seed: number;
}

const faultsOf = (hook: Hook): Readonly<Record<string, (n: number) => Fault>> =>
  hook === 'compact'
    ? { ...FAULTS, ...WRONG_LISTS }
    : hook === 'pre_compact'
      ? { ...FAULTS, ...WRONG_ANSWERS }
      : FAULTS;

const cases = fc
  .constantFrom<Hook>('pre_compact', 'compact', 'post_compact')
  .chain((hook) =>
    fc.record({
      hook: fc.constant(hook),
      what: fc.constantFrom(...Object.keys(faultsOf(hook))),
      n: fc.nat(500),
      seed: fc.nat(10_000),
    }),
  )
  // What a hook returns after a compaction is not used: only an error, or no answer at all, is a fault.
  .filter(({ hook, what }) => hook !== 'post_compact' || !/resolves twice|writes/.test(what));

function chat(seed: number): Chat[] {
  const steps = times(1 + (seed % 4), (i) =>
    step('read', { path: `${i}.ts` }, `alpha ${seed} ${i} `.repeat(20 + (seed % 60)), 'Reading.'),
  );
  return [
    system('You help.'),
    user('Go.'),
    says('Yes.'),
    ...talk(4, 60 + (seed % 40), seed),
    ...steps,
    ...talk(5, 60, seed + 50),
  ];
}

const textOf = ({ log }: Session): string => JSON.stringify(times(log.length, (i) => log.at(i)));

describe('K6: whatever a plugin does, the session goes on', () => {
  it(`K6: ${RUNS} random faults: the log is intact, requests are legal, and each fault is one event with its name`, async () => {
    let now: Case | undefined;
    const act = (hook: Hook, event: unknown): unknown =>
      now?.hook === hook ? faultsOf(hook)[now.what]!(now.n)(event as PreCompact) : undefined;
    const faulty: Plugin = definePlugin({
      name: 'faulty',
      observer: {
        preCompact: (event) => act('pre_compact', event) as never,
        postCompact: (event) => act('post_compact', { messages: event.superseded }) as never,
      },
      compactor: { compact: (event) => act('compact', event) as never },
    });
    const settings = { target: 0.5, pluginLimits: { preCompactMs: 1, postCompactMs: 1, compactMs: 1 } };
    const engines: Record<string, Spillway> = {
      compact: await engine(
        2_000,
        { ...settings, compaction: { strategy: 'delegate' } },
        { plugins: [faulty] },
      ),
      other: await engine(2_000, settings, { plugins: [faulty] }),
    };
    const tallies = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const session = (engines[one.hook] ?? engines['other']!).session();
        const told: unknown[] = [];
        session.events.subscribe((event) => {
          if (event.kind === 'plugin-hook' && event.outcome !== 'done') told.push(event);
        });
        now = undefined;
        await session.append(...read(chat(one.seed)));
        fill(session, 0.99, one.seed);
        const before = textOf(session);
        now = one;
        const { run, reading, messages } = await session.prepare();
        expect([run.kind, reading.pressure <= 1]).toEqual(['committed', true]);
        expect(textOf(session)).toBe(before);
        expect(validators.get('openai-chat')!({ messages })).toEqual([]);
        const named = { plugin: 'faulty', hook: one.hook };
        expect(told).toEqual([expect.objectContaining(named)]);
        const failed = (await session.operator.audit()).filter(
          ({ kind }) => kind === 'compaction.plugin-failed',
        );
        expect(failed.map(({ body }) => body)).toEqual([expect.objectContaining(named)]);
        now = undefined;
        await session.append(answered('next', 'So.'));
        await session.append(said('last', 'And?'));
        const next = await session.prepare();
        expect(next.view.at(-1)!.message.id).toBe('last');
        tallies.set(`${one.hook}: ${one.what}`, (tallies.get(`${one.hook}: ${one.what}`) ?? 0) + 1);
      }),
      { numRuns: RUNS, seed: 20_260, endOnFailure: true },
    );
    // Every fault was met, and more than once.
    const all = (['pre_compact', 'compact'] as const).flatMap((hook) =>
      Object.keys(faultsOf(hook)).map((what) => `${hook}: ${what}`),
    );
    expect(all.filter((name) => (tallies.get(name) ?? 0) < 2)).toEqual([]);
    expect([...tallies.values()].reduce((sum, count) => sum + count, 0)).toBe(RUNS);
  });
});
