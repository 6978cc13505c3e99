import type { Notice } from '../../spi/index.js';
import type { ToolResultPart } from '../../transcript/index.js';
import type { DraftedAnswer, DraftedCall } from '../conversation/pairing.js';
import type { Content, WirePart } from './wire.js';

/** `id` only where the wire has one. */
export interface DraftCall extends DraftedCall {
  readonly wireName: string;
  readonly id?: string;
}

export interface DraftResult extends DraftedAnswer {
  readonly part: ToolResultPart;
  /** The whole part, `functionResponse` and what stands beside it. */
  readonly wire: WirePart;
  /** Files that have no place in a response; they follow in the user's own turn. */
  readonly media: readonly WirePart[];
}

/** What a message becomes on the wire by itself. */
export interface WireForm {
  /** The turn itself, where it can go out as the very object that came in. */
  readonly untouched?: Content;
  /** All parts but results. */
  readonly parts: readonly WirePart[];
  readonly calls: readonly DraftCall[];
  readonly answers: readonly DraftResult[];
  readonly notices: readonly Notice[];
}
