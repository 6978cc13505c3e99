import fc from 'fast-check';
import { createSpillway, type Spillway, type Summarizer } from '../../src/index.js';
import { serve, type Running } from '../../src/faces/server/index.js';
import type { Emulator } from '../emulator/server.js';
import { quarter, system } from '../support/chats.js';
import { act, Client, judge, marks, teller } from './clients.js';
import { Processes, type Kept } from './processes.js';

const PROFILES = ['staged', 'agent', 'operator', 'pivot', 'reducer'];
/** The suffix of histories in which a model writes the texts: half of all. */
const TOLD = ' with a model';
const KINDS = PROFILES.flatMap((profile) => [profile, profile + TOLD]);
const ofKind = (kind: string): { profile: string; summarizer?: Summarizer } =>
  kind.endsWith(TOLD) ? { profile: kind.slice(0, -TOLD.length), summarizer: teller } : { profile: kind };
const WINDOW = 700;
/** The most actions of a client in a usual and in a long history. The cost grows with the square of their number. */
const ACTS = { usual: 10, long: 24 };
export type Length = keyof typeof ACTS;
const first = system('Be brief.');

/** A test of histories, and the processes behind it, to be closed at the end. */
export interface Tried {
  readonly property: fc.IAsyncProperty<unknown>;
  close(): Promise<void>;
}

/** Histories of one session of the library, opened again after each restart. */
export function inLibrary(kept: Kept, length: Length = 'long'): Tried {
  const processes = new Processes<Spillway>(kept, (store, kind) =>
    createSpillway({
      store,
      ...ofKind(kind),
      counter: quarter,
      inputBudget: WINDOW,
      settings: { safetyMargin: 0 },
    }),
  );
  const property = fc.asyncProperty(
    fc.constantFrom(...KINDS),
    fc.array(act, { minLength: 4, maxLength: ACTS[length] }),
    async (kind, acts) => {
      const { name: id, restart } = processes.history(kind);
      const open = async () => (await restart()).open({ id, format: 'openai-chat' });
      let session = await open();
      const client = new Client(marks(), [first]);
      for (const one of acts) {
        if (one.does === 'restarts') session = await open();
        else if (one.does === 'compacts') await session.operator.compact({ target: 0.3 });
        else if (one.does === 'undoes') {
          await session.operator.undo();
          await session.operator.release();
        }
        client.does(one);
        await session.follow({ messages: structuredClone(client.sends) });
        judge((await session.prepare()).messages, client);
      }
    },
  );
  return { property, close: () => processes.close() };
}

/** Histories of three proxy clients that share beginnings; a restart is another process on the same store. */
export function inProxy(kept: Kept, emulator: Emulator, length: Length = 'long'): Tried {
  emulator.otherwise = () => ({ text: 'ok' });
  const server = { port: 0, upstreams: { openai: emulator.url } };
  const settings = { safetyMargin: 0, window: WINDOW, reserve: { output: 0 }, server } as never;
  const processes = new Processes<Running>(kept, (store, kind) =>
    serve({ store, ...ofKind(kind), counter: quarter, settings }),
  );

  async function ask(url: string, name: string, client: Client): Promise<void> {
    const answer = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // The clients of this history share this key with no other history.
      body: JSON.stringify({ model: 'm', prompt_cache_key: name, messages: client.sends }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`answered with ${answer.status}: ${text}`);
    judge(emulator.received.at(-1)!.body.messages as readonly unknown[], client);
    emulator.received.length = 0;
  }

  const property = fc.asyncProperty(
    fc.constantFrom(...KINDS),
    fc.array(fc.tuple(act, fc.nat(2), fc.nat(2)), { minLength: 4, maxLength: ACTS[length] }),
    async (kind, acts) => {
      const { name, restart } = processes.history(kind);
      let service = await restart();
      const mark = marks();
      const clients = Array.from({ length: 3 }, () => new Client(mark, [first]));
      for (const [one, who, from] of acts) {
        const client = clients[who]!;
        if (one.does === 'restarts') service = await restart();
        if (one.does === 'forks') client.history = clients[from]!.history.slice(0, 1 + (one.place % 40));
        client.does(one);
        await ask(service.url, name, client);
      }
    },
  );
  return { property, close: () => processes.close() };
}
