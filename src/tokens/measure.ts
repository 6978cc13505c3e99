import { COUNT, SpillwayError } from '../errors/index.js';
import type { MeasureMessage, TokenCounter } from '../spi/index.js';
import {
  addSizes,
  NO_SIZE,
  type FilePart,
  type MessageSize,
  type Part,
  type ReasoningPart,
  type Size,
} from '../transcript/index.js';

/** Role and delimiters of one message, in tokens: 3 to 4 in OpenAI's chat format, about as many in Anthropic's. */
export const MESSAGE_TOKENS = 4;
/** The same in bytes: `{"role":"assistant","content":""},`. */
const MESSAGE_BYTES = 34;
/** Id, type and braces around a tool call, and around its result, in bytes. */
const CALL_BYTES = 60;
/** Tokens of a message's `name`, in addition to the name itself. */
const NAME_TOKENS = 1;
/** Framing of one tool call around its name and arguments, in tokens. */
export const CALL_TOKENS = 4;
/** Framing of one tool definition around its JSON, in tokens. */
const TOOL_TOKENS = 8;

/**
 * One image, in tokens. Providers bill by pixels, which the log does not have. A full-HD screenshot is 1,105 on OpenAI
 * (85 + 170 per 512-pixel tile), 1,548 on Gemini, at most about 1,600 on Claude up to 4.6 and 2,700 on newer models; a
 * thumbnail is 85 to 260. Calibration corrects a wrong guess.
 */
export const IMAGE_TOKENS = 1_100;
/** An image with `detail: low`, if the provider supports it: the same for any size. */
export const LOW_DETAIL_IMAGE_TOKENS = 85;

/** Limit for files that are no text: four bytes count as a token, but PDF is mostly not text (2,000 tokens a page). */
const MAX_FILE_TOKENS = 25_000;
const TEXT = /^text\/|\b(?:json|xml|yaml|javascript)\b/;

/** A second of sound: 10 tokens on OpenAI, 32 on Gemini; of speech in MP3: 10,000 bytes of base64. Video is similar. */
const RECORDING = /^(?:audio|video)\//;
const RECORDED_BYTES_PER_TOKEN = 256;

/** No text has fewer tokens than one per so many characters: the longest token of o200k_base has 128. */
const MAX_TOKEN_CHARS = 1_000;
const minTokensOf = (text: string): number => Math.floor(text.length / MAX_TOKEN_CHARS);

/** A counter's result for a text. Throws `CONFIG_INVALID` if it is no count: a sum with it would compact nothing. */
export function countOf(counter: TokenCounter, text: string): number {
  let tokens: unknown;
  let cause: unknown;
  try {
    tokens = counter.count(text);
    if (COUNT.is(tokens) && ((tokens as number) >= minTokensOf(text) || text.trim() === ''))
      return tokens as number;
  } catch (error) {
    cause = error;
    tokens = `threw: ${error instanceof Error ? error.message : typeof error}`;
  }
  throw new SpillwayError('CONFIG_INVALID', {
    subject: `counter "${counter.name}": tokens of a text of ${text.length} characters`,
    found: typeof tokens === 'number' ? String(tokens) : (tokens ?? String(tokens)),
    allowed: `${COUNT.words}, of a long text one in ${MAX_TOKEN_CHARS} characters at least`,
    remedy: 'Have `count` give the tokens of every text at once, or leave the counter out.',
    ...(cause !== undefined && { cause }),
  });
}

/** Measures messages with `counter`. Each text is counted once and separately; nothing is joined. */
export function createMeasure(counter: TokenCounter): MeasureMessage {
  return (message) => {
    const parts = message.parts.map((part) => measurePart(counter, part));
    // A message with only markers is internal and never sent.
    const isSent = message.parts.some(({ type }) => type !== 'marker') || message.parts.length === 0;
    const frame = isSent ? { tokens: MESSAGE_TOKENS, bytes: MESSAGE_BYTES, images: 0 } : NO_SIZE;
    const whole = parts.reduce(addSizes, frame);
    if (message.name === undefined) return withParts(whole, parts);
    const name = measureText(counter, message.name);
    return withParts(addSizes(whole, { ...name, tokens: name.tokens + NAME_TOKENS }), parts);
  };
}

