import { isDeepStrictEqual } from 'node:util';
import type { Container } from 'inversify';
import type { EffectiveConfig, Settings } from '../../config/index.js';
import { SERVICES } from '../../container/index.js';
import { isStoreFailure, SpillwayError } from '../../errors/index.js';
import { SessionMap, type EngineEvent, type Session, type Spillway } from '../../session/index.js';
import { TaskQueue } from '../../pressure/index.js';
import type { Json, SessionStore, ThreadKey } from '../../spi/index.js';
import type { Catalogue } from '../../tokens/index.js';
import { formatNamed } from '../../formats/index.js';
import { INFO_SCOPE, present, nameOf, infoOf, storedInfo, type SessionInfo } from '../operations/index.js';
import { engineOn, settingsOf, storeFor, type Overrides, type ServiceSources } from './engine.js';

/** The place of the operators' settings in the store. */
const KNOBS = { scope: 'service', name: 'knobs' } as const;
/** Scope of the operator and the time of the last change, by path of the setting. */
const CHANGES_SCOPE = 'service.knobs';
/** Names of sessions that are known to be in the store. Beyond this number, the store is asked again. */
const MAX_STORED_NAMES = 100_000;

/** The engine behind all faces of the service: its sessions, the operators' settings, and its events. */
export class Service {
  readonly store: SessionStore;
  readonly #sources: ServiceSources;
  #engine: Container;
  #knobs: Overrides;
  #sessions: SessionMap;
  readonly #changes = new TaskQueue();
  readonly #storedNames = new Set<string>();
  /** New sessions that the store has no entry for yet, because it was away. */
  readonly #unstored = new Map<string, { key: ThreadKey; info: SessionInfo; isOpen?: true }>();
  readonly #listeners = new Set<(event: EngineEvent) => void>();
  /** Names of sessions with content that the store did not take. */
  readonly #unsaved = new Set<string>();

  private constructor(sources: ServiceSources, store: SessionStore, engine: Container, knobs: Overrides) {
    this.#sources = sources;
    this.store = store;
    this.#knobs = knobs;
    this.#engine = engine;
    this.#sessions = this.#openSessions(this.spillway);
  }

