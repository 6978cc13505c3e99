import type { Message, MessageSize, Part, Size } from './message.js';

/**
 * A place where a model could write better text than the deterministic one that stands in the edit.
 * Filling it is optional; what it may say and how long it may be is not.
 */
export interface Slot {
  /** Log ids of the first and last message whose originals the text speaks for. */
  readonly fromId: string;
  readonly toId: string;
  /** Name of the prompt file, e.g. `micro`. */
  readonly prompt: string;
  readonly maxTokens: number;
  /** Something stands for the span already, and the text may be longer than it: there was no room for more before. */
  readonly grows?: boolean;
}

/**
 * The content of one part gives way to zero or more parts. Ids, names and order stay:
 * a tool result keeps its call id and gets this content; a tool call keeps id and name and gets this as its arguments.
 */
export interface Replace {
  readonly kind: 'replace';
  readonly messageId: string;
  readonly partIndex: number;
  readonly content: readonly Part[];
  readonly reason: string;
  readonly slot?: Slot;
}

/**
 * A span of the log gives way to zero or more messages. Pins inside it stay, after the replacement, unless it is a pin and
 * nothing else.
 */
export interface Supersede {
  readonly kind: 'supersede';
  readonly fromId: string;
  readonly toId: string;
  readonly replacement: readonly Message[];
  readonly reason: string;
  readonly slot?: Slot;
}

/** What a stage may propose; there is no third kind. */
export type Edit = Replace | Supersede;

/** An edit that passed the guard: who made it, and what its new content costs, measured by the pipeline. */
export type PlannedEdit =
  | (Replace & { readonly stage: string; readonly size: Size })
  | (Supersede & { readonly stage: string; readonly sizes: readonly MessageSize[] });

/** Ids of the first and the last message that an edit changes. */
export const endsOf = (edit: Edit): readonly [first: string, last: string] =>
  edit.kind === 'replace' ? [edit.messageId, edit.messageId] : [edit.fromId, edit.toId];
