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
import { traceSpillway } from '../../../src/faces/adapters/opentelemetry.js';
import { definePlugin, type Spillway } from '../../../src/index.js';
import type { Summarizer } from '../../../src/spi/index.js';
import { engine, read, says, step, system, user, prose, times } from '../support.js';
import { started } from './support.js';

const secret = 'the weir is never to be touched';
const history = [
  system('Keep to the plan.'),
  user(`Build the mill; ${secret}.`),
  ...times(12, (i) => [...step('read', { path: `src/${i}.ts` }, prose(400, i)), says('Read.')]),
  user('And now?'),
];

/** Asks the model before each compaction, and may skip it. Its hook after a compaction hangs. */
const asks = (skip: boolean) =>
  definePlugin({
    name: 'asks',
    observer: {
      preCompact: async (_, { summarize }) => {
        await summarize?.({ instruction: 'Say what stands.', source: ['The mill stands.'], maxTokens: 50 });
        return { skip };
      },
      postCompact: () => new Promise<void>(() => undefined),
    },
  });

const broken = definePlugin({
  name: 'broken',
  observer: {
    preCompact: () => {
      throw new Error('no disk');
    },
  },
});

const summarizer: Summarizer = {
  name: 'terse',
  endpoint: 'terse',
  summarize: () =>
    Promise.resolve({
      text: 'The mill stands.',
      finishReason: 'stop',
      model: 'gpt-5-mini',
      usage: { inputTokens: 40, cacheReadTokens: 5, cacheWriteTokens: 0, outputTokens: 7 },
    }),
};

const limits = { pluginLimits: { postCompactMs: 5 } };

/** Metrics and spans of the library while `act` runs. */
async function toldWhile(act: (listen: (spillway: Spillway) => void) => Promise<void>) {
  const spans = new InMemorySpanExporter();
  const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const figures = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: figures, exportIntervalMillis: 2 ** 30 });
  const metering = new MeterProvider({ readers: [reader] });
  await act((spillway) =>
    traceSpillway(spillway, { tracer: tracing.getTracer('t'), meter: metering.getMeter('t') }),
  );
  await reader.forceFlush();
  const metrics = figures
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((one) => one.metrics));
  const pointsOf = (name: string) =>
    metrics.find(({ descriptor }) => descriptor.name === name)?.dataPoints ?? [];
  await metering.shutdown();
  return { pointsOf, spans: spans.getFinishedSpans() };
}

describe('telemetry', () => {
  it.each([true, false])(
    'N16: reports each call of a model once, and each hook by plugin (run is skipped: %s)',
    async (skip) => {
      const { pointsOf, spans } = await toldWhile(async (listen) => {
        const settings = { summary: { share: 0.2 }, roster: ['full' as const], ...limits };
        const spillway = await engine(8_000, settings, { summarizer, plugins: [asks(skip)] });
        listen(spillway);
        const session = spillway.session({ id: 'mill', model: 'gpt-5' });
        await session.append(...read(history));
        const { kind } = await session.operator.compact({ target: 0.3 });
        expect(kind).toBe(skip ? 'noop' : 'committed');
      });
      const calls = spans.filter(({ name }) => name === 'spillway.summarize');
      expect(calls).toHaveLength(skip ? 1 : 2);
      const input = pointsOf('gen_ai.client.token.usage').filter(
        ({ attributes }) => attributes['gen_ai.token.type'] === 'input',
      );
      expect(input.map(({ value }) => value)).toEqual([
        expect.objectContaining({ count: calls.length, sum: 45 * calls.length }),
      ]);
      const hooks = pointsOf('spillway.plugin.hook.duration').map(({ attributes, value }) => ({
        ...attributes,
        count: (value as { count: number }).count,
      }));
      const told = (hook: string, outcome: string) => ({
        'spillway.plugin': 'asks',
        'spillway.hook': hook,
        'spillway.outcome': outcome,
        count: 1,
      });
      // A run that is skipped calls no hook after it.
      expect(hooks).toEqual([told('pre_compact', 'done'), ...(skip ? [] : [told('post_compact', 'late')])]);
      const compaction = spans.find(({ name }) => name === 'spillway.compaction');
      expect(compaction?.attributes['spillway.outcome']).toBe(skip ? 'noop' : 'completed');
      const within = calls.filter(
        (call) => call.parentSpanContext?.spanId === compaction!.spanContext().spanId,
      );
      expect(within).toHaveLength(calls.length);
      const ofHooks = spans.filter(({ name }) => name === 'spillway.plugin_hook');
      expect(ofHooks).toHaveLength(hooks.length);
    },
  );

  it('N16: gives Prometheus the calls of runs without a result, and how long hooks took', async () => {
    const service = await started(5_800, limits, { summarizer, plugins: [asks(true), broken] });
    await service.post('/sessions', { id: 'mill' });
    const { status } = await service.post('/sessions/mill/prepare', { request: { messages: history } });
    expect(status).toBe(200);
    const text = await service.metrics();
    expect(text).toMatch(/spillway_runs_total\{outcome="noop"\} 1/);
    expect(text).toMatch(/spillway_summarizer_calls_total\{outcome="filled"\} 1/);
    expect(text).toMatch(/spillway_summarizer_tokens_total 52/);
    expect(text).toMatch(
      /spillway_plugin_hook_seconds_count\{plugin="asks",hook="pre_compact",outcome="done"\} 1/,
    );
    expect(text).toMatch(
      /spillway_plugin_hook_seconds_count\{plugin="broken",hook="pre_compact",outcome="threw"\} 1/,
    );
  });

  it('N16: gives OpenTelemetry prepare, compaction, stages, commit and recall, without text of messages', async () => {
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

  it('N16: gives Prometheus runs, saved tokens and requests, without names of sessions', async () => {
    const service = await started(4_000);
    await service.post('/sessions', { id: 'mill' });
    await service.post('/sessions/mill/prepare', { request: { messages: history } });
    const text = await service.metrics();
    expect(text).toMatch(/spillway_runs_total\{outcome="completed"\} 1/);
    expect(text).toMatch(/spillway_tokens_saved_total [1-9]\d{3}/);
    expect(text).toMatch(
      /spillway_request_seconds_count\{route="\/api\/v1\/sessions\/:id\/prepare",status="200"\} 1/,
    );
    expect(text).not.toContain('mill');
  });
});
