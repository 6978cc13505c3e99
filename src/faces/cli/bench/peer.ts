import { fork, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename, extname, join, resolve } from 'node:path';
import { packageFolder } from '../../../package-folder.js';
import { loadFault, contentText } from './rival.js';

interface Answer {
  readonly ready?: { readonly package?: string };
  /** The reason why an adapter cannot be used. */
  readonly cannot?: string;
  readonly messages?: readonly object[];
  readonly ms?: number;
  readonly heapBytes?: number;
  readonly error?: string;
}

/** Loading large packages takes seconds. A compaction that takes longer than this is unusable for a live agent. */
const ANSWER_LIMIT_MS = 60_000;

/** The program of the process, in a checkout and in the package. */
const HOSTS = [join('src', 'faces', 'cli', 'bench', 'peer-host.mjs'), join('dist', 'cli', 'peer-host.mjs')];

/** An adapter of another package, in its own process, which is started at the first use. */
export class Peer {
  readonly name: string;
  readonly #adapter: string;
  readonly #arguments: readonly string[];
  #child: ChildProcess | undefined;
  #package: string | undefined;
  /** Time and memory of the adapter's last compaction, by its own clock and heap. */
  work: { readonly ms: number; readonly heapBytes: number } = { ms: 0, heapBytes: 0 };

  /** With `memory`, the adapter's memory is measured, with a garbage collection after each compaction. */
  constructor(adapter: string, memory = false) {
    this.#adapter = resolve(adapter);
    this.#arguments = [this.#adapter, ...(memory ? ['memory'] : [])];
    this.name = basename(adapter, extname(adapter));
  }

  /** Loads the adapter and returns its package. Throws `CONFIG_INVALID` if the adapter cannot compact. */
  async describe(): Promise<string> {
    await this.#open();
    return this.#package ?? 'unknown';
  }

  /** The adapter's result. Throws the adapter's own error, or an error if the adapter takes too long. */
  async compact<M extends object>(messages: readonly M[], budget: number): Promise<readonly M[]> {
    const child = await this.#open();
    const answer = receive(child);
    child.send({ messages: messages.map(withText), budget });
    const given = await answer.catch((cause: unknown) => {
      this.close();
      throw cause;
    });
    if (given.error !== undefined) throw new Error(given.error);
    this.work = { ms: given.ms ?? 0, heapBytes: given.heapBytes ?? 0 };
    return given.messages as readonly M[];
  }

  close(): void {
    this.#child?.kill('SIGKILL');
    this.#child = undefined;
  }

  async #open(): Promise<ChildProcess> {
    if (this.#child) return this.#child;
    if (!existsSync(this.#adapter)) throw loadFault(this.#adapter, 'no such file');
    const host = HOSTS.map((path) => join(packageFolder(), path)).find((path) => existsSync(path))!;
    // No execArgv: a loader of this process must not apply to the peer.
    const child = fork(host, this.#arguments, { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    // If the process ends between two compactions, the next one starts it again. `exit` answers until then.
    child.on('error', () => undefined);
    child.on('exit', () => {
      if (this.#child === child) this.#child = undefined;
    });
    const { ready, cannot } = await receive(child).catch((cause: Error) => ({
      ready: undefined,
      cannot: cause.message,
    }));
    if (cannot !== undefined) {
      child.kill('SIGKILL');
      throw loadFault(this.#adapter, cannot);
    }
    this.#package = ready?.package;
    return (this.#child = child);
  }
}

/** Converts content to text, because adapters take only text. */
const withText = <M extends { readonly content?: unknown }>(message: M): M =>
  Array.isArray(message.content) ? { ...message, content: contentText(message.content) } : message;

function receive(child: ChildProcess): Promise<Answer> {
  return new Promise((done, failed) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      act();
    };
    const onMessage = (answer: Answer): void => settle(() => done(answer));
    const onExit = (code: number | null): void =>
      settle(() => failed(new Error(`the adapter ended its process (${code})`)));
    const timer = setTimeout(
      () => settle(() => failed(new Error(`gave no answer within ${ANSWER_LIMIT_MS / 1_000} s`))),
      ANSWER_LIMIT_MS,
    );
    child.on('message', onMessage).on('exit', onExit);
  });
}
