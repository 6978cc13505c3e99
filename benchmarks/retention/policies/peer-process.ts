import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ChatMessage } from '../../support/chat.js';

interface Answer {
  readonly ready?: true;
  /** Why an adapter cannot compact offline. */
  readonly cannot?: string;
  readonly messages?: readonly ChatMessage[];
  readonly error?: string;
}

const HOST = fileURLToPath(new URL('peer-host.mjs', import.meta.url));
/** Loading is seconds for the large packages; a compaction that takes longer is no candidate for a live agent. */
const PATIENCE_MS = 60_000;

/** One adapter in its own process, started when first asked. */
export class PeerProcess {
  readonly #adapter: string;
  #child: ChildProcess | undefined;

  constructor(adapter: string) {
    this.#adapter = adapter;
  }

  /** What the adapter makes of the messages. Throws what it threw, or that it took too long. */
  async compact(messages: readonly ChatMessage[], budget: number): Promise<readonly ChatMessage[]> {
    const child = await this.#open();
    const answer = receive(child);
    child.send({ messages, budget });
    const { messages: compacted, error } = await answer.catch((cause: unknown) => {
      this.close();
      throw cause;
    });
    if (!compacted) throw new Error(error ?? 'the adapter returned nothing');
    return compacted;
  }

  close(): void {
    this.#child?.kill();
    this.#child = undefined;
  }

  async #open(): Promise<ChildProcess> {
    if (this.#child) return this.#child;
    // No execArgv: the loader that runs this benchmark is none of the peer's.
    const child = fork(HOST, [this.#adapter], { execArgv: [], stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    const { cannot } = await receive(child);
    if (cannot !== undefined) {
      child.kill();
      throw new Error(cannot);
    }
    return (this.#child = child);
  }
}

function receive(child: ChildProcess): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('exit', onExit);
      act();
    };
    const onMessage = (answer: Answer): void => settle(() => resolve(answer));
    const onExit = (code: number | null): void =>
      settle(() => reject(new Error(`the adapter ended with ${code}`)));
    const timer = setTimeout(
      () => settle(() => reject(new Error(`the adapter took over ${PATIENCE_MS} ms`))),
      PATIENCE_MS,
    );
    child.on('message', onMessage).on('exit', onExit);
  });
}
