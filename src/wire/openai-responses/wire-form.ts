import type { Notice } from '../../spi/index.js';
import type { ToolResultPart } from '../../transcript/index.js';
import type { DraftedAnswer, DraftedCall } from '../conversation/pairing.js';
import type { CallKind } from './call-kinds.js';
import type { Item } from './wire.js';

export interface DraftCall extends DraftedCall {
  /** The id on the wire, unless an earlier call has it. */
  readonly wireId: string;
  readonly kind: CallKind;
}

/** One item that goes out, and the call it makes, if it makes one. */
export interface Entry {
  readonly item: Item;
  readonly call?: DraftCall;
}

export interface DraftResult extends DraftedAnswer {
  readonly part: ToolResultPart;
  readonly item: Item;
  readonly kind: CallKind;
}

/** What a message becomes on the wire by itself. */
export interface WireForm {
  /** The body's system prompt, which is no item. */
  readonly instructions?: string;
  readonly entries: readonly Entry[];
  readonly results: readonly DraftResult[];
  readonly notices: readonly Notice[];
}
