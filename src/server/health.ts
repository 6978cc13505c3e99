import type { FastifyInstance } from 'fastify';
import { faultBody } from './faults.js';
import type { Service } from './service.js';

/** `/health`: the process answers. `/ready`: it can do its work, which it cannot without its store, nor when it stops. */
export class Health {
  readonly #service: Service;
  #isStopping = false;

  constructor(service: Service) {
    this.#service = service;
  }

  register(app: FastifyInstance): void {
    app.addHook('preClose', (done) => {
      this.#isStopping = true;
      done();
    });
    app.get('/health', () => ({ status: 'ok' }));
    app.get('/ready', async (_, reply) => {
      const fault = await this.#fault();
      if (fault === undefined) return { status: 'ready' };
      return reply.code(503).send(faultBody('HTTP_503', fault, true));
    });
  }

  async #fault(): Promise<string | undefined> {
    if (this.#isStopping) return 'The service is stopping.';
    try {
      await this.#service.store.value('service', 'ready');
      return undefined;
    } catch {
      return 'The store does not answer.';
    }
  }
}
