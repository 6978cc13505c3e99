import fc from 'fast-check';
import type { Summarizer } from '../../src/index.js';
import { prose, says, step, system, user, type Chat } from '../support/chats.js';

/** One thing that a client does between two requests; numbers choose a place in its history. */
export const act = fc.oneof(
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
export type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** A client of the whole history; every message of it holds a word that no other message holds. */
export class Client {
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

/** Words of clients: each stands in one message, and none is said twice. */
export function marks(): () => string {
  let count = 0;
  return () => `mk${count++}x`;
}

const MARK = /mk\d+x/g;
/** A mark as a summarizer tells of it: in words of its own, which nothing but their meaning gives away. */
const RETOLD = /#(\d+)#/g;
const marksOf = (value: unknown): string[] => {
  const text = JSON.stringify(value);
  return [...(text.match(MARK) ?? []), ...Array.from(text.matchAll(RETOLD), ([, number]) => `mk${number}x`)];
};

/** Tells of all that it is shown, the newest messages among it. */
export const teller: Summarizer = {
  name: 'teller',
  endpoint: 'here',
  window: 8_000,
  summarize: ({ source, previous = '', newest = [] }) => {
    const told = new Set(
      marksOf([source, previous, newest]).map((mark) => mark.replace(/^mk(\d+)x$/, '#$1#')),
    );
    return Promise.resolve({ text: `Told of ${[...told].slice(-12).join(' ')}.`, finishReason: 'stop' });
  },
};

const isBroughtBack = (content: unknown): boolean => JSON.stringify(content ?? '').startsWith('"<recalled>');

/** Throws unless the newest message of the client is sent, and not one word that it did not send. */
export function judge(sent: readonly unknown[], { history }: Client): void {
  const own = new Set(marksOf(history));
  const foreign = marksOf(sent).filter((mark) => !own.has(mark));
  if (foreign.length > 0) throw new Error(`words that the client did not send: ${foreign.join(', ')}`);
  const newest = JSON.stringify((history.at(-1)!.content as string).slice(0, 60)).slice(1, -1);
  // What was brought back of its own words stands behind it.
  const shown = (sent as Chat[]).findLast(({ content }) => !isBroughtBack(content))?.content;
  if (!JSON.stringify(shown ?? '').includes(newest))
    throw new Error(`the newest message is not sent: ${newest}; in its place: ${JSON.stringify(shown)}`);
}
