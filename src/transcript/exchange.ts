import { isToolCall, isToolResult, type LogMessage, type Part } from './message.js';

/**
 * The atomic unit of compaction: one assistant step with all its calls and their results, or one plain message. Its
 * messages need not be adjacent: a user may write between a call and its result. The result of a provider's own tool is
 * in an assistant message: in that of its call or, if the provider paused between the two, in a later message, which
 * joins the step. Calls that a provider's program makes meanwhile join the step too.
 *
 * A result that arrives after the model's next message (`stray`) is an exchange of its own: requests that showed its
 * call without it have been sent, so the two can no longer be made one without rewriting history.
 */
export interface Exchange {
  readonly index: number;
  readonly kind: 'plain' | 'step' | 'stray';
  /** Log positions of the exchange's messages, ascending. */
  readonly seqs: readonly number[];
  /** Number of calls without a result, by id: models sometimes give two calls of one message the same id. */
  readonly unanswered: ReadonlyMap<string, number>;
  /** Unanswered calls of tools that the provider runs itself; the provider continues at its pause. */
  readonly paused: ReadonlySet<string>;
}

/** From one user message to the next. */
export interface Turn {
  readonly index: number;
  /** Log position of the user message that begins the turn; 0 for the messages before the first user message. */
  readonly from: number;
}

interface GrowingExchange extends Exchange {
  readonly seqs: number[];
  readonly unanswered: Map<string, number>;
  readonly paused: Set<string>;
}

/** Groups messages into exchanges as they are appended; each append costs its own message only. */
export class ExchangeIndex {
  readonly #exchanges: GrowingExchange[] = [];
  /** Exchange index by log position. */
  readonly #indexBySeq: number[] = [];
  /** The newest step, until the model's next message: results may still join it. */
  #step: GrowingExchange | undefined;
  /** Steps in which the provider paused, by the ids of their unanswered calls. */
  readonly #pausedSteps = new Map<string, GrowingExchange>();

  get all(): readonly Exchange[] {
    return this.#exchanges;
  }

  /** The exchange a log position belongs to. Throws `RangeError` if there is no such position. */
  of(seq: number): Exchange {
    const exchange = this.#exchanges[this.#indexBySeq[seq] ?? -1];
    if (!exchange) throw new RangeError(`no exchange at log position ${seq}`);
    return exchange;
  }

  /** Returns the exchange that the message joined or began. Messages must be in order of the log. */
  append(message: LogMessage): Exchange {
    const exchange = this.#join(message) ?? this.#begin(message);
    if (message.role === 'assistant') this.#takeCalls(exchange, message);
    return exchange;
  }

  #begin(message: LogMessage): GrowingExchange {
    const isAssistant = message.role === 'assistant';
    const exchange: GrowingExchange = {
      index: this.#exchanges.length,
      kind: isAssistant ? (isStep(message) ? 'step' : 'plain') : isStray(message) ? 'stray' : 'plain',
      seqs: [message.seq],
      unanswered: new Map(),
      paused: new Set(),
    };
    this.#exchanges.push(exchange);
    this.#indexBySeq[message.seq] = exchange.index;
    return exchange;
  }

  /** A provider-executed tool answers inside the assistant message itself, or in a later one. */
  #takeCalls(exchange: GrowingExchange, { parts }: LogMessage): void {
    for (const { callId } of parts.filter(isToolCall))
      exchange.unanswered.set(callId, (exchange.unanswered.get(callId) ?? 0) + 1);
    for (const { callId } of parts.filter(isToolResult)) answer(exchange, callId);
    for (const id of pausedIn(parts)) {
      exchange.paused.add(id);
      this.#pausedSteps.set(id, exchange);
    }
    this.#step = exchange.kind === 'step' ? exchange : undefined;
  }

  /** Joins a message to the newest step if it brings results or an approval for that step's calls. */
  #join(message: LogMessage): GrowingExchange | undefined {
    if (message.role === 'assistant') return this.#joinPaused(message);
    const step = this.#step;
    if (!step) return undefined;
    const brought = message.parts.filter(isToolResult);
    const results = brought.filter((part) => step.unanswered.has(part.callId));
    const isApproval = message.role === 'tool' && brought.length === 0;
    if (results.length === 0 && !isApproval) return undefined;
    for (const part of results) answer(step, part.callId);
    return this.#addTo(step, message);
  }

  /** Joins a message that continues after a pause: alone, it has results without calls, or calls without a program. */
  #joinPaused(message: LogMessage): GrowingExchange | undefined {
    let [step] = makersIn(message.parts).flatMap((id) => this.#pausedSteps.get(id) ?? []);
    for (const id of answeredIn(message.parts)) {
      const paused = this.#pausedSteps.get(id);
      if (!paused) continue;
      paused.paused.delete(id);
      this.#pausedSteps.delete(id);
      step ??= paused;
    }
    return step && this.#addTo(step, message);
  }

  #addTo(step: GrowingExchange, { seq }: LogMessage): GrowingExchange {
    step.seqs.push(seq);
    this.#indexBySeq[seq] = step.index;
    return step;
  }
}

const isStray = ({ parts }: LogMessage): boolean => parts.some(isToolResult);

/** Whether a model's message waits for results, from tools of the host or of the provider. */
export const isStep = ({ parts }: LogMessage): boolean =>
  parts.some(isToolCall) || pausedIn(parts).length > 0;

const answeredIn = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap((part) => (part.type === 'opaque' && part.answers !== undefined ? [part.answers] : []));

/** Ids of the provider's programs that make calls of a message. */
const makersIn = (parts: readonly Part[]): readonly string[] =>
  parts.flatMap((part) => (isToolCall(part) && part.by !== undefined ? [part.by] : []));

/** Ids of provider calls that a message leaves open: without a result, and after its last text or making calls. */
function pausedIn(parts: readonly Part[]): readonly string[] {
  const answered = answeredIn(parts);
  const makers = makersIn(parts);
  const spoken = parts.findLastIndex(isNonEmptyText);
  return parts.flatMap((part, at) => {
    const id = part.type === 'opaque' ? part.calls : undefined;
    return id !== undefined && !answered.includes(id) && (at > spoken || makers.includes(id)) ? [id] : [];
  });
}

const isNonEmptyText = (part: Part): boolean => part.type === 'text' && part.text !== '';

function answer({ unanswered }: GrowingExchange, callId: string): void {
  const waiting = unanswered.get(callId) ?? 0;
  if (waiting > 1) unanswered.set(callId, waiting - 1);
  else unanswered.delete(callId);
}
