import { hash } from 'node:crypto';
import { isFields, jsonText } from '../../wire/index.js';
import type { Beginning } from './beginning.js';

/** Marks of a cache, and thoughts: clients move the ones and leave out the others from request to request. */
const PASSING: ReadonlySet<string> = new Set([
  'cache_control',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'encrypted_content',
  'signature',
  'id',
  'status',
  'annotations',
  'logprobs',
  'refusal',
]);
const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);
const INSTRUCTIONS: ReadonlySet<unknown> = new Set(['system', 'developer']);

/** A client's history, message by message, as it is told again from a later request. */
export interface Fingerprint {
  /** A hash each; instructions at the head and thoughts are left out. */
  readonly hashes: readonly string[];
  /** Which of them are the model's own words or calls. */
  readonly byModel: readonly boolean[];
  /** Of the request that it was taken from; absent where it was told from a log. */
  readonly beginning?: Beginning;
}

/** One line for each message of a request, whatever cache marks, ids and thoughts it carries this time. */
export function fingerprintOf(messages: readonly unknown[]): Fingerprint {
  const hashes: string[] = [];
  const byModel: boolean[] = [];
  for (const message of messages) {
    const fields = isFields(message) ? message : { role: 'user', content: message };
    if (INSTRUCTIONS.has(fields.role) || THOUGHTS.has(fields.type)) continue;
    hashes.push(hash('sha1', canonical(fields), 'base64').slice(0, 16));
    byModel.push(fields.role === 'assistant' || fields.type === 'function_call');
  }
  return { hashes, byModel };
}

/** How many messages stand alike at the head of both. */
export function commonLength(one: readonly string[], other: readonly string[]): number {
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one[at] === other[at]) at++;
  return at;
}

/** Texts with their lengths, fields in the order of their names: no two messages that differ are written alike. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return `${value.length}"${value}`;
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isFields(item) || !THOUGHTS.has(item.type));
    const only: unknown = items.length === 1 ? items[0] : undefined;
    // A message of words alone becomes a list of one block when a client puts a cache mark on it.
    if (isFields(only) && typeof only.text === 'string' && isText(only.type)) return canonical(only.text);
    return `[${items.map(canonical).join()}]`;
  }
  if (!isFields(value)) return jsonText(value) || 'null';
  let text = '{';
  for (const key of Object.keys(value).sort()) {
    const field = value[key];
    if (field === null || field === undefined || isPassing(key, value)) continue;
    text += `${key}:${canonical(field)};`;
  }
  return text;
}

const isText = (type: unknown): boolean => type === 'text' || type === 'input_text' || type === 'output_text';

/** The id of a call is what its result is found by; those of messages and items are names that come and go. */
function isPassing(key: string, { type }: Readonly<Record<string, unknown>>): boolean {
  return PASSING.has(key) && !(key === 'id' && (type === 'tool_use' || type === 'function'));
}
