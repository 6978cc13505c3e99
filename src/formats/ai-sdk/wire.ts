import { base64Length, fieldsOf, inWords, isBytes, isFields, type Fields } from '../record.js';

/** The name of this format, and of whose `wire` its messages hold. */
export const FORMAT = 'ai-sdk';

/**
 * One `ModelMessage`, or a message of the prompt that a model is called with; unknown fields are kept. What a part's `wire`
 * holds is the index in its content list; for files inside results, that and the index in the result; `'content'` stands for
 * content that is a string.
 */
export type WireMessage = Fields & { readonly role?: unknown; readonly content?: unknown };

/** What a system message holds that came in the body's own field `system`: the field's value, and which of its list. */
interface SystemField {
  readonly system: unknown;
  readonly at: number;
}

export const ROLES: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

export function isSystemField(wire: unknown): wire is SystemField {
  return isFields(wire) && 'system' in wire && typeof wire.at === 'number' && !('role' in wire);
}

/** A request for approval stands among the calls of its step under this name; its response is the answer to it. */
export function approvalKey(approvalId: unknown): string {
  return `approval ${inWords(approvalId)}`;
}

/** Where providers keep the proof over a reasoning part, within its `providerOptions`. */
const PROOFS = ['signature', 'redactedData', 'thoughtSignature', 'reasoningEncryptedContent'] as const;

/** The provider's proof over a part; undefined where it carries none. */
export function proofOf(item: Fields): string | undefined {
  for (const options of optionsOf(item))
    for (const name of PROOFS) if (typeof options[name] === 'string') return options[name];
  return undefined;
}

/** What a call says of the program that makes it. */
export function callerOf(item: Fields): unknown {
  return optionsOf(item)
    .map(({ caller }) => caller)
    .find(isFields);
}

/** Whether its provider knows a part by a name of its own. */
export const hasItemId = (item: Fields): boolean =>
  optionsOf(item).some(({ itemId }) => typeof itemId === 'string');

const optionsOf = ({ providerOptions }: Fields): readonly Fields[] =>
  Object.values(fieldsOf(providerOptions)).filter(isFields);

/** JSON text for sizes: bytes count as what base64 makes of them, and nothing throws. */
export function sizeOf(value: unknown): number {
  if (isBytes(value)) return base64Length(value);
  if (value instanceof URL) return value.href.length;
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + sizeOf(item) + 1, 2);
  if (!isFields(value)) return inWords(value).length;
  return Object.entries(value).reduce((sum, [key, item]) => sum + key.length + sizeOf(item) + 4, 2);
}
