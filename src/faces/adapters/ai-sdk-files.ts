import { isFields, type Fields } from '../../formats/index.js';

/**
 * Converts the files of a prompt to what a store can keep: bytes to base64, addresses to text. Version 6 of the SDK
 * puts them directly into `data`, version 7 into an object that names the kind.
 */
export function storable<Message>(message: Message): Message {
  return withParts(message, (part) => {
    if (part.type !== 'file' && part.type !== 'reasoning-file') return part;
    const { data } = part;
    if (isBytes(data) || data instanceof URL) return { ...part, data: textOf(data) };
    if (!isFields(data)) return part;
    if (isBytes(data.data)) return { ...part, data: { ...data, data: textOf(data.data) } };
    return data.url instanceof URL ? { ...part, data: { ...data, url: textOf(data.url) } } : part;
  });
}

/** An address of any scheme, such as `gs:`. Base64 has no colon. */
const ADDRESS = /^[a-z][a-z\d+.-]*:/i;

/** The message as a model takes it: addresses become `URL` objects, because the SDK reads any plain text as base64. */
export function sendable<Message>(message: Message): Message {
  return withParts(message, (part) => {
    if (part.type !== 'file' && part.type !== 'reasoning-file') return part;
    const { data } = part;
    if (typeof data === 'string')
      return ADDRESS.test(data) && URL.canParse(data) ? { ...part, data: new URL(data) } : part;
    if (!isFields(data) || typeof data.url !== 'string' || !URL.canParse(data.url)) return part;
    return { ...part, data: { ...data, url: new URL(data.url) } };
  });
}

function withParts<Message>(message: Message, change: (part: Fields) => Fields): Message {
  const content = isFields(message) ? message.content : undefined;
  if (!Array.isArray(content)) return message;
  const parts = (content as unknown[]).map((part) => (isFields(part) ? change(part) : part));
  return parts.every((part, at) => part === content[at]) ? message : { ...message, content: parts };
}

function textOf(data: Uint8Array | ArrayBuffer | URL): string {
  if (data instanceof URL) return data.href;
  return Buffer.from(data instanceof Uint8Array ? data : new Uint8Array(data)).toString('base64');
}

const isBytes = (data: unknown): data is Uint8Array | ArrayBuffer =>
  data instanceof Uint8Array || data instanceof ArrayBuffer;
