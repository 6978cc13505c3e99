import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { LATE, inTime } from '../../session/plugins/index.js';
import { faultBody } from './faults.js';
import { codesOf } from './request-log.js';
import type { Service } from './service.js';

/** Time limit of the store for a probe: most probing systems wait for one second. */
const PROBE_LIMIT_MS = 500;
/** A probe writes to the store, so its result is reused for one second. */
const PROBE_REUSE_MS = 1_000;
/** If `/ready` was asked within this time, the asking system is told of the stop before the listener closes. */
const RECENT_MS = 60_000;

/** `ready`; `degraded`: calls continue from memory while the store fails; `down`. */
interface State {
  readonly status: 'ready' | 'degraded' | 'down';
  readonly reason?: string;
  /** Code of the store's fault, and the code of its cause from the system or the database server. */
  readonly code?: string;
  readonly cause?: string | number;
}

/** `/health`: the process answers. `/ready`: the service works and its store accepts a write; `down` while it stops. */
export class Health {
  readonly #service: Service;
  #isStopping = false;
  #askedAt = -Infinity;
  #probe: { readonly at: number; readonly state: Promise<State> } | undefined;

  constructor(service: Service) {
    this.#service = service;
  }

  register(app: FastifyInstance): void {
    app.addHook('preClose', (done) => {
      this.#isStopping = true;
      done();
    });
    const config = { isUncounted: true, rateLimit: false } as const;
    app.get('/health', { config }, () => ({ status: 'ok' }));
    app.get('/ready', { config }, async (_, reply) => {
      this.#askedAt = performance.now();
      const state = await this.#state();
      if (state.status !== 'down') return state;
      return reply.code(503).send(faultBody(state.code ?? 'HTTP_503', state.reason!, true));
    });
  }

  /** Reports `down` from now on. Resolves when the systems that ask `/ready` have had time to see it. */
  async drain(): Promise<void> {
    this.#isStopping = true;
    if (performance.now() - this.#askedAt < RECENT_MS) await pause(this.#service.settings.server.drainMs);
  }

  async #state(): Promise<State> {
    if (this.#isStopping) return { status: 'down', reason: 'The service is stopping.' };
    const at = performance.now();
    if (!this.#probe || at - this.#probe.at > PROBE_REUSE_MS) this.#probe = { at, state: this.#probeStore() };
    return this.#probe.state;
  }

  async #probeStore(): Promise<State> {
    const { store } = this.#service;
    try {
      const done = await inTime(PROBE_LIMIT_MS, () => store.setValue('service', 'ready', Date.now()));
      if (done === LATE) return { ...AWAY, code: 'STORE_FAILED' };
      void this.#service.storeUnsaved();
      return { status: 'ready' };
    } catch (error) {
      const codes = codesOf(error);
      return { ...(codes.code === 'STORE_SCHEMA' ? UNUSABLE : AWAY), ...codes };
    }
  }
}

const AWAY: State = { status: 'degraded', reason: 'The store takes no write; calls go on from memory.' };
/** Another version of Spillway uses the store; without the store, no session can continue. */
const UNUSABLE: State = { status: 'down', reason: 'The store cannot be used.' };
