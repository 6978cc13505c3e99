import type { LogRedaction } from '../../facts/index.js';
import type { Notice, Parsed, RequestReader, Serialised, WireFormat, WireMemory } from '../../spi/index.js';
import {
  addSizes,
  copied,
  type CopyOptions,
  type LogMessage,
  type Message,
  type MessageSize,
  NO_SIZE,
  type Size,
  subtractSizes,
  type ViewMessage,
} from '../../transcript/index.js';
import { ClientWords } from './client-words.js';
import type { Command } from './command.js';
import { HistoryReader, type History } from './history.js';
import { headOf, headOfLog } from './stranger.js';

/** What a request body brought that was not known before. */
export interface Followed {
  /** Messages that are new, in order, under the ids they have in the log. */
  readonly appended: readonly Message[];
  /** Set where the client went back: how many messages of the log still stand, and how many were left out. */
  readonly rewound?: { readonly to: number; readonly left: number };
  /** The newest message is this command: it is not in the log, and nothing was done about it yet. */
  readonly command?: Command;
  /** The body's own, where it names one. */
  readonly model?: string;
  readonly notices: readonly Notice[];
}

/** What following needs of a session. */
export interface FollowedSession {
  /** Everything in the log, what still waits to be let in included. Positions below `base` are not at hand. */
  readonly base: number;
  readonly length: number;
  at(seq: number): Message;
  /** What would be sent now. */
  readonly view: readonly ViewMessage[];
  /** Which of its messages this one of the log is to the client; undefined where it does not know of it. */
  placeOf(source: LogMessage): number | undefined;
  append(messages: readonly Message[]): Promise<unknown>;
  /** Leaves out of the log what stands at `length` and behind; compactions that reached past it are taken off. */
  rewind(length: number): Promise<unknown>;
  /** How many messages were ever left out: names one branch of the history. */
  readonly branch: number;
  /** Says what requests hold that no message of the log does. */
  fixed(size: Size): void;
}

interface FollowerParts {
  /** Absent: the log takes messages as they are. */
  readonly redaction?: LogRedaction | undefined;
  readonly measure: (message: Message) => MessageSize;
  readonly measureTools: (tools: readonly unknown[]) => Size;
}

/**
 * Follows a client that sends its whole history with each request. What is new goes into the log; where the history
 * differs from what was sent before, the thread starts over from there. Instructions at the head are another matter:
 * many clients put the date into them, so the newest ones are sent, and nothing starts over.
 *
 * The log is what the client sent before, so nothing is kept twice. What came is compared with what came the time before;
 * only what is new in it is parsed, compared with the log, and measured.
 */
export class Follower {
  readonly #format: WireFormat;
  /** Parses what is new; the whole body, where the format cannot tell. */
  readonly #reader: RequestReader;
  readonly #written: WireMemory = {};
  readonly #parts: FollowerParts;
  /** Bodies are followed one after the other. */
  #turns: Promise<unknown> = Promise.resolve();
  readonly #history = new HistoryReader();
  readonly #words: ClientWords;
  #common: Common | undefined;
  /** Instructions that are sent in place of those at the head of the log. */
  #newest: readonly ViewMessage[] | undefined;
  #tools: { readonly key: string; readonly size: Size } | undefined;

  constructor(format: WireFormat, parts: FollowerParts) {
    this.#format = format;
    this.#reader = format.createReader?.() ?? { read: (body) => format.parse(body) };
    this.#parts = parts;
    this.#words = new ClientWords(parts.redaction);
  }

  /**
   * Whether a body holds another conversation than the session: their first messages differ, instructions aside. Changes
   * nothing. `wholeLog` reads what of the log is not at hand.
   */
  async isStranger(
    body: unknown,
    session: () => FollowedSession,
    wholeLog: () => Promise<unknown>,
  ): Promise<boolean> {
    await this.#turns;
    const head = headOf(body, this.#format);
    if (!head || session().length === 0) return false;
    if (session().base > 0) await wholeLog();
    const known = headOfLog(session());
    return known !== undefined && !this.#words.areIn(known, head);
  }

  parse(body: unknown): readonly Message[] {
    return this.#format.parse(body).messages;
  }

  /** Rejects with `INPUT_FORMAT` where the body is not of the session's format; nothing has changed then. */
  follow(body: unknown, session: () => FollowedSession, commands = false): Promise<Followed> {
    const turn = this.#turns.then(() => this.#follow(this.#reader.read(body), session(), commands));
    this.#turns = turn.catch(() => undefined);
    return turn;
  }

  async #follow(parsed: Parsed, session: FollowedSession, commands: boolean): Promise<Followed> {
    const history = this.#history.read(parsed, commands);
    const { messages, instructions, command } = history;
    this.#words.hear(messages);
    const stood = session.length;
    const logged = this.#replaceInstructions(messages.slice(0, instructions), session);
    const to = logged === undefined ? 0 : this.#agreeing(history, session, logged);
    this.#common = undefined; // should anything below throw, everything is compared again
    if (to < stood) await session.rewind(to);
    if (to === 0) this.#replaceInstructions(undefined, session);
    this.#count(parsed, session);
    const shift = logged === undefined || to === 0 ? 0 : instructions - logged;
    const fresh = messages.slice(to + shift);
    const appended = fresh.map((message) => ({ ...message, id: idOn(session.branch, message.id) }));
    await session.append(appended);
    this.#common = commonUpTo(messages.length - shift, shift, session);
    this.#words.are(messages, shift, session);
    const news = new Set(fresh.map(({ id }) => id));
    const notices = parsed.notices.filter(({ at }) => news.has(at));
    return {
      appended,
      ...(to < stood && { rewound: { to, left: stood - to } }),
      ...(command && { command }),
      ...(parsed.model !== undefined && { model: parsed.model }),
      notices: to < stood ? [wentBack(to, stood - to), ...notices] : notices,
    };
  }

