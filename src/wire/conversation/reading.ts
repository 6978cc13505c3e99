import type { Parsed } from '../../spi/index.js';
import type { OpaquePart, Origin, Part } from '../../transcript/index.js';
import { isProgramWritten } from '../origin.js';
import { isText, jsonText, type Fields } from '../record.js';

/** What most bodies say beside their messages. */
export function besideMessages({ tools, model }: Fields): Pick<Parsed, 'tools' | 'model'> {
  return {
    ...(Array.isArray(tools) && { tools: tools as readonly unknown[] }),
    ...(typeof model === 'string' && { model }),
  };
}

/** Whose words stand in the user's place: the user's, or those of a program and nothing else. */
export function originOf(parts: readonly Part[]): Origin {
  const byProgram = parts.every((part) => part.type === 'text' && isProgramWritten(part.text));
  return parts.length > 0 && byProgram ? 'synthetic' : 'user';
}

/** The message's own id, else its place. Both are the same in a longer list. */
export function freeId(own: unknown, index: number, taken: Set<string>): string {
  let id = isText(own) && !taken.has(own) ? own : `m${index}`;
  while (taken.has(id)) id += '+';
  taken.add(id);
  return id;
}

/** What is kept whole, for nobody here understands it. */
export function opaquePart(
  kind: string,
  value: unknown,
  wire: unknown,
  bytes = Buffer.byteLength(jsonText(value)),
): OpaquePart {
  return { type: 'opaque', kind, bytes, wire };
}

/** The type that a `data:` address names; undefined for any other text. */
export function typeInAddress(url: string): string | undefined {
  return /^data:([^;,]+)[;,]/.exec(url.slice(0, 200))?.[1];
}
