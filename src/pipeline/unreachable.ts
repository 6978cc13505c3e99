import { SpillwayError } from '../errors/index.js';
import type { TranscriptView } from '../spi/index.js';
import { grouped, type Reading } from '../tokens/index.js';
import { RunDraft, type RunInput } from './draft.js';
import { computeFloor, floorBytesAndImages, type BytesAndImages } from './floor.js';
import { remindersIn } from './reminders.js';
import type { Floor, StageOutcome, Steps } from '../transcript/index.js';

/** The content that no run may remove from a request: tokens, and bytes and images. */
export interface FullFloor {
  readonly floor: Floor;
  readonly media: BytesAndImages;
}

export function fullFloorOf(draft: RunDraft, view: TranscriptView = draft.view): FullFloor {
  const { policy, fixed, source } = draft.input;
  const { exchanges } = view;
  const reminders = new Set(remindersIn(view, source).slice(0, -1));
  return {
    floor: computeFloor(exchanges, fixed.tokens, draft.share(policy.shares.pins), reminders),
    media: floorBytesAndImages(exchanges, fixed, reminders),
  };
}

/** The floor of a session in its present state. */
export function* floorOf(input: RunInput): Steps<Floor> {
  const draft = new RunDraft(input);
  return fullFloorOf(draft, yield* draft.viewing()).floor;
}

/** Whether the floor alone exceeds a limit. */
export function isTooLarge({ floor, media }: FullFloor, { budget, scale }: Reading): boolean {
  const { tokens, bytes = Infinity, images = Infinity } = budget;
  return floor.total * scale > tokens || media.bytes > bytes || media.images > images;
}

/** Whether every run on the present session would end in `BUDGET_UNREACHABLE` before any stage is asked. */
export function* neverFits(input: RunInput): Steps<boolean> {
  const draft = new RunDraft(input);
  return draft.reading.pressure > 1 && isTooLarge(fullFloorOf(draft, yield* draft.viewing()), draft.reading);
}

/** The floor does not fit. */
export interface Unreachable {
  readonly kind: 'unreachable';
  readonly error: SpillwayError;
  readonly stages: readonly StageOutcome[];
}

/** The error with the parts of the floor, in the unit of the exceeded limit: tokens, bytes or images. */
export function unreachable(
  { floor, media }: FullFloor,
  reading: Reading,
  stages: readonly StageOutcome[],
): Unreachable {
  const { budget, tokens } = reading;
  const scaledFloor = onScale(floor, reading.scale);
  const { takes, limit, remedy } = figuresOf(scaledFloor, media, reading, stages.length > 0);
  const error = new SpillwayError('BUDGET_UNREACHABLE', {
    subject: `The content that may never be removed takes ${takes}; the budget is ${limit}`,
    remedy,
    facts: {
      floor: scaledFloor,
      limit: budget.tokens,
      tokens,
      ...(budget.bytes !== undefined && {
        bytes: { floor: media.bytes, limit: budget.bytes, is: reading.bytes },
      }),
      ...(budget.images !== undefined && {
        images: { floor: media.images, limit: budget.images, is: reading.images },
      }),
    },
  });
  return { kind: 'unreachable', error, stages };
}

/** The floor in the provider's tokens, as the limit and the request have them. */
function onScale({ total, parts }: Floor, scale: number): Floor {
  const scaled = Object.entries(parts).map(([name, tokens]) => [name, Math.round(scale * tokens)]);
  return { total: Math.ceil(scale * total), parts: Object.fromEntries(scaled) as Floor['parts'] };
}

/** `floor` is a lower bound, on the reading's scale. `isLeft`: a run left the reading, so its larger figures count. */
function figuresOf(
  floor: Floor,
  media: BytesAndImages,
  { budget, tokens, bytes, images }: Reading,
  isLeft: boolean,
): { readonly takes: string; readonly limit: string; readonly remedy: string } {
  const least = (least: number, left: number): number => Math.max(Math.ceil(least), isLeft ? left : 0);
  const leastTokens = least(floor.total, tokens);
  if (leastTokens > budget.tokens) {
    return {
      takes: `${grouped(leastTokens)} tokens (${breakdownOf(floor)})`,
      limit: `${grouped(budget.tokens)} tokens`,
      remedy: 'Use a larger window, shorten the message or the tool definitions, or release pins and holds.',
    };
  }
  const leastBytes = least(media.bytes, bytes);
  if (budget.bytes !== undefined && leastBytes > budget.bytes)
    return {
      takes: `${grouped(leastBytes)} bytes`,
      limit: `${grouped(budget.bytes)} bytes`,
      remedy: 'Raise limits.bytes, send smaller files or fewer tools, or release pins and holds.',
    };
  return {
    takes: `${least(media.images, images)} images`,
    limit: `${budget.images ?? Infinity} images`,
    remedy: 'Raise limits.images, or send fewer of them at once.',
  };
}

/** Parts of the floor in words. */
const PARTS: Readonly<Record<keyof Floor['parts'], string>> = {
  tools: 'tools',
  pins: 'pins',
  unansweredUser: 'unanswered user message',
  openExchange: 'open exchange',
  unseen: 'fresh results',
  holds: 'holds',
};

function breakdownOf({ parts }: Floor): string {
  const names = Object.keys(PARTS) as (keyof Floor['parts'])[];
  return names
    .filter((name) => parts[name] > 0)
    .map((name) => `${PARTS[name]} ${grouped(parts[name])}`)
    .join(', ');
}
