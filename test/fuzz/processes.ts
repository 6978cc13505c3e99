import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type SessionStore } from '../../src/index.js';

/** The store of sessions across restarts: one store that stays open, or a file that each process opens anew. */
export type Kept = 'memory' | 'sqlite';

interface Ends {
  close(): Promise<unknown>;
}

let files = 0;

/**
 * Processes on one store. Each restart of a history gives it a process that has not seen its session. A start costs
 * more than the rest of a history, so histories share the processes, each with sessions of its own.
 */
export class Processes<P extends Ends> {
  readonly #stores: SessionStore[] = [];
  readonly #started = new Map<string, Promise<P>>();
  readonly #file = join(tmpdir(), `histories-${process.pid}-${files++}.db`);
  #histories = 0;

  constructor(
    private readonly kept: Kept,
    private readonly begin: (store: SessionStore, kind: string) => Promise<P>,
  ) {}

  /** A unique name for a new history, and its `restart`, which returns the next process at each call. */
  history(kind: string): { readonly name: string; readonly restart: () => Promise<P> } {
    let restarts = 0;
    const restart = (): Promise<P> => {
      const key = `${kind} ${restarts++}`;
      const process = this.#started.get(key) ?? this.#store().then((store) => this.begin(store, kind));
      this.#started.set(key, process);
      return process;
    };
    return { name: `history-${this.#histories++}`, restart };
  }

  async close(): Promise<void> {
    for (const process of this.#started.values()) await (await process).close();
    // Files that are closed together share one collection of the heap.
    await Promise.all(this.#stores.map((store) => store.close()));
    for (const end of ['', '-wal', '-shm']) rmSync(`${this.#file}${end}`, { force: true });
  }

  async #store(): Promise<SessionStore> {
    if (this.kept === 'memory' && this.#stores[0]) return this.#stores[0];
    const url = this.kept === 'memory' ? 'memory:' : `sqlite:${this.#file}`;
    const store = (await openStore(url)) as SessionStore;
    this.#stores.push(store);
    return store;
  }
}
