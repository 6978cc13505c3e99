import { context, SpanStatusCode, trace, type Attributes, type Tracer } from '@opentelemetry/api';
import { boughtText } from '../../pressure/index.js';
import type { EngineEvent } from '../../session/index.js';

/** Names as in OpenTelemetry's conventions for generative AI, where those have one. */
const CONVERSATION = 'gen_ai.conversation.id';
const AGENT = 'gen_ai.agent.name';
export const MODEL = 'gen_ai.request.model';

/** A span that is not written yet: it belongs into that of its run. Milliseconds since the epoch. */
interface PendingSpan {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly attributes: Attributes;
}

type Completed = EngineEvent & { readonly kind: 'completed' };

/**
 * Writes spans when what they tell of is over: nothing in the engine waits for them. What a run has done before it ends,
 * calls of summarizers and hooks, is held for its span; what happens outside of runs stands by itself.
 */
export class Spans {
  readonly #tracer: Tracer;
  /** Of runs that go on, by session and agent path. */
  readonly #held = new Map<string, PendingSpan[]>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  hear(event: EngineEvent): void {
    const place = placeOf(event);
    switch (event.kind) {
      case 'triggered':
        this.#held.set(runOf(event), []);
        return;
      case 'model-call':
      case 'plugin-hook': {
        const held = this.#held.get(runOf(event));
        const span = event.kind === 'model-call' ? callSpan(event) : hookSpan(event);
        if (held) held.push(span);
        else this.#write(place, span);
        return;
      }
      case 'prepared':
        return this.#write(
          place,
          spanOf('prepare', event, {
            'spillway.call': event.call,
            'spillway.tokens': event.tokens,
            'spillway.pressure': event.pressure,
            'spillway.unchanged_prefix_tokens': event.unchangedPrefixTokens,
            'spillway.run': event.run,
          }),
        );
      case 'recalled':
        return this.#write(place, spanOf('recall', event, { 'spillway.pieces': event.pieces }));
      case 'noop':
      case 'pending':
        return this.#release(event, place);
      case 'failed':
        return this.#failed(event, place, event.error);
      case 'completed':
        return this.#completed(event, place);
      default:
    }
  }

  /** Writes what was held of a run. */
  #release(event: EngineEvent, place: Attributes): void {
    const held = this.#held.get(runOf(event)) ?? [];
    this.#held.delete(runOf(event));
    for (const span of held) this.#write(place, span);
  }

  #failed(event: EngineEvent, place: Attributes, error: unknown): void {
    const { at } = event;
    const failed = this.#tracer.startSpan('spillway.compaction', { startTime: at, attributes: place });
    const { code = 'INTERNAL' } = error as { readonly code?: string };
    failed.setAttribute('error.type', code);
    context.with(trace.setSpan(context.active(), failed), () => this.#release(event, place));
    failed.setStatus({ code: SpanStatusCode.ERROR }).end(at);
  }

  #completed(event: Completed, place: Attributes): void {
    const { at, recordId, tokensBefore, tokensAfter, durationMs, stageMs } = event;
    const begun = at - durationMs;
    const compaction = this.#tracer.startSpan('spillway.compaction', {
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
        const attributes = { 'spillway.stage': stage };
        this.#write(place, { name: 'spillway.stage', from, to: from + ms, attributes });
        from += ms;
      }
      this.#release(event, place);
      const attributes = { 'spillway.record': recordId };
      this.#write(place, { name: 'spillway.commit', from: at, to: at, attributes });
    });
    compaction.end(at);
  }

  #write(place: Attributes, { name, from, to, attributes }: PendingSpan): void {
    this.#tracer.startSpan(name, { startTime: from, attributes: { ...place, ...attributes } }).end(to);
  }
}

const runOf = ({ sessionId, agentPath }: EngineEvent): string => JSON.stringify([sessionId, agentPath]);

function placeOf({ sessionId, agentPath, model }: EngineEvent): Attributes {
  return { [CONVERSATION]: sessionId, [AGENT]: agentPath, ...(model !== null && { [MODEL]: model }) };
}

/** What took so long until it was told. */
const spanOf = (
  name: string,
  { at, durationMs }: { readonly at: number; readonly durationMs: number },
  attributes: Attributes,
): PendingSpan => ({ name: `spillway.${name}`, from: at - durationMs, to: at, attributes });

function callSpan({ at, call }: EngineEvent & { readonly kind: 'model-call' }): PendingSpan {
  const { endpoint, model, outcome, durationMs, inputTokens, outputTokens } = boughtText(call);
  return spanOf(
    'summarize',
    { at, durationMs },
    {
      'gen_ai.operation.name': 'chat',
      'server.address': endpoint,
      'spillway.outcome': outcome,
      ...(model !== undefined && { 'gen_ai.response.model': model }),
      ...(inputTokens !== undefined && { 'gen_ai.usage.input_tokens': inputTokens }),
      ...(outputTokens !== undefined && { 'gen_ai.usage.output_tokens': outputTokens }),
    },
  );
}

function hookSpan(event: EngineEvent & { readonly kind: 'plugin-hook' }): PendingSpan {
  const { plugin, hook, outcome } = event;
  const attributes = { 'spillway.plugin': plugin, 'spillway.hook': hook, 'spillway.outcome': outcome };
  return spanOf('plugin_hook', event, attributes);
}