function withParts({ tokens, bytes, images }: Size, parts: readonly Size[]): MessageSize {
  return { tokens, bytes, images, parts };
}

/** The cost of tool definitions in every request: the JSON of each, as the client sent it. */
export function measureTools(counter: TokenCounter, tools: readonly unknown[]): Size {
  return tools.reduce<Size>((sum, tool) => {
    const json = JSON.stringify(tool) ?? '';
    const size = { tokens: countOf(counter, json) + TOOL_TOKENS, bytes: Buffer.byteLength(json), images: 0 };
    return addSizes(sum, size);
  }, NO_SIZE);
}

function measurePart(counter: TokenCounter, part: Part): Size {
  switch (part.type) {
    case 'text':
      return measureText(counter, part.text);
    case 'reasoning':
      return measureReasoning(counter, part);
    case 'tool-call': {
      const call = addSizes(measureText(counter, part.name), measureText(counter, part.arguments));
      return { ...call, tokens: call.tokens + CALL_TOKENS, bytes: call.bytes + CALL_BYTES };
    }
    case 'tool-result':
      return part.content.reduce((sum, inner) => addSizes(sum, measurePart(counter, inner)), {
        ...NO_SIZE,
        bytes: CALL_BYTES,
      });
    case 'file':
      return measureFile(part);
    case 'opaque':
      return { tokens: Math.min(Math.ceil(part.bytes / 4), MAX_FILE_TOKENS), bytes: part.bytes, images: 0 };
    case 'marker':
      return NO_SIZE;
  }
}

function measureText(counter: TokenCounter, text: string): Size {
  return { tokens: countOf(counter, text), bytes: Buffer.byteLength(text) + escapesIn(text), images: 0 };
}

/** Bytes that JSON adds to a text: a backslash before each quote, backslash and line break. Others are ignored. */
function escapesIn(text: string): number {
  let count = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 34 || code === 92) count++;
  }
  return count;
}

/** A signature is base64: three quarters of a byte per character, and about four bytes per token. */
const PROOF_CHARS_PER_TOKEN = 16 / 3;

/**
 * A signature next to text costs bytes only, because the provider bills the text. Without text the signature is the
 * encrypted reasoning itself.
 */
function measureReasoning(counter: TokenCounter, { text, signature = '' }: ReasoningPart): Size {
  const words = measureText(counter, text);
  const hidden = text === '' ? Math.ceil(signature.length / PROOF_CHARS_PER_TOKEN) : 0;
  return { ...words, tokens: words.tokens + hidden, bytes: words.bytes + signature.length };
}

function measureFile(part: FilePart): Size {
  const { mediaType, bytes } = part;
  if (!mediaType.startsWith('image/')) {
    const tokens = Math.ceil(bytes / (RECORDING.test(mediaType) ? RECORDED_BYTES_PER_TOKEN : 4));
    return { tokens: TEXT.test(mediaType) ? tokens : Math.min(tokens, MAX_FILE_TOKENS), bytes, images: 0 };
  }
  const tokens = detailOf(part.wire) === 'low' ? LOW_DETAIL_IMAGE_TOKENS : IMAGE_TOKENS;
  return { tokens, bytes, images: 1 };
}

/** OpenAI's `detail` of an image: on the part itself, or inside its `image_url`. */
function detailOf(wire: unknown): unknown {
  if (typeof wire !== 'object' || wire === null) return undefined;
  if ('detail' in wire) return wire.detail;
  return 'image_url' in wire ? detailOf(wire.image_url) : undefined;
}
