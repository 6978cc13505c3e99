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

/** Options for following a body. */
export interface FollowOptions {
  /** A user message with nothing but `/compact` requests a compaction; otherwise it is ordinary text. */
  readonly commands?: boolean;
  /** A history that is another conversation (`Compared.isFork`) is not followed, but reported as `forked`. */
  readonly forks?: boolean;
}

/** The comparison of a client's history with a session. */
export interface Compared {
  /** The history is another conversation, even if it has the same beginning. */
  readonly isFork: boolean;
  /** Number of the model's answers in the common beginning. */
  readonly answers: number;
  /** Messages after all those of the session; absent if the history does not contain all of those. */
  readonly fresh?: readonly Message[];
}

/** The new content of a request body. */
export interface Followed {
  /** The new messages in order, with their ids in the log. */
  readonly appended: readonly Message[];
  /** Set if the client went back: the number of messages that remain in the log, and of those that were left out. */
  readonly rewound?: { readonly to: number; readonly left: number };
  /** Set with the option `forks`: the history forks from the session, and nothing was done. */
  readonly forked?: true;
  /** The command in the newest message. It is not in the log, and was not executed yet. */
  readonly command?: Command;
  /** The model that the body names, if any. */
  readonly model?: string;
  readonly notices: readonly Notice[];
}

/** The session as a follower uses it. Its whole log was read. */
export interface FollowedSession {
  /** The messages of the log that the client knows, in order, and then those that wait to be appended. */
  readonly known: readonly Message[];
  /** The messages that would be sent now. */
  readonly view: readonly ViewMessage[];
  append(messages: readonly Message[]): Promise<unknown>;
  /**
   * Rolls the log back to `last`; `gone` is the first message to leave. Compactions that reached past `last` are taken
   * off. `next`: the messages that follow instead. `isNoted`: they repeat all that left, apart from notes.
   */
  rewind(last: Message | undefined, gone: Message, next: readonly Message[], isNoted: boolean): Promise<void>;
  /** Number of messages that were ever left out; it identifies a branch of the history. */
  readonly branch: number;
  /** An id based on `name` that no message has or had. */
  freeId(name: string): string;
  /** Sets the size of request content outside the log, and whether the recall tool is in it. */
  fixed(size: Size, recall: boolean): void;
  /** Marks that the client makes a request with the present log. */
  ask(): void;
}

interface FollowerParts {
  /** Absent: the log keeps messages unchanged. */
  readonly redaction?: LogRedaction | undefined;
  readonly measure: (message: Message) => MessageSize;
  readonly measureTools: (tools: readonly unknown[]) => Size;
}

/** Most attempts to bring a log to a client's history, because other processes may write to it at the same time. */
const MAX_ROUNDS = 16;

/**
 * Follows a client that sends its whole history with each request. New messages are appended to the log. If the history
 * differs from what was sent before, the log is rolled back to that point. Instructions at the head are an exception:
 * many clients put the date into them, so the newest ones are sent, and nothing is rolled back.
 *
 * The log holds what the client sent before, so nothing is kept twice. A body is compared with the previous one; only
 * its new part is parsed, compared with the log, and measured.
 */
export class Follower {
  /** Parses the new part of a body, or the whole body if the format cannot find the new part. */
  readonly #reader: RequestReader;
  readonly #written: WireMemory = {};
  /** Makes sure that bodies are followed one after the other. */
  readonly #bodies = new TaskQueue();
  readonly #history = new HistoryReader();
  readonly #words: ClientWords;
  readonly #agreement: Agreement;
  /** Instructions that are sent in place of those at the head of the log. */
  #newHead: readonly ViewMessage[] | undefined;
  /** Number of instructions at the head of the log. */
  #loggedCount = 0;
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

