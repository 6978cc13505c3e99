import { expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { createSpillway, openStore, type SessionStore, type Spillway } from '../../src/index.js';
import { serve, type Running } from '../../src/faces/server/index.js';
import { startEmulator } from '../emulator/index.js';
import { prose, quarter, says, step, system, user, type Chat } from '../acceptance/support.js';

/** How many histories; by hand as many as one has time for. */
const RUNS = Number(process.env.SPILLWAY_RUNS ?? 60);
jest.setTimeout(60_000 + RUNS * 500);

/** One thing that a client does between two requests; numbers choose a place in its history. */
const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ does: fc.constant('goes on' as const), place: fc.nat(), long: fc.nat(6) }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'edits' as const,
        'edits in the middle' as const,
        'regenerates' as const,
        'forks' as const,
        'begins anew' as const,
      ),
      place: fc.nat(),
      long: fc.nat(3),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'restarts' as const,
        'compacts' as const,
        'undoes' as const,
        'moves a note' as const,
      ),
      place: fc.nat(),
      long: fc.nat(3),
    }),
  },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** A client of the whole history; every message of it holds a word that no other message holds. */
class Client {
  history: Chat[];
  readonly #mark: () => string;

  constructor(mark: () => string, history: readonly Chat[] = []) {
    this.#mark = mark;
    this.history = [...history];
  }

  asks(long: number): void {
    const mark = this.#mark();
    const kinds = [
      `Never touch ${mark}.yml. ${prose(40 + long * 40, long)}`,
      `Now ${mark}. ${prose(20 + long * 60, long)}`,
      `Always write to ${mark} first.`,
    ];
    this.history.push(user(kinds[long % kinds.length]!));
  }

  isAnswered(long: number): void {
    const mark = this.#mark();
    if (long % 2 === 1) {
      const todos = [{ content: `split ${mark}`, status: 'pending' }];
      this.history.push(
        ...step('todo_write', { todos }, 'ok'),
        ...step(
          'write_file',
          { path: `src/${mark}.ts`, content: prose(30) },
          `${mark} ${prose(40 + long * 60, 3)}`,
        ),
      );
    }
    this.history.push(says(`We decided on ${mark}. ${prose(20 + long * 30, long)}`));
  }

  /** Leaves everything behind one of its own questions, and asks another in its place. */
  edits(place: number, long: number): void {
    const own = this.history.flatMap(({ role }, at) => (role === 'user' ? at : []));
    this.history = this.history.slice(0, own[place % own.length] ?? 0);
    this.asks(long);
  }

  does({ does, place, long }: Act): void {
    const answered =
      this.history.at(-1)?.role === 'user' && does !== 'edits' && does !== 'edits in the middle';
    if (answered) this.isAnswered(place % 5);
    if (does === 'edits') this.edits(place, long);
    else if (does === 'regenerates') this.history.pop();
    else if (does === 'begins anew') this.history = [system(`Be brief, ${this.#mark()}.`)];
    else if (does === 'edits in the middle') {
      const at = place % this.history.length;
      if (this.history[at]!.role === 'user') this.history[at] = user(`In other words: ${this.#mark()}.`);
    } else if (does === 'moves a note') this.history.push(user(`Note ${this.#mark()}.`));
    if (this.history.at(-1)?.role !== 'user') this.asks(long);
  }
}

const MARK = /mk\d+x/g;
const marksOf = (value: unknown): string[] => JSON.stringify(value).match(MARK) ?? [];

const isBroughtBack = (content: unknown): boolean => JSON.stringify(content ?? '').startsWith('"<recalled>');

/** The newest message of the client is sent, and not one word that it did not send. */
function check(sent: readonly unknown[], { history }: Client, acts: unknown): void {
  const own = new Set(marksOf(history));
  expect([acts, marksOf(sent).filter((mark) => !own.has(mark))]).toEqual([acts, []]);
  const newest = (history.at(-1)!.content as string).slice(0, 60);
  // What was brought back of its own words stands behind it.
  const shown = (sent as Chat[]).findLast(({ content }) => !isBroughtBack(content))!.content;
  expect([acts, typeof shown === 'string' ? shown : JSON.stringify(shown)]).toEqual([
    acts,
    expect.stringContaining(newest),
  ]);
}

const PROFILES = ['staged', 'agent', 'operator', 'pivot', 'reducer'];

it('R1: a session sends the newest message of its client, and no word that the client did not send', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PROFILES),
      fc.array(act, { minLength: 4, maxLength: 30 }),
      async (profile, acts) => {
        const store = await openStore('memory:');
        const engine = (): Promise<Spillway> =>
          createSpillway({
            store: store as SessionStore,
            profile,
            counter: quarter,
            inputBudget: 1_500,
            settings: { safetyMargin: 0 },
          });
        const options = { id: 's', format: 'openai-chat' };
        let session = await (await engine()).open(options);
        let marks = 0;
        const client = new Client(() => `mk${marks++}x`, [system('Be brief.')]);
        const done: Act[] = [];
        for (const one of acts) {
          done.push(one);
          if (one.does === 'restarts') session = await (await engine()).open(options);
          else if (one.does === 'compacts') await session.operator.compact({ target: 0.3 });
          else if (one.does === 'undoes') {
            await session.operator.undo();
            await session.operator.release();
          }
          client.does(one);
          await session.follow({ messages: structuredClone(client.history) });
          const { messages } = await session.prepare();
          check(messages, client, done);
        }
      },
    ),
    { numRuns: RUNS, endOnFailure: true },
  );
});

it('R1: the proxy sends each of three clients that share beginnings its own words, also after a restart', async () => {
  const emulator = await startEmulator();
  emulator.otherwise = () => ({ text: 'ok' });
  const server = { port: 0, upstreams: { openai: emulator.url } };
  const settings = { safetyMargin: 0, window: 1_500, reserve: { output: 0 }, server } as never;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...PROFILES),
      fc.array(fc.tuple(act, fc.nat(2), fc.nat(2)), { minLength: 4, maxLength: 24 }),
      async (profile, acts) => {
        const store = await openStore('memory:');
        const services: Running[] = [];
        const start = async (): Promise<number> =>
          services.push(await serve({ store, profile, counter: quarter, settings }));
        await start();
        let marks = 0;
        const mark = (): string => `mk${marks++}x`;
        const clients = Array.from({ length: 3 }, () => new Client(mark, [system('Be brief.')]));
        const done: unknown[] = [];
        for (const [one, who, from] of acts) {
          done.push([one, who, from]);
          const client = clients[who]!;
          if (one.does === 'restarts') await start();
          if (one.does === 'forks') client.history = clients[from]!.history.slice(0, 1 + (one.place % 40));
          client.does(one);
          const answer = await fetch(`${services.at(-1)!.url}/v1/chat/completions`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ model: 'm', messages: client.history }),
          });
          expect([done, answer.status]).toEqual([done, 200]);
          await answer.text();
          check(emulator.received.at(-1)!.body.messages as readonly unknown[], client, done);
          emulator.received.length = 0;
        }
        for (const service of services) await service.close();
      },
    ),
    { numRuns: Math.ceil(RUNS / 3), endOnFailure: true },
  );
});
