import type { Notice } from '../../spi/index.js';
import type { FilePart, Message, Part, TextPart } from '../../transcript/index.js';
import { isFields, jsonText, type Fields } from '../../formats/index.js';
import {
  callPart,
  counted,
  dataUrl,
  fieldsIn,
  fieldsOf,
  inPlaceOfUser,
  isText,
  mediaTypeOr,
  picture,
  reasoning,
  resultPart,
  sessionOf,
  textOr,
  textParts,
  when,
  type ImportedSession,
  type Importer,
  type SessionReader,
} from './recording.js';

/**
 * Gemini CLI's session files: one JSON object with all messages; by newer versions a head line, then a message a line, of
 * which one that is written again replaces itself.
 */
export const geminiCli: Importer = {
  name: 'gemini-cli',
  mark: 'it begins with `sessionId` and `projectHash`, as Gemini CLI writes them',
  isWhole: true,
  recognises: (head) => {
    const front = head.trimStart().slice(0, FRONT);
    return /^\{\s*"/.test(front) && /"sessionId"\s*:/.test(front) && /"projectHash"\s*:/.test(front);
  },
  open: () => new GeminiCliReader(),
};

/** How far into a file its own fields are looked for; messages come behind them. */
const FRONT = 500;

class GeminiCliReader implements SessionReader {
  #head: Fields | undefined;
  /** By id, in the order of first sight. */
  readonly #messages = new Map<unknown, Fields>();

  take(value: unknown): void {
    if (!isFields(value)) return;
    if (isHead(value)) {
      this.#head ??= value;
      for (const message of fieldsIn(value.messages)) this.take(message);
    } else if (value.$rewindTo !== undefined) this.#rewind(value.$rewindTo);
    else if (typeof value.type === 'string') this.#messages.set(value.id ?? this.#messages.size, value);
  }

  /** What was said from this message on was taken back. */
  #rewind(id: unknown): void {
    const keys = [...this.#messages.keys()];
    const from = keys.indexOf(id);
    for (const key of from < 0 ? [] : keys.slice(from)) this.#messages.delete(key);
  }

  finish(): ImportedSession {
    return imported(this.#head?.sessionId, [...this.#messages.values()]);
  }
}

const isHead = (value: Fields): boolean =>
  typeof value.sessionId === 'string' && typeof value.projectHash === 'string';

/** A step of the model is one message with its calls; each result, which stands beside its call, is a message. */
function imported(id: unknown, lines: readonly Fields[]): ImportedSession {
  const left = new Map<string, number>();
  const messages = lines.flatMap((line, index) => {
    const own = textOr(line.id) ?? `m${index}`;
    if (line.type === 'gemini') return step(line, own);
    if (line.type === 'user') return said(line, own);
    left.set(String(line.type), (left.get(String(line.type)) ?? 0) + 1);
    return [];
  });
  const notices = [...left].flatMap(([type, count]): Notice[] =>
    counted(count, 'not-a-message', `lines of type ${type} are the terminal's own; left out`),
  );
  const model = lines.map((line) => line.model).find((name) => typeof name === 'string');
  return sessionOf('gemini-cli', { messages, notices, meta: { id, model } });
}

function said(line: Fields, id: string): Message[] {
  const parts = contentOf(line.content);
  return parts.length === 0 ? [] : [{ id, ...inPlaceOfUser(parts), ...time(line) }];
}

function step(line: Fields, id: string): Message[] {
  const calls = fieldsIn(line.toolCalls);
  const made = calls.map((call, index) =>
    callPart(textOr(call.id) ?? `call_${id}_${index}`, call.name, call.args),
  );
  const thoughts = fieldsIn(line.thoughts).map(({ subject, description }) =>
    reasoning([subject, description].filter(isText).join('\n')),
  );
  const spoken: Part[] = [...contentOf(line.content), ...made];
  if (spoken.length === 0) return [];
  const results = calls.flatMap((call, index): Message[] => {
    const content = resultOf(call);
    if (!content) return [];
    const { callId, name } = made[index]!;
    const isError = call.status === 'error' || call.status === 'cancelled';
    const part = resultPart(callId, content, isError, name);
    return [{ id: `${id}#${index}`, role: 'tool', origin: 'tool', parts: [part], ...time(call) }];
  });
  const parts = [...thoughts, ...spoken];
  return [{ id, role: 'assistant', origin: 'model', parts, ...time(line) }, ...results];
}

const time = ({ timestamp }: Fields) => when(textOr(timestamp));

/** Undefined where the call has no result yet. */
function resultOf({ result }: Fields): (TextPart | FilePart)[] | undefined {
  if (result === undefined || result === null) return undefined;
  return [result].flat().flatMap((value) => {
    const response = isFields(value) && isFields(value.functionResponse) ? value.functionResponse : undefined;
    if (!response) return contentOf([value]);
    const more = Array.isArray(response.parts) ? contentOf(response.parts) : [];
    return [...textParts(wordsOf(response.response)), ...more];
  });
}

/** The output where a response holds nothing else, otherwise the whole of it as JSON. */
function wordsOf(response: unknown): string {
  if (isFields(response) && Object.keys(response).length === 1 && typeof response.output === 'string')
    return response.output;
  return typeof response === 'string' ? response : response === undefined ? '' : jsonText(response);
}

/** A text, or a list of Gemini's parts. */
function contentOf(content: unknown): (TextPart | FilePart)[] {
  const list: readonly unknown[] = [content].flat();
  return list.flatMap((part): (TextPart | FilePart)[] => {
    if (!isFields(part)) return textParts(part);
    if (typeof part.text === 'string') return textParts(part.text);
    const { mimeType, data } = fieldsOf(part.inlineData);
    if (typeof data !== 'string') return textParts(jsonText(part));
    const media = mediaTypeOr(mimeType);
    return [picture(media, dataUrl(media, data))];
  });
}
