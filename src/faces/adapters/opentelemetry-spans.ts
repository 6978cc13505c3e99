import { context, SpanStatusCode, trace, type Attributes, type Span, type Tracer } from '@opentelemetry/api';
import { boughtText } from '../../pressure/index.js';
import type { EngineEvent } from '../../session/index.js';

/** Names from OpenTelemetry's conventions for generative AI. */
const CONVERSATION = 'gen_ai.conversation.id';
const AGENT = 'gen_ai.agent.name';
export const MODEL = 'gen_ai.request.model';

type EventOf<Kind extends EngineEvent['kind']> = EngineEvent & { readonly kind: Kind };

/**
 * Writes each span after the operation has ended, so the engine never waits for a span. Spans of a run's stages, hooks
 * and summarizer calls are children of the run's span; operations outside of runs have no run as parent.
 */
export class Spans {
  readonly #tracer: Tracer;
  /** Spans of unfinished runs, by session and agent path. */
  readonly #runs = new Map<string, Span>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  record(event: EngineEvent): void {
    switch (event.kind) {
      case 'triggered':
        return this.#startRun(event, event.at);
      case 'model-call':
        return this.#writeCall(event);
      case 'plugin-hook':
        return this.#write(event, 'plugin_hook', event.durationMs, {
          'spillway.plugin': event.plugin,
          'spillway.hook': event.hook,
          'spillway.outcome': event.outcome,
        });
      case 'prepared':
        return this.#write(event, 'prepare', event.durationMs, {
          'spillway.call': event.call,
          'spillway.tokens': event.tokens,
          'spillway.pressure': event.pressure,
          'spillway.unchanged_prefix_tokens': event.unchangedPrefixTokens,
          'spillway.run': event.run,
        });
      case 'recalled':
        return this.#write(event, 'recall', event.durationMs, { 'spillway.pieces': event.pieces });
      case 'completed':
        return this.#writeRun(event);
      case 'noop':
      case 'pending':
        return this.#endRun(event, {});
      case 'failed': {
        const { code = 'INTERNAL' } = event.error as { readonly code?: string };
        this.#startRun(event, event.at);
        return this.#endRun(event, { 'error.type': code }, SpanStatusCode.ERROR);
      }
      default:
    }
  }

  #writeCall(event: EventOf<'model-call'>): void {
    const { endpoint, model, outcome, durationMs, inputTokens, outputTokens } = boughtText(event.call);
    this.#write(event, 'summarize', durationMs, {
      'gen_ai.operation.name': 'chat',
      'server.address': endpoint,
      'spillway.outcome': outcome,
      ...(model !== undefined && { 'gen_ai.response.model': model }),
      ...(inputTokens !== undefined && { 'gen_ai.usage.input_tokens': inputTokens }),
      ...(outputTokens !== undefined && { 'gen_ai.usage.output_tokens': outputTokens }),
    });
  }

  #writeRun(event: EventOf<'completed'>): void {
    const { at, recordId, tokensBefore, tokensAfter, durationMs, stageMs } = event;
    let from = at - durationMs;
    this.#startRun(event, from);
    for (const [stage, ms] of Object.entries(stageMs)) {
      this.#start(event, 'stage', from, { 'spillway.stage': stage }).end(from + ms);
      from += ms;
    }
    this.#write(event, 'commit', 0, { 'spillway.record': recordId });
    this.#endRun(event, {
      'spillway.record': recordId,
      'spillway.tokens.before': tokensBefore,
      'spillway.tokens.after': tokensAfter,
    });
  }

  /** Starts the span of a run. A pass of snip alone has no `triggered` event, so its span starts with `completed`. */
  #startRun(event: EngineEvent, at: number): void {
    if (!this.#runs.has(runOf(event))) this.#runs.set(runOf(event), this.#start(event, 'compaction', at));
  }

  /** Ends the span of a run, with its outcome. */
  #endRun(event: EngineEvent, attributes: Attributes, code = SpanStatusCode.UNSET): void {
    const run = this.#runs.get(runOf(event));
    this.#runs.delete(runOf(event));
    run
      ?.setAttributes({ 'spillway.outcome': event.kind, ...attributes })
      .setStatus({ code })
      .end(event.at);
  }

  /** Writes a span that ends at the event and started `durationMs` earlier. */
  #write(event: EngineEvent, name: string, durationMs: number, attributes: Attributes): void {
    this.#start(event, name, event.at - durationMs, attributes).end(event.at);
  }

  #start(event: EngineEvent, name: string, startTime: number, attributes: Attributes = {}): Span {
    const { sessionId, agentPath, model } = event;
    const place = {
      [CONVERSATION]: sessionId,
      [AGENT]: agentPath,
      ...(model !== null && { [MODEL]: model }),
    };
    const run = this.#runs.get(runOf(event));
    return this.#tracer.startSpan(
      `spillway.${name}`,
      { startTime, attributes: { ...place, ...attributes } },
      run ? trace.setSpan(context.active(), run) : context.active(),
    );
  }
}

const runOf = ({ sessionId, agentPath }: EngineEvent): string => JSON.stringify([sessionId, agentPath]);
