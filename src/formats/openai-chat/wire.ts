import type { FilePart, Role, TextPart } from '../../transcript/index.js';
import { contentParts } from '../conversation/reading.js';
import { REPAIRS, type Report } from '../conversation/repairs.js';
import { chatFileAt } from '../files.js';
import { asText, isFields, jsonText, kindOf, type Fields } from '../record.js';

/** One message as chat completions carry it; all other fields are kept unread. */
export type WireMessage = Fields & { readonly role?: unknown; readonly content?: unknown };

/** The name of this format, which its messages also have as `wireFormat`. */
export const FORMAT = 'openai-chat';

/** The log's role for each role of the wire: `developer` is the newer name of `system`. */
export const ROLES: ReadonlyMap<unknown, Role> = new Map([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
]);

export function isKnownRole(role: unknown): role is string {
  return ROLES.has(role);
}

/** Fields in which servers put the model's thinking: DeepSeek and Qwen; vLLM and OpenRouter. */
export const REASONING_FIELDS = ['reasoning_content', 'reasoning'] as const;

/** OpenRouter's copy of the thinking text, with the signatures of its providers; invalid once the text was edited. */
export const REASONING_DETAILS = 'reasoning_details';

/** A message's content as parts: a string, a list, or nothing. A part's `wire` is its index; unknown parts are kept. */
export function parseContent(content: unknown, report: Report): (TextPart | FilePart)[] {
  const read = (item: unknown, wire: number): TextPart | FilePart => {
    if (!isFields(item)) {
      report('unknown-part', REPAIRS.unknownPart(wire, `${kindOf(item)}, not an object`));
      return { type: 'text', text: typeof item === 'string' ? item : jsonText(item), wire };
    }
    const text = textIn(item);
    if (text !== undefined) return { type: 'text', text, wire };
    const file = chatFileAt(item, ['content', wire], wire);
    if (file) return file;
    report(
      'unknown-part',
      REPAIRS.unknownPart(wire, `of type ${jsonText(item.type) || 'none'}, which is not known`),
    );
    if (typeof item.text === 'string') return { type: 'text', text: item.text, wire };
    return {
      type: 'file',
      mediaType: 'application/octet-stream',
      bytes: Buffer.byteLength(jsonText(item)),
      name: asText(item.type),
      wire,
    };
  };
  return contentParts(content, read, report);
}

/** The words of a text or refusal part; undefined for any other. Also used when such a part is written back. */
export function textIn(item: Fields): string | undefined {
  if (item.type === 'text' && typeof item.text === 'string') return item.text;
  return item.type === 'refusal' && typeof item.refusal === 'string' ? item.refusal : undefined;
}
