import { isIdTaken, SpillwayError } from '../../errors/index.js';
import { instructionsIn, refuseForeign } from '../../formats/index.js';
import type { LogRedaction } from '../../text/facts/index.js';
import { TaskQueue } from '../../pressure/index.js';
import type { Notice, Parsed, RequestReader, Serialised, WireFormat, WireMemory } from '../../spi/index.js';
import {
  addSizes,
  copied,
  type CopyOptions,
  type Message,
  type MessageSize,
  NO_SIZE,
  offersRecall,
  type Size,
  type Steps,
  subtractSizes,
  type ViewMessage,
} from '../../transcript/index.js';
import { inSlices } from '../slices.js';
import { Agreement, leading, type Agreed } from './agreement.js';
import { ClientWords } from './client-words.js';
import { HistoryReader, type Command, type History } from './history.js';

/** How a body is followed. */
export interface FollowOptions {
  /** A user may ask for a compaction with a message of nothing but `/compact`; otherwise that is text like any other. */
  readonly commands?: boolean;
  /** A history that leaves an answer is not followed back to there but told: `forked`. */
  readonly forks?: boolean;
}

/** A client's history held against a session. */
export interface Compared {
  /** It is another conversation, though it may begin alike. */
  readonly isFork: boolean;
  /** Answers of the model that both begin with. */
  readonly answers: number;
  /** What comes behind all that the session holds; absent where it does not hold all of that. */
  readonly fresh?: readonly Message[];
}

/** What a request body brought that was not known before. */
export interface Followed {
  /** Messages that are new, in order, under the ids they have in the log. */
  readonly appended: readonly Message[];
  /** Set where the client went back: how many messages of the log still stand, and how many were left out. */
  readonly rewound?: { readonly to: number; readonly left: number };
  /** Set where it was asked to tell a fork: the history leaves an answer that the session holds, and nothing was done. */
  readonly forked?: true;
  /** The newest message is this command: it is not in the log, and nothing was done about it yet. */
  readonly command?: Command;
  /** The body's own, where it names one. */
  readonly model?: string;
  readonly notices: readonly Notice[];
}

/** What following needs of a session, all of whose log was read. */
export interface FollowedSession {
  /** What of the log the client knows, in order; what still waits to be let in comes last. */
  readonly known: readonly Message[];
  /** What would be sent now. */
  readonly view: readonly ViewMessage[];
  append(messages: readonly Message[]): Promise<unknown>;
  /**
   * Leaves out of the log what comes behind this message, `gone` first; compactions that reached past it are taken off.
   * `next` is said in its place: all of it again but for notes where `isNoted`.
   */
  rewind(last: Message | undefined, gone: Message, next: readonly Message[], isNoted: boolean): Promise<void>;
  /** How many messages were ever left out: names one branch of the history. */
  readonly branch: number;
  /** An id of that name which no message has or had. */
  freeId(name: string): string;
  /** Says what requests hold that no message of the log does, and whether the recall tool is in it. */
  fixed(size: Size, recall: boolean): void;
  /** A request is made with what the log says now. */
  ask(): void;
}

interface FollowerParts {
  /** Absent: the log takes messages as they are. */
  readonly redaction?: LogRedaction | undefined;
  readonly measure: (message: Message) => MessageSize;
  readonly measureTools: (tools: readonly unknown[]) => Size;
}

/** Times that a log is made to say what a client says: others may write to it at the same time. */
const MOST_ROUNDS = 16;

/**
 * Follows a client that sends its whole history with each request. What is new goes into the log; where the history
 * differs from what was sent before, the thread starts over from there. Instructions at the head are another matter:
 * many clients put the date into them, so the newest ones are sent, and nothing starts over.
 *
 * The log is what the client sent before, so nothing is kept twice. What came is compared with what came the time before;
 * only what is new in it is parsed, compared with the log, and measured.
 */
export class Follower {
  /** Parses what is new; the whole body, where the format cannot tell. */
  readonly #reader: RequestReader;
  readonly #written: WireMemory = {};
  /** Bodies are followed one after the other. */
  readonly #bodies = new TaskQueue();
  readonly #history = new HistoryReader();
  readonly #words: ClientWords;
  readonly #agreement: Agreement;
  /** Instructions that are sent in place of those at the head of the log. */
  #newest: readonly ViewMessage[] | undefined;
  /** How many messages at the head of the log are instructions. */
  #logged = 0;
  #tools: { readonly key: string; readonly size: Size; readonly recall: boolean } | undefined;

