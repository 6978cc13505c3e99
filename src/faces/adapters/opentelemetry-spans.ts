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
    const { at } = event;
    const place = placeOf(event);
    switch (event.kind) {
      case 'triggered':
        this.#held.set(runOf(event), []);
        return;
      case 'model-call':
        return this.#hold(event, callSpan(event));
      case 'plugin-hook':
        return this.#hold(event, hookSpan(event));
      case 'prepared':
        return this.#write(place, {
          name: 'spillway.prepare',
          from: at - event.durationMs,
          to: at,
          attributes: {
            'spillway.call': event.call,
            'spillway.tokens': event.tokens,
            'spillway.pressure': event.pressure,
            'spillway.unchanged_prefix_tokens': event.unchangedPrefixTokens,
            'spillway.run': event.run,
          },
        });
      case 'recalled': {
        const attributes = { 'spillway.pieces': event.pieces };
        return this.#write(place, {
          name: 'spillway.recall',
          from: at - event.durationMs,
          to: at,
          attributes,
        });
      }
      case 'noop':
      case 'pending':
        for (const held of this.#taken(event)) this.#write(place, held);
        return;
      case 'failed':
        return this.#failed(event, place, event.error);
      case 'completed':
        return this.#completed(event, place);
      default:
    }
  }

  #hold(event: EngineEvent, span: PendingSpan): void {
    const held = this.#held.get(runOf(event));
    if (held) held.push(span);
    else this.#write(placeOf(event), span);
  }

  #taken(event: EngineEvent): readonly PendingSpan[] {
    const held = this.#held.get(runOf(event)) ?? [];
    this.#held.delete(runOf(event));
    return held;
  }

  #failed(event: EngineEvent, place: Attributes, error: unknown): void {
    const { at } = event;
    const failed = this.#tracer.startSpan('spillway.compaction', { startTime: at, attributes: place });
    const { code = 'INTERNAL' } = error as { readonly code?: string };
    failed.setAttribute('error.type', code);
    context.with(trace.setSpan(context.active(), failed), () => {
      for (const held of this.#taken(event)) this.#write(place, held);
    });
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
      for (const held of this.#taken(event)) this.#write(place, held);
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

function callSpan({ at, call }: EngineEvent & { readonly kind: 'model-call' }): PendingSpan {
  const { endpoint, model, outcome, durationMs, inputTokens, outputTokens } = boughtText(call);
  return {
    name: 'spillway.summarize',
    from: at - durationMs,
    to: at,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'server.address': endpoint,
      'spillway.outcome': outcome,
      ...(model !== undefined && { 'gen_ai.response.model': model }),
      ...(inputTokens !== undefined && { 'gen_ai.usage.input_tokens': inputTokens }),
      ...(outputTokens !== undefined && { 'gen_ai.usage.output_tokens': outputTokens }),
    },
  };
}

const hookSpan = ({
  at,
  plugin,
  hook,
  outcome,
  durationMs,
}: EngineEvent & { readonly kind: 'plugin-hook' }): PendingSpan => ({
  name: 'spillway.plugin_hook',
  from: at - durationMs,
  to: at,
  attributes: { 'spillway.plugin': plugin, 'spillway.hook': hook, 'spillway.outcome': outcome },
});
