import { LogRedaction, type Redact } from '../text/facts/index.js';
import type { MeasureMessage, TokenCounter, WireFormat } from '../spi/index.js';
import { countedAhead, createMeasure } from '../tokens/index.js';
import type { Message, MessageSize, Size, Steps } from '../transcript/index.js';

/** How messages are measured and enter the log of a session. */
export interface Intake {
  /** Removes secrets from every text that is made from the log. */
  readonly redact: Redact;
  /** Counts the long texts of a message before it is appended, in steps. */
  readonly countAhead: (message: Message) => Steps<void>;
  /** Measures each appended message once, at least at the size of the client's own words, which a request may hold. */
  readonly measure: MeasureMessage;
  /** Removes secrets before messages enter the log; absent if the log keeps the original words. */
  readonly redaction?: LogRedaction;
}

export function logIntake(
  redactLog: boolean,
  { redact, format, counter: given }: { redact: Redact; format: WireFormat; counter: TokenCounter },
): Intake {
  const { counter, ahead: countAhead } = countedAhead(given);
  const measure = createMeasure(counter);
  if (!redactLog) return { redact, countAhead, measure };
  const redaction = new LogRedaction(redact, format.copyInstance?.bind(format));
  return {
    redact,
    countAhead,
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
