import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SpillwayError } from '../../../errors/index.js';
import { readSession, unreadable, type ReadSession } from '../../importers/index.js';
import type { Notice } from '../../../spi/index.js';
import { createSpillway, replaySession, type Message } from '../../../index.js';
import { createExactCounter, createMeasure } from '../../../tokens/index.js';
import { openaiChat } from '../../../formats/index.js';
import { type Needed, Probes } from './probes.js';
import type { ChatMessage } from './rival.js';

/** A recorded session, read at its first use. */
export class Subject {
  #hash: string | undefined;
  #input: Promise<ReadSession> | undefined;
  #history: Promise<ChatHistory> | undefined;
  #needs: ReadonlyMap<number, Needed> | undefined;
  /** Repairs made when the session was last read. Figures of a damaged session cover only the readable part. */
  notices: readonly Notice[] = [];

  /** With `cut`, only the messages before that index, plus the step that the agent was about to take. */
  constructor(
    readonly file: string,
    private readonly format: string,
    private readonly cut?: number,
  ) {}

  /** Whether a reader will read the requests, so that they have to be OpenAI chat. */
  get isRead(): boolean {
    return this.cut !== undefined;
  }

  /** Hash of the file's bytes, which identifies its measurements. */
  get hash(): string {
    try {
      return (this.#hash ??= createHash('sha256').update(readFileSync(this.file)).digest('hex'));
    } catch (cause) {
      throw unreadable(this.file, cause);
    }
  }

  get input(): Promise<ReadSession> {
    return (this.#input ??= readSession(this.file, { format: this.format }).then((session) => {
      this.notices = session.parsed.notices;
      return this.cut === undefined ? session : cutAt(session, this.cut);
    }));
  }

  /** The session in the form for policies other than Spillway. */
  get history(): Promise<ChatHistory> {
    return (this.#history ??= this.input.then(({ parsed }) => chatHistoryOf(parsed.messages)));
  }

  /** The words that each step needed, by the index of its message. */
  needs(messages: readonly Message[]): ReadonlyMap<number, Needed> {
    if (this.#needs) return this.#needs;
    const needs = new Map<number, Needed>();
    const probes = new Probes();
    for (const [index, message] of messages.entries()) {
      if (message.role === 'assistant') needs.set(index, probes.neededBy(message));
      probes.add(message);
    }
    return (this.#needs = needs);
  }

  /** Releases the read data, because all sessions of a bench may not fit into memory together. */
  release(): void {
    this.#input = undefined;
    this.#history = undefined;
    this.#needs = undefined;
  }
}

/** The step itself only causes a last request. */
function cutAt(session: ReadSession, cut: number): ReadSession {
  const { messages } = session.parsed;
  const step = messages.slice(cut).find(({ role }) => role === 'assistant');
  if (step) return { ...session, parsed: { ...session.parsed, messages: [...messages.slice(0, cut), step] } };
  throw new SpillwayError('INPUT_INDEX', {
    subject: 'the cut of an exam',
    found: cut,
    allowed: `before the last step of the agent, of ${messages.length} messages`,
    remedy: 'Cut the session where its agent was about to act.',
  });
}

export type ChatHistory = Awaited<ReturnType<typeof chatHistoryOf>>;

/**
 * A session as OpenAI chat messages, and the number of messages before each model call. With such a large window
 * nothing is compacted: the requests are the whole history, legal and in the format.
 */
export async function chatHistoryOf(messages: readonly Message[]) {
  const spillway = await createSpillway({
    format: 'openai-chat',
    inputBudget: Number.MAX_SAFE_INTEGER,
    store: null,
  });
  // `index`: 0-based index of the assistant message that the call produced; `length`: messages before it.
  const calls: { readonly index: number; readonly length: number }[] = [];
  const whole: ChatMessage[] = [];
  for await (const { index, prepared } of replaySession(spillway.session(), messages)) {
    const request = prepared!.messages as readonly ChatMessage[];
    whole.push(...request.slice(whole.length));
    calls.push({ index, length: whole.length });
  }
  await spillway.close();
  return { messages: whole as readonly ChatMessage[], calls, count: await counter() };
}

/** Counts the tokens of messages, with the same counter for every policy. */
async function counter(): Promise<(messages: readonly ChatMessage[]) => number> {
  const measure = createMeasure(await createExactCounter('o200k_base'));
  // Cached by content, because a rival may change the messages that it is given.
  const known = new Map<string, number>();
  const tokensOf = (message: ChatMessage): number => {
    const key = JSON.stringify(message);
    let tokens = known.get(key);
    if (tokens === undefined) {
      const { messages } = openaiChat.parse([message]);
      tokens = messages.reduce((sum, one) => sum + measure(one).tokens, 0);
      known.set(key, tokens);
    }
    return tokens;
  };
  return (messages) => messages.reduce((sum, one) => sum + tokensOf(one), 0);
}

const SESSION = /\.jsonl?$/;
/** Questions on a session, which some collections put next to the session's file. */
const PROBE_FILE = /\.probes\.jsonl$/;

/** The file, or every session in the folder, sorted by name. */
export function sessionsAt(path: string): string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) return [path];
  const files = readdirSync(path)
    .filter((name) => SESSION.test(name) && !PROBE_FILE.test(name))
    .sort();
  if (files.length > 0) return files.map((name) => join(path, name));
  throw new SpillwayError('INPUT_UNREADABLE', {
    subject: path,
    found: 'a folder without a session',
    allowed: 'files that end in .jsonl or .json',
    remedy: 'Name the folder that holds the recordings.',
  });
}
