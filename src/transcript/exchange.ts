import { isToolCall, isToolResult, type LogMessage } from './message.js';

/**
 * The atomic unit of compaction: one assistant step with all its calls and their results, or one plain message.
 * Its messages need not be neighbours: a user may speak between a call and its result.
 *
 * A result that arrives after the model has already spoken again (`stray`) is an exchange of its own: requests
 * that showed its call without it have been sent, so the two can no longer be made one without rewriting history.
 */
export interface Exchange {
  readonly index: number;
  readonly kind: 'plain' | 'step' | 'stray';
  /** Log positions of its messages, ascending. */
  readonly seqs: readonly number[];
  /** Calls that have no result yet, by id: models sometimes give two calls of one message the same id. */
  readonly unanswered: ReadonlyMap<string, number>;
}

/** From one user message to the next. */
export interface Turn {
  readonly index: number;
  /** Log position of the user message that begins it; 0 for what precedes the first. */
  readonly from: number;
}

interface Growing extends Exchange {
  readonly seqs: number[];
  readonly unanswered: Map<string, number>;
}

/** Groups messages into exchanges as they are appended; each append costs its own message only. */
export class ExchangeIndex {
  readonly #exchanges: Growing[] = [];
  /** Exchange index by log position. */
  readonly #of: number[] = [];
  /** The step that results may still join: the newest one, until the model speaks again. */
  #step: Growing | undefined;

  get all(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** The exchange a log position belongs to. Throws `RangeError` where there is no such position. */
  of(seq: number): Exchange {
    const exchange = this.#exchanges[this.#of[seq] ?? -1];
    if (!exchange) throw new RangeError(`no exchange at log position ${seq}`);
    return exchange;
  }

  /** The exchange it joined or began. Messages come in order of the log. */
  append(message: LogMessage): Exchange {
    const joined = this.#join(message);
    if (joined) return joined;
    const calls = message.role === 'assistant' ? message.parts.filter(isToolCall) : [];
    const answers = message.parts.filter(isToolResult);
    const exchange: Growing = {
      index: this.#exchanges.length,
      kind:
        calls.length > 0 ? 'step' : answers.length > 0 && message.role !== 'assistant' ? 'stray' : 'plain',
      seqs: [message.seq],
      unanswered: new Map(),
    };
    for (const { callId } of calls)
      exchange.unanswered.set(callId, (exchange.unanswered.get(callId) ?? 0) + 1);
    // A provider-executed tool answers inside the assistant message itself.
    for (const { callId } of answers) answer(exchange, callId);
    this.#exchanges.push(exchange);
    this.#of[message.seq] = exchange.index;
    if (message.role === 'assistant') this.#step = calls.length > 0 ? exchange : undefined;
    return exchange;
  }

  /** A message that brings results for the newest step becomes part of it, and so does a yes or no to one of its calls. */
  #join(message: LogMessage): Exchange | undefined {
    const step = this.#step;
    if (!step || message.role === 'assistant') return undefined;
    const brought = message.parts.filter(isToolResult);
    const results = brought.filter((part) => step.unanswered.has(part.callId));
    const isApproval = message.role === 'tool' && brought.length === 0;
    if (results.length === 0 && !isApproval) return undefined;
    for (const part of results) answer(step, part.callId);
    step.seqs.push(message.seq);
    this.#of[message.seq] = step.index;
    return step;
  }
}

function answer({ unanswered }: Growing, callId: string): void {
  const waiting = unanswered.get(callId) ?? 0;
  if (waiting > 1) unanswered.set(callId, waiting - 1);
  else unanswered.delete(callId);
}
