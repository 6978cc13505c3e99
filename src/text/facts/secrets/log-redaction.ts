import {
  atOnce,
  isSigned,
  type Message,
  type Part,
  isPlain,
  parseSaid,
  writeJson,
} from '../../../transcript/index.js';
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
    const parts = message.parts.map((part) => this.#part(part));
    const wire = this.#value(message.wire);
    const isSame = wire === message.wire && parts.every((part, i) => part === message.parts[i]);
    if (isSame) return message;
    // Signed thoughts whose words had a secret leave whole: nobody's signature is under what is left of them.
    const stays = parts.filter((part, i) => part === message.parts[i] || !isSigned(part));
    const redacted =
      stays.length < parts.length
        ? withoutWire({ ...message, parts: stays })
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

  #part(part: Part): Part {
    const wired = changed(part, { wire: this.#value(part.wire) });
    if (wired.type === 'text' || wired.type === 'reasoning')
      return changed(wired, { text: this.#text(wired.text) });
    if (wired.type === 'tool-call') return changed(wired, { arguments: this.#text(wired.arguments) });
    if (wired.type === 'file' && wired.name !== undefined)
      return changed(wired, { name: this.#book.redact(wired.name) });
    if (wired.type !== 'tool-result') return wired;
    const content = wired.content.map((inner) => this.#part(inner) as typeof inner);
    return content.every((inner, i) => inner === wired.content[i]) ? wired : { ...wired, content };
  }

  /**
   * A value of a wire format without the secrets in its texts; itself where it has none. A field is read together with its
   * name, for `password` may be all that gives a secret away. `isFree`: the model or a tool named the fields.
   */
  #value(value: unknown, key?: string, isFree = false): unknown {
    if (typeof value === 'string') return !isFree && isNoText(key, value) ? value : this.#field(key, value);
    if (typeof value !== 'object' || value === null) return value;
    const inFree = isFree || (key !== undefined && FREE.has(key));
    const inner = (of: unknown, name = key): unknown => this.#value(of, name, inFree);
    if (Array.isArray(value)) {
      const list: readonly unknown[] = value;
      const copy = list.map((item) => inner(item));
      return copy.every((item, i) => item === list[i]) ? value : copy;
    }
    if (isPlain(value)) {
      // A document of Anthropic's that is text holds its words where others hold bytes.
      const isWords = (name: string): boolean => name === 'data' && value.type === 'text';
      const fields = Object.entries(value).map(
        ([name, of]) => [name, inner(of, isWords(name) ? 'text' : name)] as const,
      );
      return fields.every(([name, own]) => own === value[name]) ? value : Object.fromEntries(fields);
    }
    let isChanged = false;
    const copy = this.#instance?.(value, (of) => {
      const own = inner(of);
      isChanged ||= own !== of;
      return own;
    });
    return isChanged ? copy : value;
  }

  #field(key: string | undefined, text: string): string {
    const alone = this.#text(text);
    if (alone !== text || key === undefined || text === '' || text.length > MOST_NAMED_CHARS) return alone;
    const name = `{${JSON.stringify(key)}:`;
    const written = `${name}${JSON.stringify(text)}}`;
    const paired = this.#book.redact(written);
    if (paired === written) return text;
    const own = paired.startsWith(name) ? parsed(paired)?.[key] : undefined;
    return typeof own === 'string' ? own : '[secret removed]';
  }

  /** A text that stays JSON where it is; its spacing stays too, unless a secret begins behind an escape. */
  #text(text: string): string {
    const whole = this.#book.redact(text);
    const value = parsed(text);
    if (!value) return whole;
    const kept = whole === text ? value : parsed(whole);
    const own = this.#value(kept ?? value, undefined, true);
    if (own !== (kept ?? value)) return writeJson(own)!;
    // What only the text as a whole shows cannot be cut out of it.
    return kept ? whole : JSON.stringify({ removed: '[secret removed]' });
  }
}

/** The same with these fields, itself where it has them so. */
function changed<T extends object>(of: T, fields: Partial<T>): T {
  const isSame = Object.entries(fields).every(([name, value]) => of[name as keyof T] === value);
  return isSame ? of : { ...of, ...fields };
}

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

/** How instances of classes are copied, with what becomes of the values they hold; without it they stay. */
type CopyInstance = (value: object, copy: (inner: unknown) => unknown) => unknown;

/** Fields of a wire format whose text is nobody's words: it names, pairs, proves or encodes something. */
const NOT_WORDS = new Set(
  (
    'id type role name kind status format signature thoughtSignature thought_signature encrypted_content data ' +
    'call_id tool_call_id tool_use_id callId toolCallId toolName media_type mediaType mimeType wireFormat'
  ).split(' '),
);
/** What stands under these is the model's or a tool's own, whatever its fields are called. */
const FREE = new Set(['input', 'args', 'arguments', 'parameters', 'value', 'response']);
const ENCODED = /^data:[^,]{0,200};base64,/;

const isNoText = (key: string | undefined, text: string): boolean =>
  (key !== undefined && NOT_WORDS.has(key)) || ENCODED.test(text);

/** Longer texts are no passwords, whatever the name of their field. */
const MOST_NAMED_CHARS = 512;

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = parseSaid(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
