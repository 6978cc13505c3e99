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
 * Removes secrets from messages before they enter the log, and recognises the same message when a client sends it with
 * its secrets. A secret that one message reveals is known in all later messages, as long as the process lives or a
 * client sends its history again; earlier messages in the log stay as they are.
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

  /** The message for the log; the same object if it has no secret. */
  redact(message: Message): Message {
    this.learn(message);
    const parts = message.parts.map((part) => this.#redactPart(part));
    const wire = this.#redactValue(message.wire);
    const isSame = wire === message.wire && parts.every((part, i) => part === message.parts[i]);
    if (isSame) return message;
    // A signed thought with a secret in its text leaves whole: its signature does not cover a redacted text.
    const kept = parts.filter((part, i) => part === message.parts[i] || !isSigned(part));
    const redacted =
      kept.length < parts.length
        ? withoutWire({ ...message, parts: kept })
        : { ...message, parts, ...(message.wire !== undefined && { wire }) };
    const own: Message = { ...redacted, redacted: true };
    this.#originals.set(own, message);
    return own;
  }

  /** Learns the secrets that a message reveals, once. */
  learn(message: Message): void {
    if (this.#read.has(message)) return;
    this.#read.add(message);
    atOnce(this.#book.read(message));
  }

  /** The message that `redact` was given; the same object if it had no secret. */
  originalOf(message: Message): Message {
    return this.#originals.get(message) ?? message;
  }

  #redactPart(part: Part): Part {
    const wired = overlay(part, { wire: this.#redactValue(part.wire) });
    if (wired.type === 'text' || wired.type === 'reasoning')
      return overlay(wired, { text: this.#redactText(wired.text) });
    if (wired.type === 'tool-call') return overlay(wired, { arguments: this.#redactText(wired.arguments) });
    if (wired.type === 'file' && wired.name !== undefined)
      return overlay(wired, { name: this.#book.redact(wired.name) });
    if (wired.type !== 'tool-result') return wired;
    const content = wired.content.map((inner) => this.#redactPart(inner) as typeof inner);
    return content.every((inner, i) => inner === wired.content[i]) ? wired : { ...wired, content };
  }

  /**
   * A value of a wire format without the secrets in its texts; the same object if it has none. A field is read together
   * with its name, because `password` may be the only sign. `isFree`: the model or a tool named the fields.
   */
  #redactValue(value: unknown, key?: string, isFree = false): unknown {
    if (typeof value === 'string') return !isFree && isNoText(key, value) ? value : this.#field(key, value);
    if (typeof value !== 'object' || value === null) return value;
    const inFree = isFree || (key !== undefined && FREE_FORM_FIELDS.has(key));
    const inner = (child: unknown, name = key): unknown => this.#redactValue(child, name, inFree);
    if (Array.isArray(value)) {
      const list: readonly unknown[] = value;
      const copy = list.map((item) => inner(item));
      return copy.every((item, i) => item === list[i]) ? value : copy;
    }
    if (isPlain(value)) {
      // A text document of Anthropic's has its text in the field that other documents use for bytes.
      const isWords = (name: string): boolean => name === 'data' && value.type === 'text';
      const fields = Object.entries(value).map(
        ([name, child]) => [name, inner(child, isWords(name) ? 'text' : name)] as const,
      );
      return fields.every(([name, own]) => own === value[name]) ? value : Object.fromEntries(fields);
    }
    let isChanged = false;
    const copy = this.#instance?.(value, (child) => {
      const own = inner(child);
      isChanged ||= own !== child;
      return own;
    });
    return isChanged ? copy : value;
  }

  #field(key: string | undefined, text: string): string {
    const alone = this.#redactText(text);
    if (alone !== text || key === undefined || text === '' || text.length > MAX_NAMED_CHARS) return alone;
    const name = `{${JSON.stringify(key)}:`;
    const written = `${name}${JSON.stringify(text)}}`;
    const paired = this.#book.redact(written);
    if (paired === written) return text;
    const own = paired.startsWith(name) ? parsedJson(paired)?.[key] : undefined;
    return typeof own === 'string' ? own : '[secret removed]';
  }

  /** Redacts a text; JSON stays JSON, with its spacing unless a secret begins after an escape. */
  #redactText(text: string): string {
    const whole = this.#book.redact(text);
    const value = parsedJson(text);
    if (!value) return whole;
    const kept = whole === text ? value : parsedJson(whole);
    const own = this.#redactValue(kept ?? value, undefined, true);
    if (own !== (kept ?? value)) return writeJson(own)!;
    // A secret that only the whole text reveals cannot be cut out of its value.
    return kept ? whole : JSON.stringify({ removed: '[secret removed]' });
  }
}

/** The object with these fields; the same object if it has them already. */
function overlay<T extends object>(own: T, fields: Partial<T>): T {
  const isSame = Object.entries(fields).every(([name, value]) => own[name as keyof T] === value);
  return isSame ? own : { ...own, ...fields };
}

/** Removes `wire`, so that a format writes the message from its parts, as it writes messages of other formats. */
function withoutWire({ wire: _, wireFormat: __, parts, ...message }: Message): Message {
  const bare = (part: Part): Part => {
    const { wire: ___, ...rest } = part;
    return rest.type === 'tool-result'
      ? { ...rest, content: rest.content.map((inner) => bare(inner) as (typeof rest.content)[number]) }
      : rest;
  };
  return { ...message, parts: parts.map(bare) };
}

/** Copies an instance of a class, with the redacted values; without it instances stay. */
type CopyInstance = (value: object, copy: (inner: unknown) => unknown) => unknown;

/** Fields of a wire format whose text is no prose: a name, an id, a signature, encoded data. */
const NON_TEXT_FIELDS = new Set(
  (
    'id type role name kind status format signature thoughtSignature thought_signature encrypted_content data ' +
    'call_id tool_call_id tool_use_id callId toolCallId toolName media_type mediaType mimeType wireFormat'
  ).split(' '),
);
/** The content of these fields belongs to the model or a tool, under any field names. */
const FREE_FORM_FIELDS = new Set(['input', 'args', 'arguments', 'parameters', 'value', 'response']);
const ENCODED = /^data:[^,]{0,200};base64,/;

const isNoText = (key: string | undefined, text: string): boolean =>
  (key !== undefined && NON_TEXT_FIELDS.has(key)) || ENCODED.test(text);

/** A longer text is no password, under any field name. */
const MAX_NAMED_CHARS = 512;

function parsedJson(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = parseSaid(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
