import type { TranscriptView, ViewExchange } from '../spi/index.js';
import type { Floor, PinnedMessage, Size } from '../transcript/index.js';

/** Smallest size in tokens to which a fresh result can be cut and still be recognisable. */
export const SMALLEST_RESULT = 48;

/**
 * The content that no run may remove from the view, computed before anything is planned or paid for. Counted tokens.
 * `reminders`: pins that can be removed nevertheless.
 */
export function computeFloor(
  exchanges: readonly ViewExchange[],
  toolsTokens: number,
  pinShare: number,
  reminders: ReadonlySet<ViewExchange>,
): Floor {
  const parts = { tools: toolsTokens, pins: 0, unansweredUser: 0, openExchange: 0, unseen: 0, holds: 0 };
  let leastPins = 0;
  for (const exchange of exchanges) {
    if (exchange.protection === 'pinned') {
      parts.pins += exchange.tokens;
      if (!reminders.has(exchange)) leastPins += smallestPin(exchange);
    } else if (exchange.protection === 'unanswered') parts.unansweredUser += smallestExchange(exchange);
    else if (exchange.protection === 'open') parts.openExchange += exchange.tokens;
    else if (exchange.protection === 'held') parts.holds += exchange.tokens;
    else if (exchange.unseen) parts.unseen += smallestExchange(exchange);
  }
  // Pins are cut to their share, and no pin below its smallest size.
  parts.pins = Math.max(leastPins, Math.min(parts.pins, pinShare));
  const total = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
  return { total, parts };
}

/** Bytes of a text of `SMALLEST_RESULT` tokens, at least. */
const SMALLEST_BYTES = 4 * SMALLEST_RESULT;

/** The floor in bytes and images. */
export type BytesAndImages = Pick<Size, 'bytes' | 'images'>;

/** Bytes and images that no run may remove: images of pins may go, and all of a fresh result but a line. */
export function floorBytesAndImages(
  exchanges: readonly ViewExchange[],
  fixed: BytesAndImages,
  reminders: ReadonlySet<ViewExchange>,
): BytesAndImages {
  let { bytes, images } = fixed;
  for (const exchange of exchanges) {
    const { protection, unseen, messages } = exchange;
    if ((protection === undefined && !unseen) || reminders.has(exchange)) continue;
    for (const shown of messages) {
      bytes += shown.size.bytes;
      images += shown.size.images;
      shown.message.parts.forEach((part, i) => {
        const isCuttable =
          protection === 'pinned'
            ? part.type === 'text' || part.type === 'tool-result' || part.type === 'file'
            : unseen &&
              (part.type === 'tool-result' || (part.type === 'tool-call' && !protection)) &&
              protection !== 'open' &&
              protection !== 'held';
        const size = shown.size.parts[i];
        if (!isCuttable || !size) return;
        bytes -= Math.max(0, size.bytes - SMALLEST_BYTES);
        images -= size.images;
      });
    }
  }
  return { bytes, images };
}

/** Tokens of an exchange with its fresh results cut as far as possible; calls keep their names and keys. */
function smallestExchange(exchange: ViewExchange): number {
  let tokens = 0;
  for (const shown of exchange.messages) {
    tokens += shown.size.tokens;
    shown.message.parts.forEach((part, i) => {
      const size = shown.size.parts[i]?.tokens ?? 0;
      const isCuttable = part.type === 'tool-result' || (part.type === 'tool-call' && !exchange.protection);
      if (isCuttable && exchange.unseen) tokens -= Math.max(0, size - SMALLEST_RESULT);
      // Prose of a step that was sent can be cut too, but reasoning and text of the model stay as they are.
    });
  }
  return tokens;
}

function smallestPin(exchange: ViewExchange): number {
  let tokens = exchange.tokens;
  for (const { size } of exchange.messages) {
    for (const part of size.parts) tokens -= Math.max(0, part.tokens - SMALLEST_RESULT);
  }
  return tokens;
}

/** The pinned messages in view and their sizes, for the record. */
export function pinsIn({ exchanges }: TranscriptView): PinnedMessage[] {
  return exchanges
    .filter(({ protection }) => protection === 'pinned')
    .flatMap(({ messages }) =>
      messages.map(({ source, size, replaced }) => ({
        id: source!.id,
        tokens: size.tokens,
        of: source!.size.tokens,
        cut: replaced !== undefined,
      })),
    );
}
