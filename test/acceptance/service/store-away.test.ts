import { describe, expect, it } from '@jest/globals';
import { openStore, SpillwayError, type SessionStore } from '../../../src/index.js';
import { validators } from '../../../src/testkit/index.js';
import { says, system, talk, user, type Chat } from '../support.js';
import { BUDGET, proxied } from './proxied.js';

const full = () =>
  Promise.reject(
    new SpillwayError('STORE_FULL', { subject: 'store', found: 'a full disk', remedy: 'Make room.' }),
  );

/** A store that does none of what is asked, or writes nothing, as long as it `fails`. */
async function failing(what: 'writes' | 'all'): Promise<{ store: SessionStore; fails: boolean }> {
  const kept = await openStore('memory:');
  const state = { store: kept, fails: true };
  const reads = new Set<unknown>(['load', 'messages', 'events', 'value', 'values', 'list', 'usage']);
  state.store = new Proxy(kept, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function' || name === 'close') return own;
      return (...given: unknown[]) =>
        state.fails && (what === 'all' || !reads.has(name))
          ? full()
          : (Reflect.apply(own, target, given) as unknown);
    },
  });
  return state;
}

const PATHS = { 'openai-chat': '/v1/chat/completions', anthropic: '/v1/messages' } as const;

describe.each(['writes', 'all'] as const)('N13: a store that refuses %s from the first', (what) => {
  it.each(['openai-chat', 'anthropic'] as const)(
    'leaves a new conversation of %s compacted and in one session, and takes it in when it is back',
    async (format) => {
      const state = await failing(what);
      state.fails = false;
      const { service, emulator } = await proxied({}, { store: state.store });
      state.fails = true;
      const history: Chat[] = [...talk(4, 200), user('Build the mill.'), says('Gladly.')];
      const ids = new Set<string | null>();
      const ask = async (words: string): Promise<void> => {
        history.push(...talk(12, 320), user(words));
        const head = format === 'anthropic' ? { system: 'Be brief.', max_tokens: 50 } : {};
        const messages = format === 'anthropic' ? history : [system('Be brief.'), ...history];
        const answer = await fetch(service.url + PATHS[format], {
          method: 'POST',
          body: JSON.stringify({ model: 'm', ...head, messages }),
        });
        expect(answer.status).toBe(200);
        ids.add(answer.headers.get('x-spillway-session'));
        const { text, body } = emulator.received.at(-1)!;
        expect(text).toContain(words);
        expect(text.length / 4).toBeLessThan(BUDGET * 1.1);
        expect(validators.get(format)!(body)).toEqual([]);
        history.push(says('Done.'));
      };
      for (const words of ['And the wheel?', 'And the roof?', 'And the door?']) await ask(words);
      expect(ids.size).toBe(1);
      expect(service.lines.join('')).not.toContain('passed by');
      expect(service.lines.join('')).toContain('store-failed');
      state.fails = false;
      await ask('And the wall?');
      expect(ids.size).toBe(1);
      const stored = await state.store.load({ sessionId: [...ids][0]!, agentPath: 'primary' });
      expect(stored).toBeDefined();
    },
  );
});

describe('N13: a store that takes what it is told, and cannot be read', () => {
  it.each([undefined, 'mill'])(
    'leaves a conversation compacted and in one session: named %s',
    async (name) => {
      const kept = await openStore('memory:');
      const damaged = new SpillwayError('STORE_DAMAGED', { subject: 'store', remedy: 'Restore it.' });
      kept.load = () => Promise.reject(damaged);
      const { service, emulator } = await proxied({}, { store: kept });
      const history: Chat[] = [];
      const ids = new Set<string | null>();
      for (const words of ['And the wheel?', 'And the roof?', 'And the door?']) {
        history.push(...talk(12, 320), user(words));
        const answer = await fetch(service.url + PATHS['openai-chat'], {
          method: 'POST',
          headers: name === undefined ? {} : { 'x-spillway-session': name },
          body: JSON.stringify({ model: 'm', messages: history }),
        });
        expect(answer.status).toBe(200);
        ids.add(answer.headers.get('x-spillway-session'));
        expect(emulator.received.at(-1)!.text.length / 4).toBeLessThan(BUDGET * 1.1);
        history.push(says('Done.'));
      }
      expect(ids.size).toBe(1);
      expect(service.lines.join('')).not.toContain('passed by');
      expect(service.lines.join('')).toContain('STORE_DAMAGED');
    },
  );
});
