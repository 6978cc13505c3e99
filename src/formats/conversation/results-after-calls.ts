import type { Notice, Serialised, WireFormat } from '../../spi/index.js';
import { isSigned, type ViewMessage } from '../../transcript/index.js';
import {
  interruptedCalls,
  pairedSteps,
  PastCalls,
  type AnswerOf,
  type CallOf,
  type Drafted,
  type DraftedAnswer,
  type DraftedCall,
  type PairedStep,
} from './pairing.js';
import { reporter, REPAIRS, type Report } from './repairs.js';

/** A call as these formats write it. */
export interface Call extends DraftedCall {
  /** The id on the wire: differs from `callId` if two calls of the message share that id. */
  readonly wireId: string;
}

/** A view message in a format that gives every result its own message, directly after its call. */
export interface Draft<A extends DraftedAnswer = DraftedAnswer> extends Drafted<Call, A> {
  /** The message's content in addition to its answers. */
  readonly message?: unknown;
}

/** How one format writes the steps that `pairing.ts` pairs. */
interface Layout<D extends Draft> {
  draft(shown: ViewMessage): D;
  /** Messages that hold these answers of one draft, each with the call that it answers. */
  writeAnswers(pairs: readonly Pair<D>[], draft: D, report: Report): readonly unknown[];
  /** Messages in place of results that never came. */
  writeMissing(calls: readonly Call[]): readonly unknown[];
  /** An answer without a waiting call, as the user's text. */
  writeUnmatched(label: string, answer: AnswerOf<D>): unknown;
  /** A message after the head of its step, if it is not simply `message`. */
  writeOther?(draft: D, view: readonly ViewMessage[], report: Report): unknown;
  /** A user message between the replacement of a span and signed thinking, which would otherwise become one turn. */
  readonly turnBreak: unknown;
  /** Sent for a view without any content. */
  readonly emptyView?: unknown;
}

type Pair<D extends Draft> = readonly [answer: AnswerOf<D>, call: CallOf<D>];

/**
 * Writes a view: answers directly after their calls, then all other content of the step. A step that ends the view
 * differs from the same step with a successor only by answers appended at its end.
 */
export function resultsAfterCalls<D extends Draft>(layout: Layout<D>): WireFormat['serialise'] {
  return (view, memory = {}) => {
    const writer = memory.kept instanceof Writer ? (memory.kept as Writer<D>) : new Writer(layout);
    memory.kept = writer;
    return writer.write(view);
  };
}

/** Keeps what it wrote of finished steps, as long as the view begins with the very same messages. */
class Writer<D extends Draft> {
  readonly #layout: Layout<D>;
  readonly #messages: unknown[] = [];
  readonly #notices: Notice[] = [];
  readonly #past = new PastCalls();
  #view: readonly ViewMessage[] = [];
  /** The index at which the newest step begins, in each list. */
  #stepStart = { view: 0, messages: 0, notices: 0 };

  constructor(layout: Layout<D>) {
    this.#layout = layout;
  }

  /** The result is valid until the next call. */
  write(view: readonly ViewMessage[]): Serialised {
    this.#rewindTo(view);
    const layout = this.#layout;
    const messages = this.#messages;
    const notices = this.#notices;
    const drafts = view.slice(this.#stepStart.view).map(layout.draft);
    for (const step of pairedSteps(drafts, notices, this.#past)) {
      this.#writeStep(step, view);
      const next = this.#stepStart.view + step.drafts.length;
      if (!step.isLast) this.#stepStart = { view: next, messages: messages.length, notices: notices.length };
    }
    this.#view = view.slice();
    const isSilent = view.length > 0 && messages.length === 0 && layout.emptyView !== undefined;
    return { messages: isSilent ? [layout.emptyView] : messages, notices };
  }

  /** Forgets the newest step, which may have grown; forgets everything if the view begins with other messages. */
  #rewindTo(view: readonly ViewMessage[]): void {
    this.#past.forgetNewest();
    if (!this.#hasSameStart(view)) {
      this.#past.clear();
      this.#stepStart = { view: 0, messages: 0, notices: 0 };
    }
    this.#messages.length = this.#stepStart.messages;
    this.#notices.length = this.#stepStart.notices;
  }

  /** Compares up to the first message of the newest step: if that differs, the previous step might continue. */
  #hasSameStart(view: readonly ViewMessage[]): boolean {
    const { view: end } = this.#stepStart;
    if (view.length <= end || this.#view.length <= end) return false;
    for (let i = 0; i <= end; i++) if (view[i] !== this.#view[i]) return false;
    return true;
  }

  #writeStep(step: PairedStep<D>, view: readonly ViewMessage[]): void {
    const layout = this.#layout;
    const messages = this.#messages;
    const notices = this.#notices;
    const others: unknown[] = [];
    for (const { draft, paired } of step.drafts) {
      const report = reporter(draft.id, notices);
      if (draft.message !== undefined) {
        if (draft === step.head) {
          if (thinksAfterReplacement(view, this.#stepStart.view)) messages.push(layout.turnBreak);
          messages.push(draft.message);
        } else others.push(layout.writeOther?.(draft, view, report) ?? draft.message);
      }
      const matched = paired.filter((one) => one.kind === 'matched');
      if (matched.some(({ isDisplaced }) => isDisplaced))
        report(
          'displaced-result',
          REPAIRS.displaced(matched.map(({ waiting }) => waiting.call.wireId).join(', ')),
        );
      const pairs = matched.map(({ answer, waiting }): Pair<D> => [answer, waiting.call]);
      if (pairs.length > 0) messages.push(...layout.writeAnswers(pairs, draft, report));
      for (const one of paired)
        if (one.kind === 'unmatched') others.push(layout.writeUnmatched(one.label, one.answer));
    }
    const missing = step.isLast && others.length === 0 ? [] : interruptedCalls(step, notices);
    if (missing.length > 0) messages.push(...layout.writeMissing(missing));
    for (const message of others) messages.push(message);
  }
}

/** Whether an assistant message begins with signed thinking directly after one that replaces a span. */
function thinksAfterReplacement(view: readonly ViewMessage[], at: number): boolean {
  const before = view[at - 1];
  const first = view[at]!.message.parts.find(({ type }) => type !== 'opaque');
  return !!first && isSigned(first) && before?.made !== undefined && before.message.role === 'assistant';
}