  /** How instances of classes are copied, for formats whose messages are such. */
  get copyInstance(): CopyOptions['instance'] {
    const format = this.#format;
    return format.copyInstance?.bind(format);
  }

  /** A request with the client's newest instructions at the head. Whoever gets it may write to it. */
  serialise(view: readonly ViewMessage[]): Serialised {
    const { copyInstance: instance } = this;
    const written = this.#format.serialise(this.#words.in(this.#withNewest(view)), this.#written);
    return copied(written, instance && { instance });
  }

  /**
   * Remembers instructions that differ from those at the head of the log. How many the log begins with; undefined where
   * they cannot be replaced any more, for a compaction took some of them out.
   */
  #replaceInstructions(
    instructions: readonly Message[] | undefined,
    session: FollowedSession,
  ): number | undefined {
    const standing = leading(session.view.length, (i) => isInstruction(session.view[i]!));
    const logged =
      session.base > 0 ? standing : leading(session.length, (i) => session.at(i).role === 'system');
    const own = (i: number): Message => (session.base > 0 ? session.view[i]!.message : session.at(i));
    const asLogged =
      !instructions ||
      (instructions.length === logged && instructions.every((one, i) => this.#words.areIn(own(i), one)));
    if (asLogged) {
      this.#newest = undefined;
      return logged;
    }
    if (standing < logged) return undefined;
    const newest = this.#newest;
    const asBefore =
      newest?.length === instructions.length &&
      instructions.every((one, i) => this.#words.areIn(newest[i]!.message, one));
    if (asBefore) return logged;
    this.#newest = instructions.map((one) => {
      const message = { ...one, id: `${one.id}@head` };
      return { message, size: this.#parts.measure(message), from: 0, to: 0 };
    });
    return logged;
  }

  #withNewest(view: readonly ViewMessage[]): readonly ViewMessage[] {
    if (!this.#newest) return view;
    return [...this.#newest, ...view.slice(leading(view.length, (i) => isInstruction(view[i]!)))];
  }

  /** First log position from which what came differs from what was known; `logged` messages at its head are not asked. */
  #agreeing(
    { messages, instructions, changedFrom }: History,
    session: FollowedSession,
    logged: number,
  ): number {
    const common = this.#common;
    const shift = instructions - logged;
    let seq = Math.max(logged, session.base);
    if (common?.shift === shift && stillStands(common, session))
      seq = Math.max(seq, Math.min(common.upTo, changedFrom - shift));
    while (seq < session.length && seq + shift < messages.length) {
      if (!this.#words.areIn(session.at(seq), messages[seq + shift]!)) return seq;
      seq++;
    }
    return Math.min(seq, Math.max(0, messages.length - shift));
  }

  /** Tools, and what the newest instructions are longer than those they stand for. */
  #count(parsed: Parsed, session: FollowedSession): void {
    const key = parsed.tools && JSON.stringify(parsed.tools);
    if (!parsed.tools || key === undefined) this.#tools = undefined;
    else if (this.#tools?.key !== key) this.#tools = { key, size: this.#parts.measureTools(parsed.tools) };
    let fixed = this.#tools?.size ?? NO_SIZE;
    for (const { size } of this.#newest ?? []) fixed = addSizes(fixed, size);
    if (this.#newest)
      for (const shown of session.view) {
        if (!isInstruction(shown)) break;
        fixed = subtractSizes(fixed, shown.size);
      }
    session.fixed(fixed);
  }
}

/** All messages of a client stood in the log like this, up to the newest of them. */
interface Common {
  /** How many more messages the client had than the log. */
  readonly shift: number;
  readonly upTo: number;
  /** Which of the log stood there last: while it does, everything before it stands too. */
  readonly last: Message;
}

/** Nothing is known where somebody else has put something into the log meanwhile. */
function commonUpTo(upTo: number, shift: number, session: FollowedSession): Common | undefined {
  if (upTo !== session.length || upTo <= session.base) return undefined;
  return { shift, upTo, last: session.at(upTo - 1) };
}

function stillStands({ upTo, last }: Common, session: FollowedSession): boolean {
  return upTo > session.base && upTo <= session.length && session.at(upTo - 1) === last;
}

function leading(length: number, holds: (index: number) => boolean): number {
  let count = 0;
  while (count < length && holds(count)) count++;
  return count;
}

function isInstruction({ source, replaced }: ViewMessage): boolean {
  return source?.role === 'system' && replaced === undefined;
}

/** What a client sends behind the point it went back to may have the ids of what stood there before. */
function idOn(branch: number, id: string): string {
  return branch === 0 ? id : `${id}~${branch}`;
}

function wentBack(to: number, left: number): Notice {
  const what = `the client's history differs from here on: ${left} messages are left out, and it goes on from what the client sent`;
  return { at: `message ${to}`, kind: 'history-rewound', what };
}
