import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type SessionStore, type StoreOptions } from '../../../src/index.js';

/** An empty store to try a session on. */
export interface Place {
  readonly store: SessionStore;
  /** The same place as another process would open it. */
  again(): Promise<SessionStore>;
}

const folders: string[] = [];
const opened: SessionStore[] = [];
afterAll(async () => {
  await Promise.all(opened.map((store) => store.close()));
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export const KINDS = ['memory', 'sqlite'] as const;

export async function place(kind: (typeof KINDS)[number], options: StoreOptions = {}): Promise<Place> {
  if (kind === 'memory') {
    const store = await openStore('memory:', options);
    return { store, again: async () => store };
  }
  const folder = mkdtempSync(join(tmpdir(), 'spillway-sessions-'));
  folders.push(folder);
  const open = async (): Promise<SessionStore> => {
    const store = await openStore(`sqlite:${join(folder, 'sessions.db')}`, options);
    opened.push(store);
    return store;
  };
  return { store: await open(), again: open };
}

/** A store in which the named methods are replaced. All others are those of the given store. */
export function but(store: SessionStore, changes: Partial<SessionStore>): SessionStore {
  return new Proxy(store, {
    get: (target, name) => {
      const changed = Reflect.get(changes, name) as unknown;
      if (changed !== undefined) return changed;
      const own = Reflect.get(target, name) as unknown;
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
}
