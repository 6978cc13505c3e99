import fc from 'fast-check';
import type { Summarizer } from '../../src/index.js';
import { prose, says, step, system, user, type Chat } from '../support/chats.js';

/** One action of a client between two requests; numbers choose a place in its history. */
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
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constantFrom(
        'dates its instructions' as const,
        'adds instructions' as const,
        'leaves instructions' as const,
        'notes the time' as const,
        'begins the answer' as const,
      ),
      place: fc.nat(),
      long: fc.nat(3),
    }),
  },
);
export type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

/** A client that sends its whole history. Every message holds a word that no other message holds. */
export class Client {
  history: Chat[];
  /** The request: its history, with messages that the client removes again at its next call. */
  sends: readonly Chat[] = [];
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

  /** Replaces one of its own questions by another, and drops everything after it. */
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
    if (does === 'dates its instructions')
      this.history = [system(`Be brief. Today is ${this.#mark()}.`), ...this.history.slice(this.#head)];
    else if (does === 'adds instructions') this.history.unshift(system(`Remember ${this.#mark()}.`));
    else if (does === 'leaves instructions') this.history.splice(0, Math.min(this.#head, 1 + (place % 2)));
    if (this.history.at(-1)?.role !== 'user') this.asks(long);
    const note = does === 'notes the time' ? [system(`It is ${this.#mark()}.`)] : [];
    const beginning = does === 'begins the answer' ? [says(`So ${this.#mark()}:`)] : [];
    this.sends = [...this.history.slice(0, -1), ...note, this.history.at(-1)!, ...beginning];
  }

  /** The number of instructions at the start. */
  get #head(): number {
    return this.history.findIndex(({ role }) => role !== 'system');
  }
}

/** Unique words for clients: each occurs in one message. */
export function marks(): () => string {
  let count = 0;
  return () => `mk${count++}x`;
}

const MARK = /mk\d+x/g;
/** A mark in a summarizer's own words, which differ from the original. */
const RETOLD = /#(\d+)#/g;
const marksOf = (value: unknown): string[] => {
  const text = JSON.stringify(value);
  return [...(text.match(MARK) ?? []), ...Array.from(text.matchAll(RETOLD), ([, number]) => `mk${number}x`)];
};

/** A summarizer whose text mentions the marks of its whole input, also those of the newest messages. */
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

/** Throws unless the client's newest message and instructions are sent, and no word that the client did not send. */
export function judge(sent: readonly unknown[], { sends }: Client): void {
  const own = new Set(marksOf(sends));
  const foreign = marksOf(sent).filter((mark) => !own.has(mark));
  if (foreign.length > 0) throw new Error(`words that the client did not send: ${foreign.join(', ')}`);
  // Passages of automatic recall are after the newest message.
  const shown = (sent as Chat[]).filter(({ content }) => !isBroughtBack(content));
  const question = sends.findLastIndex(({ role }) => role === 'user');
  const newest = sends.slice(question).toReversed();
  const head = sends.slice(
    0,
    sends.findIndex(({ role }) => role !== 'system'),
  );
  for (const [wanted, among] of [
    ...newest.map((one, at) => [one, shown.at(-1 - at)] as const),
    ...head.map((one) => [one, shown] as const),
  ]) {
    const words = JSON.stringify((wanted.content as string).slice(0, 60)).slice(1, -1);
    if (!JSON.stringify(among ?? '').includes(words))
      throw new Error(`not sent: ${words}; in its place: ${JSON.stringify(among)}`);
  }
}
