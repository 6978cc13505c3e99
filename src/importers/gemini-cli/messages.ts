import type { Notice } from '../../spi/index.js';
import type { FilePart, Message, Part, TextPart, ToolCallPart } from '../../transcript/index.js';
import { isProgramWritten, isFields, jsonText, type Fields } from '../../wire/index.js';

/** A step of the model is one message with its calls; each result, which stands beside its call, is a message. */
export function messagesOf(lines: readonly Fields[]): { messages: Message[]; notices: Notice[] } {
  const messages: Message[] = [];
  const left = new Map<string, number>();
  lines.forEach((line, index) => {
    const id = typeof line.id === 'string' && line.id !== '' ? line.id : `m${index}`;
    const type = String(line.type);
    if (type === 'gemini') messages.push(...step(line, id));
    else if (type === 'user') messages.push(...said(line, id));
    else left.set(type, (left.get(type) ?? 0) + 1);
  });
  const notices = [...left].map(([type, count]): Notice => {
    const what = `${count} lines of type ${type} are the terminal's own; left out`;
    return { at: 'file', kind: 'not-a-message', what };
  });
  return { messages, notices };
}

function said(line: Fields, id: string): Message[] {
  const parts = contentOf(line.content);
  if (parts.length === 0) return [];
  const machine = parts.every((part) => part.type === 'text' && isProgramWritten(part.text));
  return [{ id, role: 'user', origin: machine ? 'synthetic' : 'user', parts, ...when(line) }];
}

function step(line: Fields, id: string): Message[] {
  const calls = (Array.isArray(line.toolCalls) ? line.toolCalls : []).filter(isFields);
  const made = calls.map((call, index): ToolCallPart => ({
    type: 'tool-call',
    callId: typeof call.id === 'string' && call.id !== '' ? call.id : `call_${id}_${index}`,
    name: typeof call.name === 'string' ? call.name : 'unknown',
    arguments: jsonText(call.args ?? {}),
  }));
  const parts: Part[] = [...thoughts(line.thoughts), ...contentOf(line.content), ...made];
  const spoken = parts.some((part) => part.type !== 'reasoning');
  if (!spoken) return [];
  const results = calls.flatMap((call, index): Message[] => {
    const found = resultOf(call);
    if (!found) return [];
    const { callId, name } = made[index]!;
    const failed = call.status === 'error' || call.status === 'cancelled' ? { isError: true } : {};
    const part = { type: 'tool-result', callId, name, content: found, ...failed } as const;
    return [{ id: `${id}#${index}`, role: 'tool', origin: 'tool', parts: [part], ...when(call) }];
  });
  return [{ id, role: 'assistant', origin: 'model', parts, ...when(line) }, ...results];
}

function thoughts(list: unknown): Part[] {
  return (Array.isArray(list) ? list : []).filter(isFields).map(({ subject, description }): Part => {
    const text = [subject, description].filter((one) => typeof one === 'string' && one !== '').join('\n');
    return { type: 'reasoning', text };
  });
}

/** Undefined where the call has no result yet. */
function resultOf({ result }: Fields): (TextPart | FilePart)[] | undefined {
  if (result === undefined || result === null) return undefined;
  const list: readonly unknown[] = Array.isArray(result) ? result : [result];
  return list.flatMap((value) => {
    const response = isFields(value) && isFields(value.functionResponse) ? value.functionResponse : undefined;
    if (!response) return contentOf([value]);
    const more = Array.isArray(response.parts) ? contentOf(response.parts) : [];
    return [...textPart(wordsOf(response.response)), ...more];
  });
}

/** The output where a response holds nothing else, otherwise the whole of it as JSON. */
function wordsOf(response: unknown): string {
  if (isFields(response) && Object.keys(response).length === 1 && typeof response.output === 'string') {
    return response.output;
  }
  return typeof response === 'string' ? response : response === undefined ? '' : jsonText(response);
}

/** A text, or a list of Gemini's parts; pictures in the form that chat requests carry, so that they can be sent. */
function contentOf(content: unknown): (TextPart | FilePart)[] {
  if (typeof content === 'string') return textPart(content);
  const list: readonly unknown[] = Array.isArray(content) ? content : isFields(content) ? [content] : [];
  return list.flatMap((part): (TextPart | FilePart)[] => {
    if (typeof part === 'string') return textPart(part);
    if (!isFields(part)) return [];
    if (typeof part.text === 'string') return textPart(part.text);
    const inline = isFields(part.inlineData) ? part.inlineData : undefined;
    if (typeof inline?.data !== 'string') return textPart(jsonText(part));
    const mediaType = typeof inline.mimeType === 'string' ? inline.mimeType : 'application/octet-stream';
    const url = `data:${mediaType};base64,${inline.data}`;
    const file: FilePart = { type: 'file', mediaType, bytes: url.length };
    return [
      mediaType.startsWith('image/') ? { ...file, wire: { type: 'image_url', image_url: { url } } } : file,
    ];
  });
}

function textPart(text: string): TextPart[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function when({ timestamp }: Fields): { createdAt?: number } {
  const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(time) ? {} : { createdAt: time };
}
