import type { Message, MessageSize, Part, Size } from './message.js';

/**
 * An offer for a model to write a better text than the deterministic text of the edit. Filling a slot is optional; the
 * span and the length are fixed.
 */
export interface Slot {
  /** Log ids of the first and last message whose originals the text summarizes. */
  readonly fromId: string;
  readonly toId: string;
  /** Name of the prompt file, e.g. `micro`. */
  readonly prompt: string;
  readonly maxTokens: number;
  /** A text already replaces the span, and the new text may be longer: there was no room for more before. */
  readonly grows?: boolean;
}

/**
 * Replaces the content of one part by zero or more parts. Ids, names and order stay: a tool result keeps its call id
 * and gets this content; a tool call keeps id and name and gets this as its arguments.
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
 * Replaces a span of the log by zero or more messages. Pins inside the span remain, after the replacement, unless the
 * span is a single pin.
 */
export interface Supersede {
  readonly kind: 'supersede';
  readonly fromId: string;
  readonly toId: string;
  readonly replacement: readonly Message[];
  readonly reason: string;
  readonly slot?: Slot;
}

/** The edits that a stage may propose; there is no third kind. */
export type Edit = Replace | Supersede;

/** An edit that passed the guard, with its stage and the size of its new content as the pipeline measured it. */
export type PlannedEdit =
  | (Replace & { readonly stage: string; readonly size: Size })
  | (Supersede & { readonly stage: string; readonly sizes: readonly MessageSize[] });

/** Ids of the first and the last message that an edit changes. */
export const endsOf = (edit: Edit): readonly [first: string, last: string] =>
  edit.kind === 'replace' ? [edit.messageId, edit.messageId] : [edit.fromId, edit.toId];
