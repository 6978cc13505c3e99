import { describe, expect, it } from '@jest/globals';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { traceSpillway } from '../../../src/adapters/opentelemetry.js';
import { engine, read, says, step, system, user, prose } from '../support.js';
import { started } from './support.js';

const secret = 'the weir is never to be touched';
const history = [
  system('Keep to the plan.'),
  user(`Build the mill; ${secret}.`),
  ...Array.from({ length: 12 }, (_, i) => [
    ...step('read', { path: `src/${i}.ts` }, prose(400, i)),
    says('Read.'),
  ]).flat(),
  user('And now?'),
];

describe('telemetry', () => {
  it('N16: the library tells OpenTelemetry of prepare, compaction, stages, commit and recall, and of no words', async () => {
    const spans = new InMemorySpanExporter();
    const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    const figures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 2 ** 30 });
    const metering = new MeterProvider({ readers: [reader] });
    const spillway = await engine(4_000);
    const stop = traceSpillway(spillway, { tracer: tracing.getTracer('t'), meter: metering.getMeter('t') });
    const session = spillway.session({ id: 'mill', model: 'gpt-5' });
    await session.append(...read(history));
    await session.prepare();
    await session.recall({ query: 'weir' });
    const names = new Set(spans.getFinishedSpans().map(({ name }) => name));
    for (const name of ['prepare', 'compaction', 'stage', 'commit', 'recall'])
      expect(names).toContain(`spillway.${name}`);
    const compaction = spans.getFinishedSpans().find(({ name }) => name === 'spillway.compaction')!;
    expect(compaction.attributes).toMatchObject({
      'gen_ai.conversation.id': 'mill',
      'gen_ai.agent.name': 'primary',
      'gen_ai.request.model': 'gpt-5',
      'spillway.record': 'c1',
    });
    expect(
      JSON.stringify(spans.getFinishedSpans().map(({ name, attributes }) => [name, attributes])),
    ).not.toContain('weir');
    await reader.forceFlush();
    const told = figures
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
    const saved = told.find(({ descriptor }) => descriptor.name === 'spillway.tokens.saved')!;
    expect(saved.dataPoints[0]!.value).toBeGreaterThan(1_000);
    expect(told.map(({ descriptor }) => descriptor.name)).toEqual(
      expect.arrayContaining([
        'spillway.prepare.duration',
        'spillway.pressure',
        'spillway.runs',
        'spillway.recall.duration',
      ]),
    );
    stop();
    await metering.shutdown();
  });

  it('N16: the service tells Prometheus the same, and how requests went', async () => {
    const service = await started(4_000);
    await service.ask('POST', '/sessions', { id: 'mill' });
    await service.ask('POST', '/sessions/mill/prepare', { request: { messages: history } });
    const text = await (await fetch(`${service.url}/metrics`)).text();
    expect(text).toMatch(/spillway_runs_total\{outcome="completed"\} 1/);
    expect(text).toMatch(/spillway_tokens_saved_total [1-9]\d{3}/);
    expect(text).toMatch(
      /spillway_request_seconds_count\{route="\/api\/v1\/sessions\/:id\/prepare",status="200"\} 1/,
    );
    expect(text).not.toContain('mill');
  });
});
