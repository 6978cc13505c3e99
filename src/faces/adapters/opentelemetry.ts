import { metrics, trace, type Meter, type Tracer } from '@opentelemetry/api';
import { checkVersion } from '../../errors/index.js';
import { boughtText } from '../../pressure/index.js';
import type { EngineEvent, Spillway } from '../../session/index.js';
import { MODEL, Spans } from './opentelemetry-spans.js';

/** Receivers of spans and figures. Default: the globally registered ones. */
export interface Telemetry {
  readonly tracer?: Tracer;
  readonly meter?: Meter;
}

/**
 * Reports an engine's work to OpenTelemetry: a span for each prepared request, each compaction with its stages, hooks
 * and summarizer calls, and each recall; counters and histograms of the same. No message text. Returns a stop function.
 *
 *     const stop = traceSpillway(spillway);
 */
export function traceSpillway(spillway: Pick<Spillway, 'events'>, telemetry: Telemetry = {}): () => void {
  checkVersion('@opentelemetry/api', 'traceSpillway');
  const spans = new Spans(telemetry.tracer ?? trace.getTracer('spillway'));
  const recordFigures = instruments(telemetry.meter ?? metrics.getMeter('spillway'));
  const subscription = spillway.events.subscribe((event) => {
    recordFigures(event);
    spans.record(event);
  });
  return () => subscription.unsubscribe();
}

/** Session ids are no attribute of figures, because there are too many of them. */
function instruments(meter: Meter): (event: EngineEvent) => void {
  const histogram = (name: string, unit: string, description: string) =>
    meter.createHistogram(name, { unit, description });
  const prepare = histogram('spillway.prepare.duration', 's', 'Time to prepare a request.');
  const compaction = histogram('spillway.compaction.duration', 's', 'Time of a compaction, commit included.');
  const recall = histogram('spillway.recall.duration', 's', 'Time to read back.');
  const hooks = histogram(
    'spillway.plugin.hook.duration',
    's',
    'Time of plugin hooks. Hooks that exceeded their limit are counted as late.',
  );
  const pressure = histogram('spillway.pressure', '1', 'Tokens / budget of each request.');
  const usage = histogram('gen_ai.client.token.usage', '{token}', 'Tokens of summarizer calls.');
  const count = (name: string, description: string, unit?: string) =>
    meter.createCounter(name, { description, ...(unit !== undefined && { unit }) });
  const saved = count('spillway.tokens.saved', 'Tokens that compactions took from view.', '{token}');
  const outcomes = count('spillway.runs', 'Runs, by what they came to.');
  const firings = count('spillway.stage.firings', 'Stages that ran, by outcome.');
  return (event) => {
    const model = event.model === null ? {} : { [MODEL]: event.model };
    switch (event.kind) {
      case 'prepared':
        prepare.record(event.durationMs / 1_000, model);
        pressure.record(event.pressure, model);
        return;
      case 'completed':
        compaction.record(event.durationMs / 1_000, model);
        saved.add(Math.max(0, event.tokensBefore - event.tokensAfter), model);
        outcomes.add(1, { ...model, 'spillway.outcome': 'completed' });
        return;
      // Counts every call, with or without a record. `completed` has the calls of its record again, so it counts none.
      case 'model-call': {
        const { model: by, inputTokens, outputTokens } = boughtText(event.call);
        const labels = {
          'gen_ai.operation.name': 'chat',
          ...(by !== undefined && { 'gen_ai.response.model': by }),
        };
        if (inputTokens !== undefined) usage.record(inputTokens, { ...labels, 'gen_ai.token.type': 'input' });
        if (outputTokens !== undefined)
          usage.record(outputTokens, { ...labels, 'gen_ai.token.type': 'output' });
        return;
      }
      case 'plugin-hook':
        hooks.record(event.durationMs / 1_000, {
          'spillway.plugin': event.plugin,
          'spillway.hook': event.hook,
          'spillway.outcome': event.outcome,
        });
        return;
      case 'noop':
      case 'failed':
      case 'pending':
        outcomes.add(1, { ...model, 'spillway.outcome': event.kind });
        return;
      case 'firing':
        firings.add(1, { 'spillway.stage': event.stage, 'spillway.outcome': event.outcome });
        return;
      case 'recalled':
        recall.record(event.durationMs / 1_000, model);
        return;
      default:
    }
  };
}
