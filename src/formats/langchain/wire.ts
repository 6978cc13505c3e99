import { isPlain } from '../../transcript/index.js';
import { entryOf, fieldsOf, asText, isFields, withFields, type Fields } from '../record.js';

/** The name of this format, which its messages also have as `wireFormat`. */
export const FORMAT = 'langchain';

/**
 * The four forms of LangChain messages: an instance of a message class, the `JSON.stringify` form of an instance
 * (`lc`), the `mapChatMessagesToStoredMessages` form (`stored`), and bare fields that LangChain coerces (`fields`).
 */
export type Shape = 'instance' | 'lc' | 'stored' | 'fields';

/** The content of a message of any shape. */
export interface Unwrapped {
  readonly shape: Shape;
  /** LangChain's name for the speaker: `human`, `ai`, `system`, `tool`; other names as they come. */
  readonly type: string;
  readonly fields: Fields;
}

const CLASSES: Readonly<Record<string, string>> = {
  AIMessage: 'ai',
  HumanMessage: 'human',
  SystemMessage: 'system',
  ToolMessage: 'tool',
  FunctionMessage: 'function',
  ChatMessage: 'generic',
};

const ROLES: Readonly<Record<string, string>> = { user: 'human', assistant: 'ai', developer: 'system' };

export function unwrap(wire: Fields): Unwrapped {
  if (wire.lc === 1 && Array.isArray(wire.id) && isFields(wire.kwargs)) {
    const name = asText(wire.id.at(-1)).replace(/Chunk$/, '');
    return { shape: 'lc', type: typeOf(entryOf(CLASSES, name) ?? name, wire.kwargs), fields: wire.kwargs };
  }
  if (typeof wire.type === 'string' && isFields(wire.data)) {
    return { shape: 'stored', type: typeOf(wire.type, wire.data), fields: wire.data };
  }
  const shape = !isPlain(wire) ? 'instance' : 'fields';
  // Bare fields may have both; LangChain uses the role.
  const rawType = shape === 'fields' && typeof wire.role === 'string' ? wire.role : wire.type;
  return { shape, type: typeOf(rawType, wire), fields: wire };
}

function typeOf(rawType: unknown, fields: Fields): string {
  const type = typeof rawType === 'string' ? rawType : '';
  const named = type === 'generic' && typeof fields.role === 'string' ? fields.role : type;
  return entryOf(ROLES, named) ?? named;
}

/** A copy of a message of a class; its texts are shared. Other instances may have private state and are not copied. */
export function copyOfMessage(value: object, copy: (inner: unknown) => unknown): unknown {
  return MESSAGE_MARK in value ? copyFields(value, copy) : value;
}

function copyFields(value: object, copy: (inner: unknown) => unknown): Fields {
  const made = Object.create(Object.getPrototypeOf(value) as object) as Record<PropertyKey, unknown>;
  for (const key of Reflect.ownKeys(value)) made[key] = copy((value as Record<PropertyKey, unknown>)[key]);
  return made;
}

/** The mark by which LangChain recognises its messages, from any copy of the package. */
const MESSAGE_MARK = Symbol.for('langchain.message');

/** Fields that an instance creates itself, or that its class derives from other fields. */
const DERIVED = /^lc_|^(type|tool_call_chunks)$/;

/** The same message in its own shape, with these fields replaced; the value undefined removes a field. */
export function withChanges(wire: Fields, changes: Fields): Fields {
  const { shape, fields } = unwrap(wire);
  if (shape === 'instance') return instanceWith(wire, changes);
  if (shape === 'lc') return { ...wire, kwargs: withFields(fields, changes) };
  if (shape === 'stored') return { ...wire, data: withFields(fields, changes) };
  return withFields(wire, changes);
}

/**
 * A changed instance, made without its constructor: a host's own class may require any arguments, and LangChain's
 * constructors drop unreadable calls. `toJSON` writes `lc_kwargs`.
 */
function instanceWith(wire: Fields, changes: Fields): Fields {
  const own = Object.entries(wire).filter(
    ([key, value]) => !DERIVED.test(key) && typeof value !== 'function',
  );
  const chunks = 'tool_call_chunks' in wire && { tool_call_chunks: [] };
  const made = copyFields(wire, (inner) => inner);
  return Object.assign(made, changes, chunks, {
    lc_kwargs: { ...withFields(Object.fromEntries(own), changes), ...chunks },
  });
}

const CLASS_OF: Readonly<Record<string, string>> = {
  ai: 'AIMessage',
  human: 'HumanMessage',
  system: 'SystemMessage',
  tool: 'ToolMessage',
};

/**
 * A message as bare fields, which LangChain coerces, with the type that LangChain uses for its classes; an instance as
 * it is. Bare fields and a `ChatMessage` may name the speaker by `role` instead; no other class has that field.
 */
export function bareMessage(message: Fields): Fields {
  const { shape, type, fields } = unwrap(message);
  if (shape === 'instance') return message;
  const { role, type: said, ...more } = fields;
  if (role !== 'developer' && said !== 'developer') return { type, ...more };
  // LangChain's own coercion keeps the role in this field.
  const kwargs = { ...fieldsOf(more.additional_kwargs), __openai_role__: 'developer' };
  return { type, ...more, additional_kwargs: kwargs };
}

/** A message of bare fields in the shape of its neighbours. Bare fields are coerced to instances by LangChain. */
export function inShape(message: Fields, shape: Shape): Fields {
  if (shape !== 'lc' && shape !== 'stored') return message;
  const { type, ...fields } = bareMessage(message);
  if (shape === 'stored') return { type, data: fields };
  const id = ['langchain_core', 'messages', entryOf(CLASS_OF, type) ?? 'HumanMessage'];
  return { lc: 1, type: 'constructor', id, kwargs: fields };
}

/** The words of a text block or a refusal block, in content and in results. */
export function textIn(block: unknown): string | undefined {
  const { type, text, refusal } = fieldsOf(block);
  const words = type === 'text' ? text : type === 'refusal' ? refusal : undefined;
  return typeof words === 'string' ? words : undefined;
}
