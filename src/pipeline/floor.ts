import type { TranscriptView, ViewExchange } from '../spi/index.js';
import type { Floor, PinnedMessage, Size } from '../transcript/index.js';

/** Smallest a fresh result can be cut to and still say what it is, in tokens. */
export const SMALLEST_RESULT = 48;

/**
 * What no run may take out of the view, computed before anything is planned or paid for. Counted tokens. `reminders`: pins
 * that can go all the same.
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
    } else if (exchange.protection === 'unanswered') parts.unansweredUser += smallest(exchange);
    else if (exchange.protection === 'open') parts.openExchange += exchange.tokens;
    else if (exchange.protection === 'held') parts.holds += exchange.tokens;
    else if (exchange.unseen) parts.unseen += smallest(exchange);
  }
  // Pins are cut to their share, and none below what still says what it is.
  parts.pins = Math.max(leastPins, Math.min(parts.pins, pinShare));
  const total = Object.values(parts).reduce((sum, tokens) => sum + tokens, 0);
  return { total, parts };
}

/** Least bytes of what `SMALLEST_RESULT` tokens say. */
const SMALLEST_BYTES = 4 * SMALLEST_RESULT;

/** The floor in what is no tokens. */
export type BytesAndImages = Pick<Size, 'bytes' | 'images'>;

/** Bytes and images that no run may take out: of pins their pictures may go, of fresh results all but a line. */
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

/** A fresh exchange with its results cut as far as they can be; calls keep their names and keys. */
function smallest(exchange: ViewExchange): number {
  let tokens = 0;
  for (const shown of exchange.messages) {
    tokens += shown.size.tokens;
    shown.message.parts.forEach((part, i) => {
      const size = shown.size.parts[i]?.tokens ?? 0;
      const isCuttable = part.type === 'tool-result' || (part.type === 'tool-call' && !exchange.protection);
      if (isCuttable && exchange.unseen) tokens -= Math.max(0, size - SMALLEST_RESULT);
      // Prose of a step that has been sent can be cut too, but reasoning and words of the model stay as they are.
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

/** What stayed because it is pinned, and how much of it: the record says so, message by message. */
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
