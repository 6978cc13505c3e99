import { atOnce, type Message, type Part } from '../../../transcript/index.js';
import { cleanedJson, cleanedValue, type Clean, type CopyInstance } from './cleaned-value.js';
import type { Redact } from './redact.js';
import { SecretBook } from './secret-book.js';

/**
 * Takes secrets out of messages before they enter the log, and knows the same message again when a client sends it with
 * its secrets. What one message gave away is known in all that come after it, as long as the process lives or a client
 * sends its history anew; what stands in the log before that stays.
 */
export class LogRedaction {
  readonly #book: SecretBook;
  readonly #instance: CopyInstance | undefined;
  readonly #read = new WeakSet<Message>();
  readonly #originals = new WeakMap<Message, Message>();

  constructor(redact: Redact, instance?: CopyInstance) {
    this.#book = new SecretBook(redact);
    this.#instance = instance;
  }

  /** The message as the log may hold it; itself where it has no secret. */
  take(message: Message): Message {
    this.hear(message);
    const clean = this.#book.redact;
    const parts = message.parts.map((part) => cleanedPart(part, clean, this.#instance));
    const wire = cleanedValue(message.wire, clean, this.#instance);
    const isSame = wire === message.wire && parts.every((part, i) => part === message.parts[i]);
    if (isSame) return message;
    const isUnsigned = parts.some((part, i) => part !== message.parts[i] && isSigned(part));
    const redacted = isUnsigned
      ? withoutWire({
          ...message,
          parts: parts.filter((part, i) => part === message.parts[i] || !isSigned(part)),
        })
      : { ...message, parts, ...(message.wire !== undefined && { wire }) };
    const own: Message = { ...redacted, redacted: true };
    this.#originals.set(own, message);
    return own;
  }

  /** Learns what a message gives away, once. */
  hear(message: Message): void {
    if (this.#read.has(message)) return;
    this.#read.add(message);
    atOnce(this.#book.read(message));
  }

  /** What `take` was given; the message itself where that had no secret. */
  originalOf(message: Message): Message {
    return this.#originals.get(message) ?? message;
  }
}

/** Signed thoughts whose words had a secret leave whole: nobody's signature is under what is left of them. */
const isSigned = (part: Part): boolean => part.type === 'reasoning' && part.signature !== undefined;

/** A format writes it from its parts then, as it writes messages of any other. */
function withoutWire({ wire: _, wireFormat: __, parts, ...message }: Message): Message {
  const bare = (part: Part): Part => {
    const { wire: ___, ...rest } = part;
    return rest.type === 'tool-result'
      ? { ...rest, content: rest.content.map((inner) => bare(inner) as (typeof rest.content)[number]) }
      : rest;
  };
  return { ...message, parts: parts.map(bare) };
}

function cleanedPart(part: Part, clean: Clean, instance: CopyInstance | undefined): Part {
  const wire = cleanedValue(part.wire, clean, instance);
  const wired = wire === part.wire ? part : { ...part, wire };
  if (wired.type === 'text' || wired.type === 'reasoning') {
    const text = cleanedJson(wired.text, clean);
    return text === wired.text ? wired : { ...wired, text };
  }
  if (wired.type === 'tool-call') {
    const given = cleanedJson(wired.arguments, clean);
    return given === wired.arguments ? wired : { ...wired, arguments: given };
  }
  if (wired.type === 'file' && wired.name !== undefined) {
    const name = clean(wired.name);
    return name === wired.name ? wired : { ...wired, name };
  }
  if (wired.type !== 'tool-result') return wired;
  const content = wired.content.map((inner) => cleanedPart(inner, clean, instance) as typeof inner);
  return content.every((inner, i) => inner === wired.content[i]) ? wired : { ...wired, content };
}
