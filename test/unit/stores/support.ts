import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SessionStore, ThreadHead, ThreadKey } from '../../../src/spi/index.js';
import { openStore, type StoreOptions } from '../../../src/stores/index.js';
import type { LogMessage } from '../../../src/transcript/index.js';

export const KEY: ThreadKey = { sessionId: 's', agentPath: 'primary' };
export const START: ThreadHead = { messages: 0, entries: 0 };

const folders: string[] = [];
const stores: SessionStore[] = [];

/** What a test opens or makes is gone after it. */
export function cleanUp(): void {
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close();
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
}

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-store-'));
  folders.push(folder);
  return folder;
}

export const newFile = (): string => join(newFolder(), 'log.db');

export async function opened(url: string, options: StoreOptions = {}): Promise<SessionStore> {
  const store = await openStore(url, { patienceMs: 2_000, ...options });
  stores.push(store);
  return store;
}

export function message(seq: number, text = `text ${seq}`): LogMessage {
  const size = { tokens: 1, bytes: 1, images: 0 };
  return {
    id: `m${seq}`,
    seq,
    role: 'user',
    origin: 'user',
    parts: [{ type: 'text', text }],
    size: { ...size, parts: [size] },
  };
}

/** Writes messages one by one, each in a commit of its own. */
export async function fill(store: SessionStore, count: number, text?: string): Promise<ThreadHead> {
  let head = (await store.load(KEY))?.head ?? START;
  for (let i = 0; i < count; i++) {
    head = (await store.write(KEY, head, { messages: [message(head.messages, text)] }))!;
  }
  return head;
}
