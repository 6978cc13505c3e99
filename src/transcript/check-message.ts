import { SpillwayError } from '../errors/index.js';
import { isRecord } from './json.js';
import type { Message, Origin, Part, Role } from './message.js';

const ROLES: readonly Role[] = ['system', 'user', 'assistant', 'tool'];
const ORIGINS: readonly Origin[] = ['user', 'model', 'tool', 'system', 'synthetic'];

/** The required fields of each kind of part, with the `typeof` of their values. */
const FIELDS: Readonly<Record<Part['type'], Readonly<Record<string, 'string' | 'number' | 'boolean'>>>> = {
  text: { text: 'string' },
  reasoning: { text: 'string' },
  'tool-call': { callId: 'string', name: 'string', arguments: 'string' },
  'tool-result': { callId: 'string' },
  file: { mediaType: 'string', bytes: 'number' },
  opaque: { kind: 'string', bytes: 'number' },
  marker: { marker: 'string', auto: 'boolean' },
};

const FIELDS_OF: ReadonlyMap<unknown, Readonly<Record<string, string>>> = new Map(Object.entries(FIELDS));

/**
 * Checks a message from a host without types. Throws `MESSAGE_INVALID`, which names the first wrong field. Checks the
 * structure only: texts are not read.
 */
export function checkMessage(message: Message, place: number): void {
  if (!isRecord(message)) refuse(`message ${place}`, message, 'an object');
  const { id, role, origin, name, parts } = message;
  if (typeof id !== 'string' || id === '')
    refuse(`id of message ${place}`, id, 'a text that no other message has');
  const subject = `message ${id}`;
  if (!ROLES.includes(role)) refuse(`role of ${subject}`, role, ROLES.join(', '));
  if (!ORIGINS.includes(origin)) refuse(`origin of ${subject}`, origin, ORIGINS.join(', '));
  if (name !== undefined && typeof name !== 'string') refuse(`name of ${subject}`, name, 'a text');
  checkParts(parts, `parts of ${subject}`);
}

/** The deepest nesting of results in results; deeper content contains itself. */
const MAX_DEPTH = 20;

function checkParts(parts: readonly Part[], subject: string, depth = 0): void {
  if (!Array.isArray(parts)) refuse(subject, parts, 'a list of parts');
  if (depth > MAX_DEPTH)
    refuse(
      `content within content, ${subject.slice(subject.lastIndexOf(' of message') + 4)}`,
      'itself',
      'parts that end',
    );
  parts.forEach((part, index) => {
    const at = `part ${index} of the ${subject}`;
    const fields = isRecord(part) ? FIELDS_OF.get(part.type) : undefined;
    if (!fields) refuse(at, part, `an object with a type: ${Object.keys(FIELDS).join(', ')}`);
    for (const [field, kind] of Object.entries(fields)) {
      const value: unknown = part[field as keyof Part];
      if (typeof value !== kind) refuse(`${field} of ${at}`, value, `a ${kind}`);
      // An invalid size would make every reading NaN, and nothing would ever be compacted.
      if (kind === 'number' && !(Number.isFinite(value) && (value as number) >= 0))
        refuse(`${field} of ${at}`, String(value), 'a number from 0');
    }
    if (part.type === 'tool-result')
      checkParts(part.content as readonly Part[], `content of ${at}`, depth + 1);
  });
}

function refuse(subject: string, found: unknown, allowed: string): never {
  throw new SpillwayError('MESSAGE_INVALID', {
    subject,
    found,
    allowed,
    remedy:
      'Append messages of a transcript. The messages that a client sends to a provider go to session.follow(), or through the `parse` of their format.',
  });
}
