import type { Session, Spillway } from '../../session/index.js';
import type { SessionStore, ThreadInfo, ThreadKey } from '../../spi/index.js';
import { present } from './verb.js';

/** What is known of sessions beside their threads, by session and agent path. */
export const ABOUT = 'service.sessions';

export const nameOf = ({ sessionId, agentPath }: ThreadKey): string => JSON.stringify([sessionId, agentPath]);

/** What a session is opened with. */
export interface AboutSession {
  readonly format: string;
  readonly model?: string | undefined;
  /** The session whose answers its history begins with, and which it left. */
  readonly forkOf?: string;
}

/** Undefined where nothing was said of it: it was made by a library. */
export async function aboutStored(store: SessionStore, key: ThreadKey): Promise<AboutSession | undefined> {
  return (await store.value(ABOUT, nameOf(key))) as AboutSession | undefined;
}

/** Its format and model, told when it was made or read from its log. */
export async function howToOpen(store: SessionStore, key: ThreadKey): Promise<AboutSession> {
  const about = await aboutStored(store, key);
  const model = about?.model ?? (await modelOf(store, key));
  if (about) return { ...about, model };
  const [first] = await store.messages(key, 0, 1);
  return { format: first?.wireFormat ?? 'openai-chat', model };
}

/** A session as whoever keeps it has it: in its format, and with the limits of its model unless another is named. */
export async function openStored(spillway: Spillway, key: ThreadKey, named?: string): Promise<Session> {
  const { format, model } = await howToOpen(spillway.store, key);
  const { sessionId: id, agentPath } = key;
  return spillway.open({ id, agentPath, format, ...present({ model: named ?? model }) });
}

/** The model that its newest call went to. */
async function modelOf(store: SessionStore, key: ThreadKey): Promise<string | undefined> {
  const [call] = await store.events(key, { kinds: ['call'], newestFirst: true, limit: 1 });
  const { model } = (call?.body ?? {}) as { readonly model?: string | null };
  return model ?? undefined;
}

/** Behind one of these no plan waits that was proposed before it. */
const ENDS: ReadonlySet<string> = new Set(['commit', 'reject', 'rollback']);

/** Whether a plan of a thread may wait for a yes: its session says so for sure. Costs the newest entries of its ledger. */
export async function mayWait(store: SessionStore, { head, ...key }: ThreadInfo): Promise<boolean> {
  for (let at = head.entries - 1; at >= 0; at--) {
    const [entry] = await store.entries(key, at, at + 1);
    if (!entry || ENDS.has(entry.kind)) return false;
    if (entry.kind === 'propose') return true;
  }
  return false;
}
