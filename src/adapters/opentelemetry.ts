import {
  context,
  metrics,
  SpanStatusCode,
  trace,
  type Attributes,
  type Meter,
  type Tracer,
} from '@opentelemetry/api';
import type { EngineEvent, Spillway } from '../session/index.js';

/** What hears of spans and figures; the globally registered ones where absent. */
export interface Telemetry {
  readonly tracer?: Tracer;
  readonly meter?: Meter;
}

/** Names as in OpenTelemetry's conventions for generative AI, where those have one. */
const CONVERSATION = 'gen_ai.conversation.id';
const AGENT = 'gen_ai.agent.name';
const MODEL = 'gen_ai.request.model';

/**
 * Tells OpenTelemetry what an engine does: a span for each request that is prepared, each compaction with its stages and
 * summarizer calls, and each recall; counters and histograms of the same. Nothing of what was said is told. Returns what ends it.
 *
 *     const stop = traceSpillway(spillway);
 */
export function traceSpillway(spillway: Pick<Spillway, 'events'>, telemetry: Telemetry = {}): () => void {
  const tracer = telemetry.tracer ?? trace.getTracer('spillway');
  const heard = instruments(telemetry.meter ?? metrics.getMeter('spillway'));
  const listening = spillway.events.subscribe((event) => {
    heard(event);
    span(tracer, event);
  });
  return () => listening.unsubscribe();
}

function placeOf({ sessionId, agentPath, model }: EngineEvent): Attributes {
  return { [CONVERSATION]: sessionId, [AGENT]: agentPath, ...(model !== null && { [MODEL]: model }) };
}

/** Spans are written when what they tell of is over: nothing in the engine waits for them. */
function span(tracer: Tracer, event: EngineEvent): void {
  const place = placeOf(event);
  const { at } = event;
  const write = (name: string, from: number, to: number, attributes: Attributes): void =>
    tracer.startSpan(name, { startTime: from, attributes: { ...place, ...attributes } }).end(to);
  if (event.kind === 'prepared') {
    const { call, tokens, pressure, run, durationMs, unchangedPrefixTokens } = event;
    write('spillway.prepare', at - durationMs, at, {
      'spillway.call': call,
      'spillway.tokens': tokens,
      'spillway.pressure': pressure,
      'spillway.unchanged_prefix_tokens': unchangedPrefixTokens,
      'spillway.run': run,
    });
  } else if (event.kind === 'recalled') {
    write('spillway.recall', at - event.durationMs, at, { 'spillway.pieces': event.pieces });
  } else if (event.kind === 'failed') {
    const failed = tracer.startSpan('spillway.compaction', { startTime: at, attributes: place });
    const { code = 'INTERNAL' } = event.error as { readonly code?: string };
    failed.setAttribute('error.type', code);
    failed.setStatus({ code: SpanStatusCode.ERROR }).end(at);
  } else if (event.kind === 'completed') {
    const { recordId, tokensBefore, tokensAfter, durationMs, stageMs, calls } = event;
    const begun = at - durationMs;
    const compaction = tracer.startSpan('spillway.compaction', {
      startTime: begun,
      attributes: {
        ...place,
        'spillway.record': recordId,
        'spillway.tokens.before': tokensBefore,
        'spillway.tokens.after': tokensAfter,
      },
    });
    context.with(trace.setSpan(context.active(), compaction), () => {
      let from = begun;
      for (const [stage, ms] of Object.entries(stageMs)) {
        write('spillway.stage', from, from + ms, { 'spillway.stage': stage });
        from += ms;
      }
      for (const { endpoint, model, outcome, durationMs: ms, inputTokens, outputTokens } of calls)
        write('spillway.summarize', at - ms, at, {
          'gen_ai.operation.name': 'chat',
          'server.address': endpoint,
          'spillway.outcome': outcome,
          ...(model !== undefined && { 'gen_ai.response.model': model }),
          ...(inputTokens !== undefined && { 'gen_ai.usage.input_tokens': inputTokens }),
          ...(outputTokens !== undefined && { 'gen_ai.usage.output_tokens': outputTokens }),
        });
      write('spillway.commit', at, at, { 'spillway.record': recordId });
    });
    compaction.end(at);
  }
}

/** Sessions are no attribute of figures: there are too many of them. */
function instruments(meter: Meter): (event: EngineEvent) => void {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { unit: 's', description });
  const prepare = seconds('spillway.prepare.duration', 'Time to prepare a request.');
  const compaction = seconds('spillway.compaction.duration', 'Time of a compaction, commit included.');
  const recall = seconds('spillway.recall.duration', 'Time to read back.');
  const pressure = meter.createHistogram('spillway.pressure', {
    unit: '1',
    description: 'Tokens / budget of each request.',
  });
  const saved = meter.createCounter('spillway.tokens.saved', {
    unit: '{token}',
    description: 'Tokens that compactions took from view.',
  });
  const used = meter.createHistogram('gen_ai.client.token.usage', {
    unit: '{token}',
    description: 'Tokens of summarizer calls.',
  });
  const outcomes = meter.createCounter('spillway.runs', { description: 'Runs, by what they came to.' });
  const firings = meter.createCounter('spillway.stage.firings', {
    description: 'Stages that ran, by outcome.',
  });
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
        for (const { model: by, inputTokens, outputTokens } of event.calls) {
          const about = {
            'gen_ai.operation.name': 'chat',
            ...(by !== undefined && { 'gen_ai.response.model': by }),
          };
          if (inputTokens !== undefined) used.record(inputTokens, { ...about, 'gen_ai.token.type': 'input' });
          if (outputTokens !== undefined)
            used.record(outputTokens, { ...about, 'gen_ai.token.type': 'output' });
        }
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
