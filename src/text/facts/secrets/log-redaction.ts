import { atOnce, type Message, type Part, isPlain, parseSaid, writeJson } from '../../../transcript/index.js';
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

/** A text without its secrets. */
type Clean = (text: string) => string;

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

/**
 * A value of a wire format without the secrets in its texts; itself where it has none. A field is read together with its
 * name, for `password` may be all that gives a secret away.
 */
function cleanedValue(value: unknown, clean: Clean, instance?: CopyInstance): unknown {
  return cleaned(value, clean, instance, undefined, false);
}

function cleaned(
  value: unknown,
  clean: Clean,
  instance: CopyInstance | undefined,
  key: string | undefined,
  isFree: boolean,
): unknown {
  if (typeof value === 'string')
    return !isFree && isNoText(key, value) ? value : cleanedField(key, value, clean);
  if (typeof value !== 'object' || value === null) return value;
  const inFree = isFree || (key !== undefined && FREE.has(key));
  const inner = (of: unknown, name = key): unknown => cleaned(of, clean, instance, name, inFree);
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value;
    const copy = list.map((item) => inner(item));
    return copy.every((item, i) => item === list[i]) ? value : copy;
  }
  if (!isPlain(value)) {
    if (!instance) return value;
    let isChanged = false;
    const copy = instance(value, (of) => {
      const own = inner(of);
      isChanged ||= own !== of;
      return own;
    });
    return isChanged ? copy : value;
  }
  const copy: Record<string, unknown> = { ...value };
  let isChanged = false;
  for (const name of Object.keys(copy)) {
    // A document of Anthropic's that is text holds its words where others hold bytes.
    const isWords = name === 'data' && copy.type === 'text';
    const own = inner(copy[name], isWords ? 'text' : name);
    isChanged ||= own !== copy[name];
    copy[name] = own;
  }
  return isChanged ? copy : value;
}

const isNoText = (key: string | undefined, text: string): boolean =>
  (key !== undefined && NOT_WORDS.has(key)) || ENCODED.test(text);

/** Longer texts are no passwords, whatever the name of their field. */
const MOST_NAMED_CHARS = 512;

function cleanedField(key: string | undefined, text: string, clean: Clean): string {
  const alone = cleanedJson(text, clean);
  if (alone !== text || key === undefined || text === '' || text.length > MOST_NAMED_CHARS) return alone;
  const name = `{${JSON.stringify(key)}:`;
  const written = `${name}${JSON.stringify(text)}}`;
  const paired = clean(written);
  if (paired === written) return text;
  const own = paired.startsWith(name) ? parsed(paired)?.[key] : undefined;
  return typeof own === 'string' ? own : '[secret removed]';
}

/** A text that stays JSON where it is; its spacing stays too, unless a secret begins behind an escape. */
function cleanedJson(text: string, clean: Clean): string {
  const whole = clean(text);
  const value = parsed(text);
  if (!value) return whole;
  const kept = whole === text ? value : parsed(whole);
  const own = cleaned(kept ?? value, clean, undefined, undefined, true);
  if (own !== (kept ?? value)) return writeJson(own)!;
  // What only the text as a whole shows cannot be cut out of it.
  return kept ? whole : JSON.stringify({ removed: '[secret removed]' });
}

function parsed(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    const value: unknown = parseSaid(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
