import type { Notice, RequestWriter } from '../../spi/index.js';
import type { Message, ViewMessage } from '../../transcript/index.js';
import { createRewriter } from './rewriter.js';
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
  /** Where everything in a view says nothing. */
  readonly silent: unknown;
}

/** The writer of a format that speaks this dialect. */
export function createStepWriter<Item>(
  dialect: StepDialect<Item>,
  drafts: WeakMap<Message, Draft<Item>>,
): RequestWriter {
  const draftOf = (shown: ViewMessage): Draft<Item> => {
    const known = drafts.get(shown.message);
    if (known) return known;
    const draft = dialect.draft(shown);
    drafts.set(shown.message, draft);
    return draft;
  };
  const writer = createRewriter((view, from, to, book, out) => {
    const step = view.slice(from, to).map((shown) => ({ shown, draft: draftOf(shown) }));
    writeStep(step, to === view.length, { book, ...out, dialect });
  });
  return {
    write(view, unchangedUpTo) {
      const written = writer.write(view, unchangedUpTo);
      const isSilent = view.length > 0 && written.messages.length === 0;
      return isSilent ? { ...written, messages: [dialect.silent] } : written;
    },
  };
}
