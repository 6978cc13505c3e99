import type { FilePart, TextPart, ToolResultPart } from '../../transcript/index.js';
import { inlineFile } from '../inline-file.js';
import { isFields, jsonText, type Fields } from '../../wire/index.js';

/** What the tool said to the model: `content`; where that is missing, its blocks, or its error. */
export function resultOf(callId: string, data: Fields): ToolResultPart {
  const failed = data.success === false ? { isError: true } : {};
  return { type: 'tool-result', callId, content: contentOf(data), ...failed };
}

function contentOf({ result, error }: Fields): (TextPart | FilePart)[] {
  const fields: Fields = isFields(result) ? result : { content: result };
  const blocks = Array.isArray(fields.contents) ? fields.contents.filter(isFields) : [];
  const files = blocks.flatMap(fileIn);
  if (typeof fields.content === 'string') return [...words(fields.content), ...files];
  if (blocks.length > 0) return [...blocks.flatMap(({ text }) => words(text)), ...files];
  if (fields.content !== undefined) return words(jsonText(fields.content));
  const message = isFields(error) ? error.message : error;
  return words(typeof message === 'string' ? message : '');
}

function words(text: unknown): TextPart[] {
  return typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : [];
}

function fileIn({ type, data, mimeType }: Fields): FilePart[] {
  if ((type !== 'image' && type !== 'audio') || typeof data !== 'string') return [];
  const media = typeof mimeType === 'string' ? mimeType : `${type}/*`;
  return [inlineFile(media, `data:${media};base64,${data}`)];
}

/** Attachments: bytes where the event has them, else the name of what was attached. */
export function filesOf(attachments: unknown): FilePart[] {
  if (!Array.isArray(attachments)) return [];
  return attachments.filter(isFields).map((attached) => {
    const { data, mimeType, displayName, filePath, path } = attached;
    const name = [displayName, path, filePath].find((one) => typeof one === 'string') as string | undefined;
    const media = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
    return inlineFile(media, typeof data === 'string' ? `data:${media};base64,${data}` : '', name);
  });
}
