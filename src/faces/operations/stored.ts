import type { Session, Spillway } from '../../session/index.js';
import type { SessionStore, ThreadInfo, ThreadKey } from '../../spi/index.js';
import { present } from './verb.js';

/** Scope of the values that the store keeps about sessions in addition to their threads, by session and agent path. */
export const INFO_SCOPE = 'service.sessions';

export const nameOf = ({ sessionId, agentPath }: ThreadKey): string => JSON.stringify([sessionId, agentPath]);

/** The options with which a session is opened. */
export interface SessionInfo {
  readonly format: string;
  readonly model?: string | undefined;
  /** The session whose history this one shares up to some answer, after which it departs. */
  readonly forkOf?: string;
}

/** Undefined if the store has no entry for the session, because a library made the session. */
export async function storedInfo(store: SessionStore, key: ThreadKey): Promise<SessionInfo | undefined> {
  return (await store.value(INFO_SCOPE, nameOf(key))) as SessionInfo | undefined;
}

/** A session's format and model, stored when the session was made, or else read from its log. */
export async function infoOf(store: SessionStore, key: ThreadKey): Promise<SessionInfo> {
  const info = await storedInfo(store, key);
  const model = info?.model ?? (await modelOf(store, key));
  if (info) return { ...info, model };
  const [first] = await store.messages(key, 0, 1);
  return { format: first?.wireFormat ?? 'openai-chat', model };
}

/** Opens a session as its owner does: in its format, with the limits of its own model unless `named` is another. */
export async function openStored(spillway: Spillway, key: ThreadKey, named?: string): Promise<Session> {
  const { format, model } = await infoOf(spillway.store, key);
  const { sessionId: id, agentPath } = key;
  return spillway.open({ id, agentPath, format, ...present({ model: named ?? model }) });
}

/** The model of the session's newest call. */
async function modelOf(store: SessionStore, key: ThreadKey): Promise<string | undefined> {
  const [call] = await store.events(key, { kinds: ['call'], newestFirst: true, limit: 1 });
  const { model } = (call?.body ?? {}) as { readonly model?: string | null };
  return model ?? undefined;
}

/** After an entry of these kinds, no earlier proposed plan is pending. */
const RESOLVING_KINDS: ReadonlySet<string> = new Set(['commit', 'reject', 'rollback']);

/** Whether a plan of a thread may be pending; only its session is certain. Reads the newest entries of the ledger. */
export async function mayWait(store: SessionStore, { head, ...key }: ThreadInfo): Promise<boolean> {
  for (let at = head.entries - 1; at >= 0; at--) {
    const [entry] = await store.entries(key, at, at + 1);
    if (!entry || RESOLVING_KINDS.has(entry.kind)) return false;
    if (entry.kind === 'propose') return true;
  }
  return false;
}
