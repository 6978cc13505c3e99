import type { FastifyInstance } from 'fastify';
import { checkMayActForAll } from './access.js';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { EngineEvent } from '../../session/index.js';
import { boughtText } from '../../pressure/index.js';
import type { RequestListener } from './request-log.js';
import type { Service } from './service.js';

const SECONDS: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];
/** Histogram buckets: the gates and values around them. */
const PRESSURES: readonly number[] = [0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.84, 0.88, 0.92, 0.95, 0.98, 1, 1.5, 2];

/** Histograms of times, by name: description and labels. */
const TIMES = {
  request: ['Time of a request until its answer ended.', 'route', 'status'],
  upstream: ['Time until the answer of an upstream began.', 'status'],
  overhead: [
    'Time of a proxy request without the time of the upstream: receiving the body, waiting, preparing.',
    'route',
  ],
  prepare: ['Time to prepare a request for a model.'],
  compaction: ['Time of a compaction, commit included.'],
  recall: ['Time to read back.'],
  plugin_hook: [
    'Time of plugin hooks. Hooks that exceeded their limit are counted as late.',
    'plugin',
    'hook',
    'outcome',
  ],
} as const;

/** Counters, by name: description and labels. */
const COUNTS = {
  upstream_refusals: [
    'Requests that an upstream answered with an error, partly (cut) or not at all (none).',
    'status',
  ],
  retries: ['Requests compacted and sent once more.'],
  failed_after_refusal: ['Refused requests that could not be compacted and sent again.', 'code'],
  runs: ['Runs, by what they came to.', 'outcome'],
  tokens_saved: ['Tokens that compactions took from view.'],
  stage_firings: ['Stages that ran.', 'stage', 'outcome'],
  summarizer_calls: ['Calls of summarizers.', 'outcome'],
  summarizer_tokens: ['Tokens of summarizer calls.'],
  summarizer_cost_dollars: ['US dollars of summarizer calls, where known.'],
  passed_by: ['Requests sent on without compaction, since that failed.', 'code'],
  store_failures: ['Times the store did not do what it was asked.'],
} as const;

/** Figures of the service for Prometheus. Sessions and tenants are no labels, because there are too many of them. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #times = perName(TIMES, (name, help, labelNames) =>
    this.#histogram(`spillway_${name}_seconds`, help, SECONDS, labelNames),
  );
  readonly #counts = perName(
    COUNTS,
    (name, help, labelNames) =>
      new Counter({ name: `spillway_${name}_total`, help, labelNames, registers: [this.#registry] }),
  );
  readonly #pressure = this.#histogram('spillway_pressure', 'Tokens / budget of each request.', PRESSURES);
  readonly #breakers = new Gauge({
    name: 'spillway_breakers_open',
    help: 'Breakers of summarizers that are open, by stage; the newest word of each.',
    labelNames: ['stage'],
    registers: [this.#registry],
  });

  constructor(service: Service) {
    collectDefaultMetrics({ register: this.#registry, prefix: 'spillway_' });
    service.listen((event) => this.#record(event));
  }

  register(app: FastifyInstance): void {
    app.get('/metrics', { config: { role: 'viewer' }, schema: { hide: true } }, async (request, reply) => {
      checkMayActForAll(request.caller);
      void reply.header('content-type', this.#registry.contentType).serializer(String);
      return reply.send(await this.#registry.metrics());
    });
  }

  countPassedBy(code: string): void {
    this.#counts.passed_by.inc({ code });
  }

  countFailedAfterRefusal(code: string): void {
    this.#counts.failed_after_refusal.inc({ code });
  }

  /** Records each request when it is over. */
  readonly recordRequest: RequestListener = ({ routeOptions, notes }, code) => {
    const route = routeOptions.url ?? 'none';
    this.#times.request.observe({ route, status: String(code) }, notes.ms / 1_000);
    if (notes.upstream.length === 0) return;
    this.#times.overhead.observe({ route }, Math.max(0, notes.ms - notes.upstreamMs) / 1_000);
    this.#counts.retries.inc(notes.retries);
    for (const { startedAt, headAt, endedAt, status, isCut, isFailed } of notes.upstream) {
      if (isCut) this.#counts.upstream_refusals.inc({ status: 'cut' });
      if (isFailed) this.#counts.upstream_refusals.inc({ status: 'error' });
      if (headAt === undefined && endedAt === undefined) continue;
      const answered = { status: String(status ?? 'none') };
      this.#times.upstream.observe(answered, ((headAt ?? endedAt!) - startedAt) / 1_000);
      if (status === undefined || status >= 400) this.#counts.upstream_refusals.inc(answered);
    }
  };

  #record(event: EngineEvent): void {
    const counts = this.#counts;
    switch (event.kind) {
      case 'prepared':
        this.#times.prepare.observe(event.durationMs / 1_000);
        return this.#pressure.observe(event.pressure);
      case 'completed':
        this.#times.compaction.observe(event.durationMs / 1_000);
        counts.tokens_saved.inc(Math.max(0, event.tokensBefore - event.tokensAfter));
        return counts.runs.inc({ outcome: 'completed' });
      // Counts every call, with or without a record. `completed` repeats the calls of its record.
      case 'model-call': {
        const { outcome, cost, inputTokens = 0, outputTokens = 0 } = boughtText(event.call);
        counts.summarizer_calls.inc({ outcome });
        counts.summarizer_tokens.inc(inputTokens + outputTokens);
        return counts.summarizer_cost_dollars.inc(cost ?? 0);
      }
      case 'plugin-hook': {
        const { plugin, hook, outcome, durationMs } = event;
        return this.#times.plugin_hook.observe({ plugin, hook, outcome }, durationMs / 1_000);
      }
      case 'noop':
      case 'failed':
      case 'pending':
        return counts.runs.inc({ outcome: event.kind });
      case 'firing':
        return counts.stage_firings.inc({ stage: event.stage, outcome: event.outcome });
      case 'recalled':
        return this.#times.recall.observe(event.durationMs / 1_000);
      case 'store-failed':
        return counts.store_failures.inc();
      case 'breaker':
        return this.#breakers.set({ stage: event.stage }, event.state === 'open' ? 1 : 0);
      default:
    }
  }

  #histogram(name: string, help: string, buckets: readonly number[], labelNames: readonly string[] = []) {
    const registers = [this.#registry];
    return new Histogram<string>({ name, help, labelNames, buckets: [...buckets], registers });
  }
}

function perName<Name extends string, Metric>(
  figures: Readonly<Record<Name, readonly [help: string, ...labels: string[]]>>,
  make: (name: string, help: string, labels: readonly string[]) => Metric,
): Readonly<Record<Name, Metric>> {
  const rows = Object.entries<readonly [string, ...string[]]>(figures);
  const all = rows.map(([name, [help, ...labels]]) => [name, make(name, help, labels)]);
  return Object.fromEntries(all) as Record<Name, Metric>;
}
