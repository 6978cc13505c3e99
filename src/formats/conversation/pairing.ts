import type { Notice } from '../../spi/index.js';
import { wellFormed } from './drafts.js';
import { lateResult, ORPHAN_RESULT, secondResult } from './placeholders.js';
import { type Report, reporter } from './repairs.js';

/** A call, with the id by which the results of its step refer to it. */
export interface DraftedCall {
  readonly callId: string;
  readonly tool: string;
  /** Whether the call may stay unanswered: a request for approval. */
  readonly isOptional?: boolean;
}

/** A result, or any other answer that belongs directly after its call. */
export interface DraftedAnswer {
  readonly callId: string;
  /** Whether the answer is meaningless without its call: an approval without its request. */
  readonly needsCall?: boolean;
  /** Whether the call may be missing from this request, because the server keeps it. */
  readonly mayLackCall?: boolean;
}

/** A view message as pairing needs it; a format's own draft adds its details of calls and answers. */
export interface Drafted<
  Call extends DraftedCall = DraftedCall,
  Answer extends DraftedAnswer = DraftedAnswer,
> {
  /** The message's id, for notices. */
  readonly id: string;
  readonly role: string;
  readonly calls: readonly Call[];
  readonly answers: readonly Answer[];
  /** Whether the message has content in addition to its answers. */
  readonly hasContent: boolean;
  readonly notices: readonly Notice[];
}

/** The types of calls and answers in a format's draft. */
export type CallOf<Draft extends Drafted> = Draft['calls'][number];
export type AnswerOf<Draft extends Drafted> = Draft['answers'][number];

/** A call of the step, and whether an answer to it was found. */
export interface WaitingCall<Call> {
  readonly call: Call;
  answered: boolean;
}

/** The outcome for one answer: matched with a call of its step, sent as text after a label, or sent as it is. */
export type Paired<Draft extends Drafted> =
  | {
      readonly kind: 'matched';
      readonly answer: AnswerOf<Draft>;
      readonly waiting: WaitingCall<CallOf<Draft>>;
      readonly isDisplaced: boolean;
    }
  | { readonly kind: 'unmatched'; readonly answer: AnswerOf<Draft>; readonly label: string }
  | { readonly kind: 'elsewhere'; readonly answer: AnswerOf<Draft> };

/** One step: an assistant message and everything up to the next one. The first step of a view may lack its head. */
export interface PairedStep<Draft extends Drafted> {
  readonly head: Draft | undefined;
  /** In the order in which the head makes them. */
  readonly waiting: readonly WaitingCall<CallOf<Draft>>[];
  /** Includes the head. */
  readonly drafts: readonly { readonly draft: Draft; readonly paired: readonly Paired<Draft>[] }[];
  /** Whether the step ends the view. */
  readonly isLast: boolean;
}

/**
 * Pairs the calls and results of a whole view, step by step. An answer belongs to the first unanswered call of its id
 * in its own step. Any other answer is late, a second one, or an orphan; a notice tells which. Pairing never looks past
 * the next assistant message, so that a longer log extends the bytes of a shorter one.
 */
export function* pairedSteps<Draft extends Drafted>(
  drafts: readonly Draft[],
  notices: Notice[],
  past = new PastCalls(),
): Generator<PairedStep<Draft>> {
  for (let from = 0; from < drafts.length;) {
    let to = from + 1;
    while (to < drafts.length && drafts[to]!.role !== 'assistant') to++;
    past.begin();
    const step = pairStep(drafts.slice(from, to), to === drafts.length, past, notices);
    yield step;
    for (const { call, answered } of step.waiting) past.set(call.callId, { tool: call.tool, answered });
    from = to;
  }
}

interface PastCall {
  readonly tool: string;
  readonly answered: boolean;
}

/** The calls of earlier steps, by id. The newest step can be taken back, because it is paired again as it grows. */
export class PastCalls {
  readonly #before = new Map<string, PastCall>();
  readonly #newest = new Map<string, PastCall>();

  /** Begins a step: calls that were set so far can no longer be taken back. */
  begin(): void {
    for (const [callId, call] of this.#newest) this.#before.set(callId, call);
    this.#newest.clear();
  }

  /** Forgets the calls that the newest step set. */
  forgetNewest(): void {
    this.#newest.clear();
  }

  clear(): void {
    this.#before.clear();
    this.#newest.clear();
  }

  get(callId: string): PastCall | undefined {
    return this.#newest.get(callId) ?? this.#before.get(callId);
  }

  set(callId: string, call: PastCall): void {
    this.#newest.set(callId, call);
  }
}

function pairStep<Draft extends Drafted>(
  step: readonly Draft[],
  isLast: boolean,
  past: PastCalls,
  notices: Notice[],
): PairedStep<Draft> {
  const head = step[0]!.role === 'assistant' ? step[0] : undefined;
  const waiting = (head?.calls ?? []).map((call): WaitingCall<CallOf<Draft>> => ({ call, answered: false }));
  const byId = new Map<string, { readonly all: WaitingCall<CallOf<Draft>>[]; next: number }>();
  for (const one of waiting) {
    const same = byId.get(one.call.callId);
    if (same) same.all.push(one);
    else byId.set(one.call.callId, { all: [one], next: 0 });
  }
  let spoken = false;
  const drafts = step.map((draft) => {
    notices.push(...draft.notices);
    const report = reporter(draft.id, notices);
    const paired: Paired<Draft>[] = [];
    for (const answer of draft.answers) {
      const same = byId.get(answer.callId);
      const found = same?.all[same.next];
      if (found) {
        same.next++;
        found.answered = true;
        paired.push({ kind: 'matched', answer, waiting: found, isDisplaced: spoken });
      } else if (answer.needsCall) {
        report('orphan-approval', 'it answers a question that is not there; not sent');
      } else if (answer.mayLackCall && !same && !past.get(answer.callId)) {
        paired.push({ kind: 'elsewhere', answer });
      } else {
        const tool = same?.all[0]!.call.tool;
        const label = wellFormed(labelOf(answer.callId, tool, past, report));
        paired.push({ kind: 'unmatched', answer, label });
        spoken = true;
      }
    }
    if (draft !== head && draft.hasContent) spoken = true;
    return { draft, paired };
  });
  return { head, waiting, drafts, isLast };
}

/** The label of a result without a waiting call; `tool` is that of an answered call of the result's own step. */
function labelOf(callId: string, tool: string | undefined, past: PastCalls, report: Report): string {
  const call = tool === undefined ? past.get(callId) : { tool, answered: true };
  if (!call) {
    report('orphan-result', `no call ${callId} precedes it; sent as a user message`);
    return ORPHAN_RESULT;
  }
  if (call.answered) {
    report('duplicate-result', `call ${callId} to ${call.tool} already has a result; sent as a user message`);
    return secondResult(callId, call.tool);
  }
  past.set(callId, { tool: call.tool, answered: true });
  report('late-result', `call ${callId} to ${call.tool} was over when it came; sent as a user message`);
  return lateResult(callId, call.tool);
}

/** Unanswered calls of a step that is over, each with a notice. */
export function interruptedCalls<Draft extends Drafted>(
  { head, waiting }: PairedStep<Draft>,
  notices: Notice[],
): CallOf<Draft>[] {
  return waiting.flatMap(({ call, answered }) => {
    if (answered || call.isOptional) return [];
    reporter(head!.id, notices)('interrupted-call', `call ${call.callId} to ${call.tool} has no result`);
    return [call];
  });
}
