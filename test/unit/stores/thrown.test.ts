import { createSpillway, openStore, SpillwayError } from '../../../src/index.js';
import type { Session, SessionStore } from '../../../src/index.js';

/** A store that, from then on, does this where it is asked for a method. */
async function breaking(method: keyof SessionStore, act: () => Promise<never>) {
  const sound = await openStore('memory:');
  let isBroken = false;
  const store = new Proxy(sound, {
    get: (target, name) =>
      isBroken && name === method
        ? act
        : ((Reflect.get(target, name) as () => void).bind?.(target) ?? 'mine'),
  });
  return { store, breaks: () => void (isBroken = true) };
}

const THROWS: readonly (readonly [how: string, act: () => Promise<never>])[] = [
  ['an error', () => Promise.reject(new Error('the disk is full'))],
  ['nothing', () => Promise.reject(undefined as unknown as Error)],
  [
    'an error at once',
    () => {
      throw new TypeError('no such table');
    },
  ],
];

const CALLS: readonly (readonly [
  name: string,
  method: keyof SessionStore,
  call: (session: Session) => unknown,
])[] = [
  ['load', 'events', (session) => session.load()],
  ['audit', 'events', (session) => session.operator.audit()],
  ['explainCall', 'events', (session) => session.operator.explainCall(9)],
  ['givenBack', 'events', (session) => session.operator.givenBack()],
  ['observe', 'note', (session) => session.observe({ inputTokens: 1, outputTokens: 1 })],
  ['release', 'write', (session) => session.operator.release()],
];

const CASES = CALLS.flatMap(([name, method, call]) =>
  THROWS.map(([how, act]) => [name, method, how, call, act] as const),
);

it.each(CASES)('%s gives STORE_FAILED with the session if %s throws %s', async (_, method, __, call, act) => {
  const { store, breaks } = await breaking(method, act);
  const session = await (await createSpillway({ store })).open({ id: 'mill' });
  await session.append({
    id: 'm0',
    role: 'user',
    origin: 'user',
    parts: [{ type: 'text', text: 'Build.' }],
  });
  await session.prepare();
  breaks();
  const error = await Promise.resolve(call(session)).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SpillwayError);
  expect(error).toMatchObject({ code: 'STORE_FAILED', retryable: true });
  expect((error as Error).message).toContain('session "mill"');
});
