import { base64Length, fieldsOf, asText, isBytes, isFields, type Fields } from '../record.js';

/** The name of this format, which its messages also have as `wireFormat`. */
export const FORMAT = 'ai-sdk';

/**
 * One `ModelMessage`, or a message of the prompt of a model call; unknown fields are kept. The `wire` of a part is its
 * index in the content list; for files in results, also the index in the result; `'content'` for a string.
 */
export type WireMessage = Fields & { readonly role?: unknown; readonly content?: unknown };

/** The `wire` of a system message from the body's field `system`: the field's value, and the index in its list. */
interface SystemField {
  readonly system: unknown;
  readonly at: number;
}

export const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

export function isSystemField(wire: unknown): wire is SystemField {
  return isFields(wire) && 'system' in wire && typeof wire.at === 'number' && !('role' in wire);
}

/** The id under which a request for approval counts as a call of its step; the response is its answer. */
export function approvalKey(approvalId: unknown): string {
  return `approval ${asText(approvalId)}`;
}

/** Fields in `providerOptions` in which providers keep the signature of a reasoning part. */
const SIGNATURES = ['signature', 'redactedData', 'thoughtSignature', 'reasoningEncryptedContent'] as const;

/** The provider's signature of a part; undefined if the part has none. */
export function signatureOf(item: Fields): string | undefined {
  for (const options of optionsOf(item))
    for (const name of SIGNATURES) if (typeof options[name] === 'string') return options[name];
  return undefined;
}

/** A call's field that names the program that makes the call. */
export function callerOf(item: Fields): unknown {
  return optionsOf(item)
    .map(({ caller }) => caller)
    .find(isFields);
}

/** Whether a part has an item id of its provider. */
export const hasItemId = (item: Fields): boolean =>
  optionsOf(item).some(({ itemId }) => typeof itemId === 'string');

const optionsOf = ({ providerOptions }: Fields): readonly Fields[] =>
  Object.values(fieldsOf(providerOptions)).filter(isFields);

/** The size of a value as JSON text: bytes count as their base64, and nothing throws. */
export function sizeOf(value: unknown): number {
  if (isBytes(value)) return base64Length(value);
  if (value instanceof URL) return value.href.length;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item) + 1, 2);
  if (!isFields(value)) return asText(value).length;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + sizeOf(item) + 4, 2);
}
