import type { FastifyInstance } from 'fastify';
import { checkMayActForAll } from './access.js';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EngineEvent } from '../../session/index.js';
import { boughtText, type BoughtText } from '../../pressure/index.js';
import type { HearRequest } from './request-log.js';
import type { Service } from './service.js';

const SECONDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];
/** The gates, and what lies around them. */
const PRESSURES: readonly number[] = [0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.84, 0.88, 0.92, 0.95, 0.98, 1, 1.5, 2];

/** Figures of the service as Prometheus reads them. No session and no tenant is a label: there are too many of them. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests = this.#histogram(
    'spillway_request_seconds',
    'Time of a request until its answer ended.',
    ['route', 'status'],
  );
  readonly #upstream = this.#histogram(
    'spillway_upstream_seconds',
    'Time until the answer of an upstream began.',
    ['status'],
  );
  readonly #overhead = this.#histogram(
    'spillway_overhead_seconds',
    'Time of a request of the proxy aside from that in which an upstream had it: its body coming in, waiting, preparing.',
    ['route'],
  );
  readonly #refusals = this.#counter(
    'spillway_upstream_refusals_total',
    'Requests that an upstream answered with an error, or not at all (none).',
    ['status'],
  );
  readonly #retries = this.#counter('spillway_retries_total', 'Requests compacted and sent once more.');
  readonly #failedAfterRefusal = this.#counter(
    'spillway_failed_after_refusal_total',
    'Refused requests that could not be compacted and sent again.',
    ['code'],
  );
  readonly #prepare = this.#histogram('spillway_prepare_seconds', 'Time to prepare a request for a model.');
  readonly #compaction = this.#histogram(
    'spillway_compaction_seconds',
    'Time of a compaction, commit included.',
  );
  readonly #recall = this.#histogram('spillway_recall_seconds', 'Time to read back.');
  readonly #pressure = this.#histogram(
    'spillway_pressure',
    'Tokens / budget of each request.',
    [],
    PRESSURES,
  );
  readonly #runs = this.#counter('spillway_runs_total', 'Runs, by what they came to.', ['outcome']);
  readonly #saved = this.#counter('spillway_tokens_saved_total', 'Tokens that compactions took from view.');
  readonly #firings = this.#counter('spillway_stage_firings_total', 'Stages that ran.', ['stage', 'outcome']);
  readonly #bought = this.#counter('spillway_summarizer_calls_total', 'Calls of summarizers.', ['outcome']);
  readonly #boughtTokens = this.#counter('spillway_summarizer_tokens_total', 'Tokens of summarizer calls.');
  readonly #boughtCost = this.#counter(
    'spillway_summarizer_cost_dollars_total',
    'US dollars of summarizer calls, where known.',
  );
  readonly #hooks = this.#histogram(
    'spillway_plugin_hook_seconds',
    'Time of hooks of plugins; those that were given up ended as late.',
    ['plugin', 'hook', 'outcome'],
  );
  readonly #passedBy = this.#counter(
    'spillway_passed_by_total',
    'Requests sent on without compaction, since that failed.',
    ['code'],
  );
  readonly #storeFailures = this.#counter(
    'spillway_store_failures_total',
    'Times the store did not do what it was asked.',
  );
  readonly #breakers = new Gauge({
    name: 'spillway_breakers_open',
    help: 'Breakers of summarizers that are open, by stage; the newest word of each.',
    labelNames: ['stage'],
    registers: [this.#registry],
  });

  constructor(service: Service) {
    collectDefaultMetrics({ register: this.#registry, prefix: 'spillway_' });
    service.listen((event) => this.#hear(event));
  }

  register(app: FastifyInstance): void {
    app.get('/metrics', { config: { role: 'viewer' }, schema: { hide: true } }, async (request, reply) => {
      checkMayActForAll(request.caller);
      void reply.header('content-type', this.#registry.contentType).serializer(String);
      return reply.send(await this.#registry.metrics());
    });
  }

  passedBy(code: string): void {
    this.#passedBy.inc({ code });
  }

  failedAfterRefusal(code: string): void {
    this.#failedAfterRefusal.inc({ code });
  }

  /** Of each request, when it is over. */
  readonly hear: HearRequest = ({ routeOptions, notes }, code) => {
    const route = routeOptions.url ?? 'none';
    const status = String(code);
    this.#requests.observe({ route, status }, notes.ms / 1_000);
    if (notes.upstream.length === 0) return;
    this.#overhead.observe({ route }, Math.max(0, notes.ms - notes.upstreamMs) / 1_000);
    this.#retries.inc(notes.retries);
    for (const call of notes.upstream) {
      const answered = String(call.status ?? 'none');
      this.#upstream.observe(
        { status: answered },
        ((call.head ?? call.to ?? performance.now()) - call.from) / 1_000,
      );
      if (call.status === undefined || call.status >= 400) this.#refusals.inc({ status: answered });
    }
  };

  #hear(event: EngineEvent): void {
    switch (event.kind) {
      case 'prepared':
        this.#prepare.observe(event.durationMs / 1_000);
        return this.#pressure.observe(event.pressure);
      case 'completed':
        this.#compaction.observe(event.durationMs / 1_000);
        this.#saved.inc(Math.max(0, event.tokensBefore - event.tokensAfter));
        this.#runs.inc({ outcome: 'completed' });
        return;
      // Of every call, whatever its run came to; `completed` tells those of its record once more.
      case 'model-call':
        return this.#buy(boughtText(event.call));
      case 'plugin-hook': {
        const { plugin, hook, outcome, durationMs } = event;
        return this.#hooks.observe({ plugin, hook, outcome }, durationMs / 1_000);
      }
      case 'noop':
      case 'failed':
      case 'pending':
        return this.#runs.inc({ outcome: event.kind });
      case 'firing':
        return this.#firings.inc({ stage: event.stage, outcome: event.outcome });
      case 'recalled':
        return this.#recall.observe(event.durationMs / 1_000);
      case 'store-failed':
        return this.#storeFailures.inc();
      case 'breaker':
        return this.#breakers.set({ stage: event.stage }, event.state === 'open' ? 1 : 0);
      default:
    }
  }

  #buy({ outcome, cost, inputTokens = 0, outputTokens = 0 }: BoughtText): void {
    this.#bought.inc({ outcome });
    this.#boughtTokens.inc(inputTokens + outputTokens);
    this.#boughtCost.inc(cost ?? 0);
  }

  #histogram<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[] = [],
    buckets = SECONDS,
  ) {
    return new Histogram({
      name,
      help,
      labelNames: [...labelNames],
      buckets: [...buckets],
      registers: [this.#registry],
    });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) {
    return new Counter({ name, help, labelNames: [...labelNames], registers: [this.#registry] });
  }
}