  /** Compares a body with the session. Changes nothing. */
  async compare(body: unknown, { known }: FollowedSession, commands: boolean): Promise<Compared> {
    await this.#bodies.done();
    const reader = this.format.createReader?.();
    const parsed = reader?.reading ? await inSlices(reader.reading(body)) : this.format.parse(body);
    const history = new HistoryReader().read(parsed, commands);
    const agreed = await inSlices(new Agreement(this.#words).compare(history, known));
    const { same, shift } = agreed;
    return {
      isFork: this.#agreement.isFork(history, known, agreed),
      answers: known.slice(0, same).filter(({ role }) => role === 'assistant').length,
      ...(same === known.length && { fresh: history.messages.slice(same + shift) }),
    };
  }

  /** Rejects, without changes, with `INPUT_FORMAT` or `SESSION_FORMAT` if the body is not of the session's format. */
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
    this.#words.learnSecrets(messages);
    const { length } = session.known;
    let to = length;
    let appended: readonly Message[] = [];
    /** Ids of the new messages in the log, by their ids in the body. */
    const ids = new Map<string, string>();
    // Other processes may change the stored log at each write, so it is compared again until both are the same.
    for (let round = 0; ; round++) {
      const { known } = session;
      const agreed = await inSlices(this.#agreed(history, session, known));
      const { same, shift } = agreed;
      const hasChanged = session.known.at(-1) !== known.at(-1);
      if (!hasChanged && same === known.length && same + shift === messages.length) break;
      if (round === MAX_ROUNDS)
        throw new SpillwayError('LEDGER_CONFLICT', {
          subject: 'the log of a session',
          found: 'changed by other writers each time the history of a client was appended',
          remedy: 'Try again when they are done, or have one process serve one session.',
          retryable: true,
        });
      if (hasChanged) continue;
      if (same === known.length) {
        const fresh = messages.slice(same + shift);
        // If instructions at the head came or went, ids made from positions belong to other messages.
        for (const { id } of fresh) ids.set(id, session.freeId(idOnBranch(session.branch, id)));
        appended = fresh.map((message) => ({ ...message, id: ids.get(message.id)! }));
        await session.append(appended).catch((error: unknown) => {
          // Another process stored them first: compare with the present log again.
          if (!isIdTaken(error) || session.known.at(-1) === known.at(-1)) throw error;
          appended = [];
        });
        continue;
      }
      if (forks && this.#agreement.isFork(history, known, agreed)) {
        const own = known.findIndex(({ id }, at) => at >= same && appended.some((one) => one.id === id));
        if (own < 0) return { appended: [], forked: true, notices: [] };
        // The log before these messages was rolled back before they were appended: remove them, and append them again.
        await session.rewind(known[own - 1], known[own]!, [], false);
        appended = [];
        continue;
      }
      const isNoted = this.#agreement.isNoted(messages, known, agreed);
      await session.rewind(known[same - 1], known[same]!, messages.slice(same + shift), isNoted);
      to = Math.min(to, same);
    }
    this.#measureFixed(parsed, session);
    session.ask();
    const news = new Set(appended.map(({ id }) => id));
    const notices = parsed.notices.filter(({ at }) => news.has(ids.get(at)!));
    return {
      appended,
      ...(to < length && { rewound: { to, left: length - to } }),
      ...(command && { command }),
      ...(parsed.model !== undefined && { model: parsed.model }),
      notices: to < length ? [rewoundNotice(to, length - to), ...notices] : notices,
    };
  }

  /** Copies class instances, for formats whose messages are instances. */
  get copyInstance(): CopyOptions['instance'] {
    const format = this.format;
    return format.copyInstance?.bind(format);
  }

  /** Writes a request with the client's newest instructions at the head. The caller may change it. */
  serialise(view: readonly ViewMessage[]): Serialised {
    const { copyInstance: instance } = this;
    const written = this.format.serialise(this.#words.restoreIn(this.#withNewHead(view)), this.#written);
    return copied(written, instance && { instance });
  }

  *#agreed(history: History, session: FollowedSession, known: readonly Message[]): Steps<Agreed> {
    const { messages, instructions } = history;
    const isReplaced = this.#replaceInstructions(messages.slice(0, instructions), session, known);
    if (!isReplaced || known.length === 0) return { same: 0, shift: 0 };
    const agreed = yield* this.#agreement.compare(history, known);
    this.#words.setHistory(messages, agreed.shift, known);
    return agreed;
  }

  /**
   * Remembers instructions that differ from those at the head of the log. Returns false if a compaction removed some of
   * the logged ones, because they can no longer be replaced.
   */
  #replaceInstructions(
    instructions: readonly Message[],
    { view }: FollowedSession,
    known: readonly Message[],
  ): boolean {
    const logged = (this.#loggedCount = instructionsIn(known));
    const isSame = (others: readonly Message[]): boolean =>
      instructions.length === others.length &&
      instructions.every((one, i) => this.#words.matches(others[i]!, one));
    if (known.length === 0 || isSame(known.slice(0, logged))) {
      this.#newHead = undefined;
      return true;
    }
    if (this.#headOf(view).length < logged) return false;
    if (this.#newHead && isSame(this.#newHead.map(({ message }) => message))) return true;
    this.#newHead = instructions.map((one) => {
      const message = { ...one, id: `${one.id}@head` };
      return { message, size: this.parts.measure(message), from: 0, to: 0 };
    });
    return true;
  }

  #withNewHead(view: readonly ViewMessage[]): readonly ViewMessage[] {
    if (!this.#newHead) return view;
    return [...this.#newHead, ...view.slice(this.#headOf(view).length)];
  }

  /** The part of a view that shows the instructions at the head of the log. */
  #headOf(view: readonly ViewMessage[]): readonly ViewMessage[] {
    return view.slice(
      0,
      leading(view, ({ source, replaced }) => !!source && source.seq < this.#loggedCount && !replaced),
    );
  }

  /** Measures the tools, and the size difference of the newest instructions to those that they replace. */
  #measureFixed(parsed: Parsed, session: FollowedSession): void {
    const { tools } = parsed;
    const key = JSON.stringify(tools);
    if (!tools) this.#tools = undefined;
    else if (this.#tools?.key !== key)
      this.#tools = { key, size: this.parts.measureTools(tools), recall: offersRecall(tools) };
    let fixed = this.#tools?.size ?? NO_SIZE;
    for (const { size } of this.#newHead ?? []) fixed = addSizes(fixed, size);
    if (this.#newHead) for (const { size } of this.#headOf(session.view)) fixed = subtractSizes(fixed, size);
    session.fixed(fixed, this.#tools?.recall ?? false);
  }
}

/** Messages after the point that a client went back to may have the ids of earlier ones, so the branch is added. */
function idOnBranch(branch: number, id: string): string {
  return branch === 0 ? id : `${id}~${branch}`;
}

function rewoundNotice(to: number, left: number): Notice {
  const what = `the client's history differs from here on: ${left} messages are left out, and it goes on from what the client sent`;
  return { at: `message ${to}`, kind: 'history-rewound', what };
}
