import type { Notice, RequestWriter } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { CallBook } from './call-book.js';

/** Where finished messages and notices go. */
export interface Outbox {
  readonly messages: unknown[];
  readonly notices: Notice[];
}

/** Writes the step from `from` (inclusive) to `to` (exclusive) of a view; may look at nothing behind it. */
export type WriteStep = (
  view: readonly ViewMessage[],
  from: number,
  to: number,
  book: CallBook,
  out: Outbox,
) => void;

/** A step already written: where it ends in the view, and where each list stood before it. */
interface Written {
  readonly to: number;
  readonly messages: number;
  readonly notices: number;
  readonly mark: number;
}

/** Redoes only the steps that a change touches; `write(view, 0)` redoes everything. */
export function createRewriter(writeStep: WriteStep): RequestWriter {
  const book = new CallBook();
  const steps: Written[] = [];
  const messages: unknown[] = [];
  const notices: Notice[] = [];
  let length = 0;

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
        writeStep(view, from, to, book, { messages, notices });
        from = to;
      }
      length = view.length;
      return { messages: messages.slice(), notices: notices.slice() };
    },
  };
}

/** Where the step that begins at `from` ends: before the next message of the assistant. */
export function endOfStep(view: readonly ViewMessage[], from: number): number {
  let to = from + 1;
  while (to < view.length && view[to]!.message.role !== 'assistant') to++;
  return to;
}
