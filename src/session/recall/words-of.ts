import {
  parseJson,
  textOf,
  writeJson,
  type Message,
  type Part,
  type ToolCallPart,
} from '../../transcript/index.js';

/** Takes secrets out of a text. Whole texts go through it, before anything is cut: half a secret is not recognised. */
export type Clean = (text: string) => string;

/** The words of one part within those of its message. */
interface PartWords {
  readonly index: number;
  readonly part: Part;
  /** Characters of the message's text, from and to (exclusive). */
  readonly from: number;
  readonly to: number;
}

/** All that can be read back of a message, secrets taken out: one text, that offsets count in, and where its parts stand. */
export interface MessageWords {
  readonly text: string;
  readonly parts: readonly PartWords[];
}

export function wordsOf({ parts }: Pick<Message, 'parts'>, clean: Clean): MessageWords {
  const found: PartWords[] = [];
  let text = '';
  parts.forEach((part, index) => {
    const words = wordsOfPart(part, clean);
    if (words === '') return;
    if (text !== '') text += '\n';
    found.push({ index, part, from: text.length, to: text.length + words.length });
    text += words;
  });
  return { text, parts: found };
}

function wordsOfPart(part: Part, clean: Clean): string {
  if (part.type === 'tool-call') return clean(callText({ ...part, arguments: clean(part.arguments) }));
  if (part.type === 'file') return clean(`[file ${part.name ?? part.mediaType}, ${part.bytes} bytes]`);
  if (part.type !== 'tool-result') return clean(textOf(part));
  const inner = part.content.map((one) => (one.type === 'text' ? one.text : wordsOfPart(one, clean)));
  return clean(inner.join('\n'));
}

/** Name and arguments as people read them: text of many lines in many lines. Arguments that are no JSON stay as they are. */
function callText({ name, arguments: written }: ToolCallPart): string {
  const fields = fieldsOf(written);
  if (!fields) return `${name} ${written}`;
  const lines = fields.map(([key, value]) => {
    const text = typeof value === 'string' ? value : writeJson(value)!;
    return text.includes('\n') ? `${key}:\n${text}` : `${key}: ${text}`;
  });
  return [name, ...lines].join('\n');
}

function fieldsOf(written: string): [string, unknown][] | undefined {
  try {
    const value = parseJson(written);
    const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isRecord ? Object.entries(value) : undefined;
  } catch {
    return undefined;
  }
}
