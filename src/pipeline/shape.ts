import type { Edit, Message, Part, Slot } from '../transcript/index.js';

/**
 * Takes over what a stage returned as an edit, as a copy that its maker cannot change any more. Undefined where it is
 * none: the types of a stage written in JavaScript, or by a careless one, promise nothing.
 */
export function readEdit(value: unknown): Edit | undefined {
  try {
    return editOf(value as Loose);
  } catch {
    // A getter or a proxy threw, or a field is nothing that could be stored.
    return undefined;
  }
}

type Loose = Readonly<Record<string, unknown>>;

class Malformed extends Error {}

function editOf(value: Loose): Edit {
  const { kind, content, replacement, slot } = value;
  const shared = { reason: text(value.reason), ...(slot !== undefined && { slot: slotOf(slot as Loose) }) };
  if (kind === 'replace') {
    const messageId = text(value.messageId);
    const partIndex = whole(value.partIndex);
    return Object.freeze({ kind, messageId, partIndex, content: listOf(content, partOf), ...shared });
  }
  if (kind !== 'supersede') throw new Malformed();
  const [fromId, toId] = [text(value.fromId), text(value.toId)];
  return Object.freeze({ kind, fromId, toId, replacement: listOf(replacement, messageOf), ...shared });
}

function slotOf({ fromId, toId, prompt, maxTokens, grows }: Loose): Slot {
  return Object.freeze({
    fromId: text(fromId),
    toId: text(toId),
    prompt: text(prompt),
    maxTokens: whole(maxTokens),
    ...(grows === true && { grows }),
  });
}

const ROLES = ['system', 'user', 'assistant', 'tool'];
const ORIGINS = ['user', 'model', 'tool', 'system', 'synthetic'];

function messageOf(message: Loose): Message {
  if (
    text(message.id) === '' ||
    !ROLES.includes(text(message.role)) ||
    !ORIGINS.includes(text(message.origin))
  )
    throw new Malformed();
  for (const optional of [message.name, message.label]) if (optional !== undefined) text(optional);
  return Object.freeze({ ...stored(message), parts: listOf(message.parts, partOf) }) as unknown as Message;
}

function partOf(part: Loose): Part {
  if (part.type === 'text' || part.type === 'reasoning') {
    text(part.text);
    if (part.signature !== undefined) text(part.signature);
  } else if (part.type === 'file') {
    text(part.mediaType);
    if (!(Number.isFinite(part.bytes) && (part.bytes as number) >= 0)) throw new Malformed();
  } else if (part.type !== 'tool-call' && part.type !== 'tool-result' && part.type !== 'marker') {
    throw new Malformed();
  }
  return Object.freeze(stored(part)) as unknown as Part;
}

/** A copy of what a plan can hold. What a format left in `wire` goes on by reference: it may be an image. */
function stored(value: Loose): Loose {
  const copy = { ...value };
  // A plan is hashed as JSON: what cannot be written throws here, where the stage is named.
  JSON.stringify(copy.wire);
  return copy;
}

function listOf<T>(value: unknown, read: (item: Loose) => T): readonly T[] {
  if (!Array.isArray(value)) throw new Malformed();
  return Object.freeze(Array.from(value as Loose[], read));
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new Malformed();
  return value;
}

function whole(value: unknown): number {
  if (!Number.isInteger(value)) throw new Malformed();
  return value as number;
}
