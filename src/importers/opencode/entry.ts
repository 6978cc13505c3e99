import { NumberLiteral } from '../../transcript/index.js';
import { isFields, type Fields } from '../../wire/index.js';

/** One message of an export. */
export interface Entry {
  readonly info: Fields;
  readonly parts: readonly unknown[];
}

export function isEntry(value: unknown): value is Entry & Fields {
  return isFields(value) && isFields(value.info) && Array.isArray(value.parts);
}

/** When a message was made, where its info says. */
export function createdAt({ time }: Fields): { readonly createdAt?: number } {
  const created = isFields(time) ? time.created : undefined;
  return typeof created === 'number' || created instanceof NumberLiteral
    ? { createdAt: Number(created) }
    : {};
}