  /** Rejects with `CONFIG_INVALID`, or with the error of the store. */
  static async open(sources: ServiceSources): Promise<Service> {
    const store = await storeFor(sources, await settingsOf(sources));
    try {
      const knobs = await knobsIn(store);
      return new Service(sources, store, await engineOn(store, sources, knobs), knobs);
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  get spillway(): Spillway {
    return this.#engine.get(SERVICES.Spillway);
  }

  limitsOf(model: string): ReturnType<Catalogue['lookup']> {
    return this.#engine.get(SERVICES.Catalogue).lookup(model);
  }

  /** Loads the token counter; otherwise the first request, and all parallel ones, would wait for it. */
  async warmUp(): Promise<void> {
    (await this.#engine.getAsync(SERVICES.TokenCounter)).count('Warm.');
  }

  get settings(): Settings {
    return this.spillway.config.settings;
  }

  /** The operators' settings, which win over files and environment. */
  get knobs(): Overrides {
    return this.#knobs;
  }

  /** Calls the listener with every event of any session. Returns a function that stops it. */
  listen(listener: (event: EngineEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Applies `change` to the operators' stored settings and stores the result; notes `by` and `paths` as author and changes.
   * Sessions continue under the result. Changes run in turn. Rejects with `CONFIG_INVALID`, or as reopened plugins do.
   */
  setKnobs(change: (knobs: Overrides) => Overrides, by: string, paths: readonly string[]): Promise<void> {
    return this.#changes.do(async () => {
      // Read from the store, because another process may have changed settings, and may do so again meanwhile.
      let stored = await knobsIn(this.store);
      while (!(await this.#setKnobs(stored, change(stored), by, paths))) stored = await knobsIn(this.store);
    });
  }

  /** Sets nothing and returns false if the stored settings have changed meanwhile. */
  async #setKnobs(
    stored: Overrides,
    knobs: Overrides,
    by: string,
    paths: readonly string[],
  ): Promise<boolean> {
    const old = this.spillway;
    await this.storeUnsaved();
    const engine = await engineOn(this.store, this.#sources, knobs, old);
    const discard = async (): Promise<void> => {
      const refused = engine.get(SERVICES.Spillway);
      await old.lasting.plugins.openAgain(refused.lasting.plugins);
      await refused.close();
    };
    try {
      if (!isDeepStrictEqual(await knobsIn(this.store), stored)) {
        await discard();
        return false;
      }
      const at = Date.now();
      for (const path of paths) await this.store.setValue(CHANGES_SCOPE, path, { by, at });
      // Written last, because only this value decides which settings apply.
      await this.store.setValue(KNOBS.scope, KNOBS.name, knobs as Json);
    } catch (error) {
      await discard();
      throw error;
    }
    this.#knobs = knobs;
    this.#engine = engine;
    this.#sessions = this.#openSessions(this.spillway);
    await old.close();
    return true;
  }

  /** The operator and the time of the last change of each knob. */
  async knobChanges(): Promise<Readonly<Record<string, { readonly by?: string; readonly at?: number }>>> {
    return (await this.store.values(CHANGES_SCOPE)) as Record<string, { by?: string; at?: number }>;
  }

  /** The configuration without the operators' settings. */
  async withoutKnobs(): Promise<EffectiveConfig> {
    return (await engineOn(null, this.#sources, {})).get(SERVICES.Config);
  }

  /** A session in the store, or a new one that has no messages yet. Rejects with `SESSION_UNKNOWN`. */
  async session(key: ThreadKey): Promise<Session> {
    const name = nameOf(key);
    if (this.#unstored.has(name)) await this.#retryInfo(name);
    else if (!(await this.store.load(key)) && !(await this.storedInfo(key))) throw sessionUnknown(key);
    return this.#sessions.of(name);
  }

  /**
   * The session of a client, made if there is none, as OpenAI chat if no format is named. Rejects with `INPUT_FORMAT`
   * without storing anything, and with `SESSION_FORMAT` if a session of another format exists. If the store is away, a
   * new session starts in memory. With `isNew`, no other process can have made the session, so the store is not asked.
   */
  async sessionFor(
    key: ThreadKey,
    { format, ...rest }: Partial<SessionInfo>,
    isNew = false,
  ): Promise<Session> {
    const info: SessionInfo = { format: format ?? 'openai-chat', ...rest };
    formatNamed(info.format);
    const name = nameOf(key);
    let failure = await this.#retryInfo(name);
    const toMemory = (error: unknown): void => {
      if (!isStoreFailure(error)) throw error;
      failure = error;
      this.#unstored.set(name, { key, info });
    };
    // Checked once per process, because the entry in the store remains.
    if (!this.#storedNames.has(name)) {
      if (isNew || (await this.storedInfo(key)) === undefined) await this.#putInfo(key, info).catch(toMemory);
      if (this.#storedNames.size >= MAX_STORED_NAMES) this.#storedNames.clear();
      this.#storedNames.add(name);
    }
    const session = await this.#sessions.of(name).catch((error: unknown) => {
      if (!isNew) throw error;
      toMemory(error);
      return this.#sessions.of(name);
    });
    if (failure !== undefined) session.storeFailed(failure);
    if (format !== undefined && session.format !== format) throw otherFormat(session, format);
    return session;
  }

  /** Undefined if the store has no entry, because a library made the session. */
  storedInfo(key: ThreadKey): Promise<SessionInfo | undefined> {
    return storedInfo(this.store, key);
  }

  /** Whether the session has content that the store did not take. */
  hasUnsaved(key: ThreadKey): boolean {
    return this.#unsaved.has(nameOf(key));
  }

  /** Stores the content that the store did not take earlier: the store is back, or the sessions are about to close. */
  async storeUnsaved(): Promise<void> {
    const names = [...this.#unsaved];
    this.#unsaved.clear();
    await Promise.allSettled([...this.#unstored.keys()].map((name) => this.#retryInfo(name)));
    // A session that fails again reports a new `store-failed` event.
    await Promise.allSettled(names.map(async (name) => (await this.#sessions.of(name)).load()));
  }

  async close(): Promise<void> {
    await this.storeUnsaved();
    await this.spillway.close();
    await this.store.close();
  }

  #putInfo(key: ThreadKey, info: SessionInfo): Promise<void> {
    return this.store.setValue(INFO_SCOPE, nameOf(key), info as unknown as Json);
  }

  /** Stores the entry of a new session that the store lacks. Resolves to the failure if the store is still away. */
  async #retryInfo(name: string): Promise<unknown> {
    const entry = this.#unstored.get(name);
    if (!entry) return undefined;
    try {
      // Another replica may have made the session meanwhile.
      if ((await this.storedInfo(entry.key)) === undefined) await this.#putInfo(entry.key, entry.info);
      this.#unstored.delete(name);
      return undefined;
    } catch (error) {
      if (!isStoreFailure(error)) throw error;
      return error;
    }
  }

  #openSessions(spillway: Spillway): SessionMap {
    spillway.events.subscribe((event) => {
      if (event.kind === 'store-failed') this.#unsaved.add(nameOf(event));
      this.#listeners.forEach((listener) => listener(event));
    });
    const open = async (name: string): Promise<Session> => {
      const [sessionId, agentPath] = JSON.parse(name) as [string, string];
      const entry = this.#unstored.get(name);
      const isNew = entry && !entry.isOpen;
      if (entry) entry.isOpen = true;
      const { format, model } = entry?.info ?? (await infoOf(this.store, { sessionId, agentPath }));
      const how = { id: sessionId, agentPath, format, ...present({ model }) };
      return isNew ? spillway.openNew(how) : spillway.open(how);
    };
    return new SessionMap(open, this.settings.server.sessions);
  }
}

const knobsIn = async (store: SessionStore): Promise<Overrides> =>
  ((await store.value(KNOBS.scope, KNOBS.name)) ?? {}) as Overrides;

function otherFormat({ id, format }: Session, wanted: string): SpillwayError {
  return new SpillwayError('SESSION_FORMAT', {
    subject: `session "${id}"`,
    found: wanted,
    allowed: format,
    remedy: 'Send requests in the format of the session, or make another session.',
  });
}

export function sessionUnknown({ sessionId, agentPath }: ThreadKey): SpillwayError {
  return new SpillwayError('SESSION_UNKNOWN', {
    subject: 'session',
    found: agentPath === 'primary' ? sessionId : `${sessionId}, agent ${agentPath}`,
    remedy: 'GET /api/v1/sessions lists the existing sessions.',
  });
}
