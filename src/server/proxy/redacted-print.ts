import { createRedact, LogRedaction } from '../../facts/index.js';
import type { WireFormat } from '../../spi/index.js';
import { Log, NO_SIZE, renderAll, type Message } from '../../transcript/index.js';
import { fingerprintOf, type Fingerprint } from './fingerprint.js';

interface RedactedPrintRequest {
  readonly format: WireFormat;
  /** Patterns of the operator. */
  readonly patterns: readonly string[];
  /** Told from a log that holds no secrets. */
  readonly logged: Fingerprint;
  /** What a client sends, and its fingerprint. */
  readonly messages: readonly unknown[];
  readonly print: Fingerprint;
}

/**
 * The fingerprint of a log without secrets as its client would send it: where a message of the log is what is left of one of
 * the client's, that one's hash stands. What a message gives away is known of all behind it, or, in a history that was first
 * sent whole, of all of them: either may be in the log.
 */
export function asSent({ format, patterns, logged, messages, print }: RedactedPrintRequest): Fingerprint {
  const parsed = format.parse({ [format.messagesField]: messages }).messages;
  const prints = [false, true].map((isWhole) => {
    const redaction = new LogRedaction(createRedact(patterns), format.copyInstance?.bind(format));
    if (isWhole) for (const message of parsed) redaction.hear(message);
    return printOfLog(
      format,
      parsed.map((message) => redaction.take(message)),
    );
  });
  const own = prints.filter(({ hashes }) => hashes.length === print.hashes.length);
  const hashes = logged.hashes.map((hash, at) =>
    own.some((one) => one.hashes[at] === hash) ? print.hashes[at]! : hash,
  );
  return { ...logged, hashes };
}

/** Nothing is weighed here. */
const UNMEASURED = { ...NO_SIZE, parts: [] };

/** What a client sent, told from messages of a log. */
export function printOfLog(format: WireFormat, messages: Iterable<Message>): Fingerprint {
  const log = new Log();
  for (const message of messages) log.append(message, UNMEASURED);
  const { view } = renderAll(log, [], () => false);
  return fingerprintOf(format.serialise(view).messages);
}
