import type { Notice, RequestWriter } from '../../spi/index.js';
import type { Message, ViewMessage } from '../../transcript/index.js';
import { CallBook } from './call-book.js';
import { writeStep } from './step.js';

/** A call as its step waits for it. */
export interface DraftCall {
  /** The id that answers name. */
  readonly callId: string;
  /** The id on the wire: another one where two calls of the message shared theirs. */
  readonly wireId: string;
  readonly tool: string;
  /** Nothing is missing where it is never answered: a request for approval. */
  readonly optional?: boolean;
}

/** One result, or whatever else belongs right behind its call, as the format writes it. */
export interface Answer<Item = unknown> {
  readonly callId: string;
  /** The format's own. */
  readonly item: Item;
  /** It means nothing without its call: a yes to a question that is not there. */
  readonly bound?: boolean;
}

/** One view message on the wire, legal by itself; what depends on its neighbours is decided in `step.ts`. */
export interface Draft<Item = unknown> {
  /** What it says, beside its answers; absent where it says nothing. */
  readonly message?: unknown;
  readonly calls: readonly DraftCall[];
  readonly answers: readonly Answer<Item>[];
  /** The message that holds exactly these answers, as it came in. */
  readonly whole?: unknown;
  /** The message they came in, whatever was edited since: its other fields stay. */
  readonly frame?: unknown;
  readonly notices: readonly Notice[];
}

/** How one format writes what this folder pairs. Drafts are kept by message object: `draft` must be pure. */
export interface StepDialect<Item = unknown> {
  draft(shown: ViewMessage): Draft<Item>;
  /** Messages that hold these answers, each with the call that it answers. */
  answered(pairs: readonly (readonly [Answer<Item>, DraftCall])[], draft: Draft<Item>): readonly unknown[];
  /** Stands for results that never came. */
  unanswered(calls: readonly DraftCall[]): readonly unknown[];
  /** An answer that no call waits for, as words of the user. */
  stray(label: string, answer: Answer<Item>): unknown;
}

/** A step already written: where it ends in the view, and where each list stood before it. */
interface Written {
  readonly to: number;
  readonly messages: number;
  readonly notices: number;
  readonly mark: number;
}

/** Redoes only the steps that a change touches; `write(view, 0)` redoes everything. */
export function createStepWriter<Item>(
  dialect: StepDialect<Item>,
  drafts: WeakMap<Message, Draft<Item>>,
): RequestWriter {
  const book = new CallBook();
  const steps: Written[] = [];
  const messages: unknown[] = [];
  const notices: Notice[] = [];
  let length = 0;

  const draftOf = (shown: ViewMessage): Draft<Item> => {
    const known = drafts.get(shown.message);
    if (known) return known;
    const draft = dialect.draft(shown);
    drafts.set(shown.message, draft);
    return draft;
  };

  /** A step stands only while the assistant message that closed it does. Returns where to go on in the view. */
  function rewind(unchanged: number): number {
    while (steps.length > 0 && steps.at(-1)!.to >= unchanged) {
      const step = steps.pop()!;
      messages.length = step.messages;
      notices.length = step.notices;
      book.rollBack(step.mark);
    }
    return steps.at(-1)?.to ?? 0;
  }

  return {
    write(view, unchangedUpTo) {
      let from = rewind(Math.min(unchangedUpTo, length, view.length));
      length = 0; // should anything below throw, the next write starts over
      while (from < view.length) {
        const to = endOfStep(view, from);
        steps.push({ to, messages: messages.length, notices: notices.length, mark: book.mark });
        const step = view.slice(from, to).map((shown) => ({ shown, draft: draftOf(shown) }));
        writeStep(step, to === view.length, { book, messages, notices, dialect });
        from = to;
      }
      length = view.length;
      return { messages: messages.slice(), notices: notices.slice() };
    },
  };
}

function endOfStep(view: readonly ViewMessage[], from: number): number {
  let to = from + 1;
  while (to < view.length && view[to]!.message.role !== 'assistant') to++;
  return to;
}
