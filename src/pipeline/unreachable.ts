import { SpillwayError } from '../errors/index.js';
import type { Reading } from '../tokens/index.js';
import type { FloorBytesAndImages } from './floor.js';
import type { Floor, StageOutcome } from '../transcript/index.js';
/** What may never be removed does not fit. */
export interface Unreachable {
  readonly kind: 'unreachable';
  readonly error: SpillwayError;
  readonly stages: readonly StageOutcome[];
}

/** Says what the floor is made of, in what the limit is of: tokens, bytes or images. */
export function unreachable(
  floor: Floor,
  beside: FloorBytesAndImages,
  reading: Reading,
  stages: readonly StageOutcome[],
): Unreachable {
  const { budget, tokens } = reading;
  const { found, allowed, remedy } = figuresOf(floor, beside, reading, stages.length > 0);
  const error = new SpillwayError('BUDGET_UNREACHABLE', {
    subject: 'what may never be removed',
    found,
    allowed,
    remedy,
    facts: {
      floor,
      limit: budget.tokens,
      tokens,
      ...(budget.bytes !== undefined && {
        bytes: { floor: beside.bytes, limit: budget.bytes, is: reading.bytes },
      }),
      ...(budget.images !== undefined && {
        images: { floor: beside.images, limit: budget.images, is: reading.images },
      }),
    },
  });
  return { kind: 'unreachable', error, stages };
}

/** The floor is a lower bound; where it fits and the request does not, what is left (`isLeft`) says why. */
function figuresOf(
  floor: Floor,
  beside: FloorBytesAndImages,
  { budget, tokens, bytes, images, scale }: Reading,
  isLeft: boolean,
): { readonly found: string; readonly allowed: string; readonly remedy: string } {
  const least = (least: number, left: number): number => Math.max(Math.ceil(least), isLeft ? left : 0);
  const leastTokens = least(floor.total * scale, tokens);
  if (leastTokens > budget.tokens) {
    const parts = Object.entries(floor.parts).filter(([, part]) => part > 0);
    const breakdown = parts.map(([name, part]) => `${name} ${Math.round(part)}`).join(', ');
    return {
      found: `${leastTokens} tokens (${breakdown})`,
      allowed: `${budget.tokens} tokens`,
      remedy: 'Use a larger window, shorten the message or the tool definitions, or release pins and holds.',
    };
  }
  const leastBytes = least(beside.bytes, bytes);
  if (budget.bytes !== undefined && leastBytes > budget.bytes)
    return {
      found: `${leastBytes} bytes`,
      allowed: `${budget.bytes} bytes`,
      remedy: 'Raise limits.bytes, send smaller files or fewer tools, or release pins and holds.',
    };
  return {
    found: `${least(beside.images, images)} images`,
    allowed: `${budget.images ?? Infinity} images`,
    remedy: 'Raise limits.images, or send fewer of them at once.',
  };
}
