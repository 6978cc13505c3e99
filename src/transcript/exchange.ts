import { isToolCall, isToolResult, type LogMessage, type Part } from './message.js';

/**
 * The atomic unit of compaction: one assistant step with all its calls and their results, or one plain message.
 * Its messages need not be neighbours: a user may speak between a call and its result. What a tool of the provider's
 * answers stands in an assistant's message: in that of its call, or, where the provider paused between the two, in a later
 * one, which joins the step; so do the calls that a program of the provider's makes meanwhile.
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
  /** Calls to tools that the provider runs itself, as long as they have no result: it goes on where it stopped. */
  readonly paused: ReadonlySet<string>;
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
  readonly paused: Set<string>;
}

/** Groups messages into exchanges as they are appended; each append costs its own message only. */
export class ExchangeIndex {
  readonly #exchanges: Growing[] = [];
  /** Exchange index by log position. */
  readonly #of: number[] = [];
  /** The step that results may still join: the newest one, until the model speaks again. */
  #step: Growing | undefined;
  /** Steps in which the provider paused, by the ids of the calls that it has not answered. */
  readonly #pausedIn = new Map<string, Growing>();

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
    const exchange = this.#join(message) ?? this.#begun(message);
    if (message.role === 'assistant') this.#takeCalls(exchange, message);
    return exchange;
  }

  #begun(message: LogMessage): Growing {
    const isAssistant = message.role === 'assistant';
    const exchange: Growing = {
      index: this.#exchanges.length,
      kind: isAssistant ? (isStep(message) ? 'step' : 'plain') : isStray(message) ? 'stray' : 'plain',
      seqs: [message.seq],
      unanswered: new Map(),
      paused: new Set(),
    };
    this.#exchanges.push(exchange);
    this.#of[message.seq] = exchange.index;
    return exchange;
  }

  /** A provider-executed tool answers inside the assistant message itself, or in a later one. */
  #takeCalls(exchange: Growing, { parts }: LogMessage): void {
    for (const { callId } of parts.filter(isToolCall))
      exchange.unanswered.set(callId, (exchange.unanswered.get(callId) ?? 0) + 1);
    for (const { callId } of parts.filter(isToolResult)) answer(exchange, callId);
    for (const id of pausedIn(parts)) {
      exchange.paused.add(id);
      this.#pausedIn.set(id, exchange);
    }
    this.#step = exchange.kind === 'step' ? exchange : undefined;
  }

  /** A message that brings results for the newest step becomes part of it, and so does a yes or no to one of its calls. */
  #join(message: LogMessage): Growing | undefined {
    if (message.role === 'assistant') return this.#joinPaused(message);
    const step = this.#step;
    if (!step) return undefined;
    const brought = message.parts.filter(isToolResult);
    const results = brought.filter((part) => step.unanswered.has(part.callId));
    const isApproval = message.role === 'tool' && brought.length === 0;
    if (results.length === 0 && !isApproval) return undefined;
    for (const part of results) answer(step, part.callId);
    return this.#joined(step, message);
  }

  /** Where the provider goes on from a pause: alone, results would stand without their calls, and calls without their program. */
  #joinPaused(message: LogMessage): Growing | undefined {
    let [step] = makersIn(message.parts).flatMap((id) => this.#pausedIn.get(id) ?? []);
    for (const id of answeredIn(message.parts)) {
      const paused = this.#pausedIn.get(id);
      if (!paused) continue;
      paused.paused.delete(id);
      this.#pausedIn.delete(id);
      step ??= paused;
    }
    return step && this.#joined(step, message);
  }

  #joined(step: Growing, { seq }: LogMessage): Growing {
    step.seqs.push(seq);
    this.#of[seq] = step.index;
    return step;
  }
}

const isStray = ({ parts }: LogMessage): boolean => parts.some(isToolResult);

/** Whether a message of the model waits for results, of its host's tools or of its provider's. */
export const isStep = ({ parts }: LogMessage): boolean =>
  parts.some(isToolCall) || pausedIn(parts).length > 0;

const answeredIn = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap((part) => (part.type === 'opaque' && part.answers !== undefined ? [part.answers] : []));

/** Programs of the provider's that make calls of a message. */
const makersIn = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap((part) => (isToolCall(part) && part.by !== undefined ? [part.by] : []));

/** Calls to tools of the provider's that a message leaves open: it holds no result of them, and no words behind them unless they call. */
function pausedIn(parts: readonly Part[]): readonly string[] {
  const answered = answeredIn(parts);
  const makers = makersIn(parts);
  const spoken = parts.findLastIndex(isSpoken);
  return parts.flatMap((part, at) => {
    const id = part.type === 'opaque' ? part.calls : undefined;
    return id !== undefined && !answered.includes(id) && (at > spoken || makers.includes(id)) ? [id] : [];
  });
}

const isSpoken = (part: Part): boolean => part.type === 'text' && part.text !== '';

function answer({ unanswered }: Growing, callId: string): void {
  const waiting = unanswered.get(callId) ?? 0;
  if (waiting > 1) unanswered.set(callId, waiting - 1);
  else unanswered.delete(callId);
}
