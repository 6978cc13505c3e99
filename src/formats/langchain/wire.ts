import { isPlain } from '../../transcript/index.js';
import { entryOf, fieldsOf, inWords, isFields, withFields, type Fields } from '../record.js';

/** The name of this format, and of whose `wire` its messages hold. */
export const FORMAT = 'langchain';

/**
 * The four ways in which LangChain messages travel: an instance of a message class, what `JSON.stringify` makes of one
 * (`lc`), what `mapChatMessagesToStoredMessages` makes of one (`stored`), and bare fields that it coerces (`fields`).
 */
export type Shape = 'instance' | 'lc' | 'stored' | 'fields';

/** What a message of any shape says of itself. */
export interface Seen {
  readonly shape: Shape;
  /** LangChain's word for who speaks: `human`, `ai`, `system`, `tool`; others as they come. */
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

export function see(wire: Fields): Seen {
  if (wire.lc === 1 && Array.isArray(wire.id) && isFields(wire.kwargs)) {
    const name = inWords(wire.id.at(-1)).replace(/Chunk$/, '');
    return { shape: 'lc', type: typeOf(entryOf(CLASSES, name) ?? name, wire.kwargs), fields: wire.kwargs };
  }
  if (typeof wire.type === 'string' && isFields(wire.data)) {
    return { shape: 'stored', type: typeOf(wire.type, wire.data), fields: wire.data };
  }
  const shape = !isPlain(wire) ? 'instance' : 'fields';
  // Bare fields may have both; LangChain goes by the role.
  const said = shape === 'fields' && typeof wire.role === 'string' ? wire.role : wire.type;
  return { shape, type: typeOf(said, wire), fields: wire };
}

function typeOf(said: unknown, fields: Fields): string {
  const type = typeof said === 'string' ? said : '';
  const named = type === 'generic' && typeof fields.role === 'string' ? fields.role : type;
  return entryOf(ROLES, named) ?? named;
}

/** A message of a class, field by field; its texts are shared. Other instances, which may have private state, stay. */
export function copyOfMessage(value: object, copy: (inner: unknown) => unknown): unknown {
  return MESSAGE_MARK in value ? fieldByField(value, copy) : value;
}

function fieldByField(value: object, copy: (inner: unknown) => unknown): Fields {
  const made = Object.create(Object.getPrototypeOf(value) as object) as Record<PropertyKey, unknown>;
  for (const key of Reflect.ownKeys(value)) made[key] = copy((value as Record<PropertyKey, unknown>)[key]);
  return made;
}

/** What LangChain itself knows its messages by, whichever copy of the package made them. */
const MESSAGE_MARK = Symbol.for('langchain.message');

/** Fields of an instance that are its own making, or that its class derives from the others. */
const DERIVED = /^lc_|^(type|tool_call_chunks)$/;

/** The same message in its own shape, with these fields in place of its own; undefined takes one away. */
export function withChanges(wire: Fields, changes: Fields): Fields {
  const { shape, fields } = see(wire);
  if (shape === 'instance') return instanceWith(wire, changes);
  if (shape === 'lc') return { ...wire, kwargs: withFields(fields, changes) };
  if (shape === 'stored') return { ...wire, data: withFields(fields, changes) };
  return withFields(wire, changes);
}

/**
 * An instance without a call of its constructor: that of a host's own class may ask for anything, and one of LangChain's
 * forgets calls that nobody could read. `lc_kwargs` are what its `toJSON` names.
 */
function instanceWith(wire: Fields, changes: Fields): Fields {
  const own = Object.entries(wire).filter(
    ([key, value]) => !DERIVED.test(key) && typeof value !== 'function',
  );
  const chunks = 'tool_call_chunks' in wire && { tool_call_chunks: [] };
  const made = fieldByField(wire, (inner) => inner);
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
 * A message as bare fields, which LangChain coerces, under the type that it knows its own classes by; an instance as it is.
 * Bare fields may name their speaker by `role` instead, and so does a `ChatMessage`: no other class has that field.
 */
export function bare(message: Fields): Fields {
  const { shape, type, fields } = see(message);
  if (shape === 'instance') return message;
  const { role, type: said, ...more } = fields;
  if (role !== 'developer' && said !== 'developer') return { type, ...more };
  // As LangChain's own coercion keeps the word.
  const kwargs = { ...fieldsOf(more.additional_kwargs), __openai_role__: 'developer' };
  return { type, ...more, additional_kwargs: kwargs };
}

/** A message of bare fields in the shape of those it stands among. Bare fields are what instances are coerced from. */
export function inShape(message: Fields, shape: Shape): Fields {
  if (shape !== 'lc' && shape !== 'stored') return message;
  const { type, ...fields } = bare(message);
  if (shape === 'stored') return { type, data: fields };
  const id = ['langchain_core', 'messages', entryOf(CLASS_OF, type) ?? 'HumanMessage'];
  return { lc: 1, type: 'constructor', id, kwargs: fields };
}

/** The words of a block of text, or of one that says what the model will not do, in content and in results. */
export function textIn(block: unknown): string | undefined {
  const { type, text, refusal } = fieldsOf(block);
  const words = type === 'text' ? text : type === 'refusal' ? refusal : undefined;
  return typeof words === 'string' ? words : undefined;
}
