import { LogRedaction, type Redact } from '../facts/index.js';
import type { MeasureMessage, TokenCounter, WireFormat } from '../spi/index.js';
import { createMeasure } from '../tokens/index.js';
import type { Message, MessageSize, Size } from '../transcript/index.js';

/** How messages enter the log of a session. */
interface LogIntake {
  /** Measures what is appended, once: at its client's own words, for these are what a request may hold. */
  readonly measure: MeasureMessage;
  /** Takes secrets out before; absent where the log keeps what was said. */
  readonly redaction?: LogRedaction;
}

export function logIntake(
  redactLog: boolean,
  { redact, format, counter }: { redact: Redact; format: WireFormat; counter: TokenCounter },
): LogIntake {
  const measure = createMeasure(counter);
  if (!redactLog) return { measure };
  const redaction = new LogRedaction(redact, format.copyInstance?.bind(format));
  return {
    redaction,
    measure: (message: Message) => {
      const original = redaction.originalOf(message);
      return original === message ? measure(message) : larger(measure(message), measure(original));
    },
  };
}

function larger(one: MessageSize, other: MessageSize): MessageSize {
  const most = (a: Size, b: Size): Size => ({
    tokens: Math.max(a.tokens, b.tokens),
    bytes: Math.max(a.bytes, b.bytes),
    images: Math.max(a.images, b.images),
  });
  return { ...most(one, other), parts: one.parts.map((part, i) => most(part, other.parts[i] ?? part)) };
}