  constructor(
    private readonly format: WireFormat,
    private readonly parts: FollowerParts,
  ) {
    this.#reader = format.createReader?.() ?? { read: (body) => format.parse(body) };
    this.#words = new ClientWords(parts.redaction);
    this.#agreement = new Agreement(this.#words);
  }

  /** Whether a body holds another conversation than the session. Changes nothing. */
  async isStranger(body: unknown, session: FollowedSession): Promise<boolean> {
    await this.#bodies.done();
    return this.#agreement.isStranger(body, session.known, this.format);
  }

  /** What a body has that the session does not, and what it leaves. Changes nothing. */
  async compare(body: unknown, { known }: FollowedSession, commands: boolean): Promise<Compared> {
    await this.#bodies.done();
    const reader = this.format.createReader?.();
    const parsed = reader?.reading ? await inSlices(reader.reading(body)) : this.format.parse(body);
    const history = new HistoryReader().read(parsed, commands);
    const agreed = await inSlices(new Agreement(this.#words).of(history, known));
    const { same, shift } = agreed;
    return {
      isFork: this.#agreement.isFork(history, known, agreed),
      answers: known.slice(0, same).filter(({ role }) => role === 'assistant').length,
      ...(same === known.length && { fresh: history.messages.slice(same + shift) }),
    };
  }

  /** Rejects with `INPUT_FORMAT` or `SESSION_FORMAT` where the body is not of the session's format; nothing has changed then. */
  follow(body: unknown, session: FollowedSession, options: FollowOptions): Promise<Followed> {
    return this.#bodies.do(async () => this.#follow(await this.#read(body), session, options));
  }

  #read(body: unknown): Parsed | Promise<Parsed> {
    return this.#reader.reading ? inSlices(this.#reader.reading(body)) : this.#reader.read(body);
  }

  async #follow(
    parsed: Parsed,
    session: FollowedSession,
    { commands = false, forks = false }: FollowOptions,
  ): Promise<Followed> {
    refuseForeign(parsed, this.format.name);
    const history = this.#history.read(parsed, commands);
    const { messages, command } = history;
    this.#words.hear(messages);
    const { length } = session.known;
    let to = length;
    let appended: readonly Message[] = [];
    /** Of what is new: what it is called in the log. */
    const ids = new Map<string, string>();
    // What is stored may have been changed by others each time that something is: compared again, until both are the same.
    for (let round = 0; ; round++) {
      const { known } = session;
      const agreed = await inSlices(this.#agreed(history, session, known));
      const { same, shift } = agreed;
      const hasChanged = session.known.at(-1) !== known.at(-1);
      if (!hasChanged && same === known.length && same + shift === messages.length) break;
      if (round === MOST_ROUNDS)
        throw new SpillwayError('LEDGER_CONFLICT', {
          subject: 'the log of a session',
          found: 'changed by others each time the history of a client was taken in',
          remedy: 'Try again when they are done, or have one process serve one session.',
          retryable: true,
        });
      if (hasChanged) continue;
      if (same === known.length) {
        const fresh = messages.slice(same + shift);
        // Where instructions at the head came or went, ids by place are those of other messages.
        for (const { id } of fresh) ids.set(id, session.freeId(idOn(session.branch, id)));
        appended = fresh.map((message) => ({ ...message, id: ids.get(message.id)! }));
        await session.append(appended).catch((error: unknown) => {
          // Another process stored them first: what stands by now is compared again.
          if (!isIdTaken(error) || session.known.at(-1) === known.at(-1)) throw error;
          appended = [];
        });
        continue;
      }
      if (forks && this.#agreement.isFork(history, known, agreed)) {
        const own = known.findIndex(({ id }, at) => at >= same && appended.some((one) => one.id === id));
        if (own < 0) return { appended: [], forked: true, notices: [] };
        // What it was said behind was rolled back before it was let in: it is taken back, and said again.
        await session.rewind(known[own - 1], known[own]!, [], false);
        appended = [];
        continue;
      }
      const isNoted = this.#agreement.isNoted(messages, known, agreed);
      await session.rewind(known[same - 1], known[same]!, messages.slice(same + shift), isNoted);
      to = Math.min(to, same);
    }
    this.#count(parsed, session);
    session.ask();
    const news = new Set(appended.map(({ id }) => id));
    const notices = parsed.notices.filter(({ at }) => news.has(ids.get(at)!));
    return {
      appended,
      ...(to < length && { rewound: { to, left: length - to } }),
      ...(command && { command }),
      ...(parsed.model !== undefined && { model: parsed.model }),
      notices: to < length ? [wentBack(to, length - to), ...notices] : notices,
    };
  }

  /** How instances of classes are copied, for formats whose messages are such. */
  get copyInstance(): CopyOptions['instance'] {
    const format = this.format;
    return format.copyInstance?.bind(format);
  }

  /** A request with the client's newest instructions at the head. Whoever gets it may write to it. */
  serialise(view: readonly ViewMessage[]): Serialised {
    const { copyInstance: instance } = this;
    const written = this.format.serialise(this.#words.in(this.#withNewest(view)), this.#written);
    return copied(written, instance && { instance });
  }

  *#agreed(history: History, session: FollowedSession, known: readonly Message[]): Steps<Agreed> {
    const { messages, instructions } = history;
    const isReplaced = this.#replaceInstructions(messages.slice(0, instructions), session, known);
    if (!isReplaced || known.length === 0) return { same: 0, shift: 0 };
    const agreed = yield* this.#agreement.of(history, known);
    this.#words.are(messages, agreed.shift, known);
    return agreed;
  }

  /**
   * Remembers instructions that differ from those at the head of the log. False where these cannot be replaced any more,
   * for a compaction took some of them out.
   */
  #replaceInstructions(
    instructions: readonly Message[],
    { view }: FollowedSession,
    known: readonly Message[],
  ): boolean {
    const logged = (this.#logged = instructionsIn(known));
    const isSame = (others: readonly Message[]): boolean =>
      instructions.length === others.length &&
      instructions.every((one, i) => this.#words.areIn(others[i]!, one));
    if (known.length === 0 || isSame(known.slice(0, logged))) {
      this.#newest = undefined;
      return true;
    }
    if (this.#headOf(view).length < logged) return false;
    if (this.#newest && isSame(this.#newest.map(({ message }) => message))) return true;
    this.#newest = instructions.map((one) => {
      const message = { ...one, id: `${one.id}@head` };
      return { message, size: this.parts.measure(message), from: 0, to: 0 };
    });
    return true;
  }

  #withNewest(view: readonly ViewMessage[]): readonly ViewMessage[] {
    if (!this.#newest) return view;
    return [...this.#newest, ...view.slice(this.#headOf(view).length)];
  }

  /** What stands in a view of the instructions at the head of the log. */
  #headOf(view: readonly ViewMessage[]): readonly ViewMessage[] {
    return view.slice(
      0,
      leading(view, ({ source, replaced }) => !!source && source.seq < this.#logged && !replaced),
    );
  }

  /** Tools, and what the newest instructions are longer than those they stand for. */
  #count(parsed: Parsed, session: FollowedSession): void {
    const { tools } = parsed;
    const key = JSON.stringify(tools);
    if (!tools) this.#tools = undefined;
    else if (this.#tools?.key !== key)
      this.#tools = { key, size: this.parts.measureTools(tools), recall: offersRecall(tools) };
    let fixed = this.#tools?.size ?? NO_SIZE;
    for (const { size } of this.#newest ?? []) fixed = addSizes(fixed, size);
    if (this.#newest) for (const { size } of this.#headOf(session.view)) fixed = subtractSizes(fixed, size);
    session.fixed(fixed, this.#tools?.recall ?? false);
  }
}

/** What a client sends behind the point it went back to may have the ids of what stood there before. */
function idOn(branch: number, id: string): string {
  return branch === 0 ? id : `${id}~${branch}`;
}

function wentBack(to: number, left: number): Notice {
  const what = `the client's history differs from here on: ${left} messages are left out, and it goes on from what the client sent`;
  return { at: `message ${to}`, kind: 'history-rewound', what };
}
