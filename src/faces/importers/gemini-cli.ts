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
  notASession,
  picture,
  reasoning,
  sessionOf,
  textOr,
  textParts,
  when,
  type ImportedSession,
  type LineImporter,
  type SessionReader,
  type WholeImporter,
} from './recording.js';

const NAME = 'gemini-cli';

/** Gemini CLI's session files: one JSON object with all messages. */
export const geminiCli: WholeImporter = {
  name: NAME,
  mark: 'the file has `projectHash` and messages of type user and gemini, as Gemini CLI writes them',
  fits: (value) => isFields(value) && isHead(value) && Array.isArray(value.messages),
  read: (value) => imported(fieldsOf(value), fieldsIn(fieldsOf(value).messages)),
};

/** The same by newer versions: a head line, then a message a line; a message written again replaces itself. */
export const geminiCliLines: LineImporter = {
  name: NAME,
  mark: 'line 1 has `sessionId` and `projectHash`, as Gemini CLI writes them',
  recognises: (head) => {
    const [first = ''] = head.trimStart().split('\n', 1);
    return /"sessionId"\s*:/.test(first) && /"projectHash"\s*:/.test(first);
  },
  open: () => new GeminiCliReader(),
};

class GeminiCliReader implements SessionReader {
  #head: Fields = {};
  /** By id, in the order of first sight. */
  readonly #messages = new Map<unknown, Fields>();

  take(value: unknown): void {
    if (!isFields(value)) return;
    if (isHead(value)) this.#head = { ...value, ...this.#head };
    else if (value.$rewindTo !== undefined) this.#rewind(value.$rewindTo);
    else if (typeof value.type === 'string') this.#messages.set(value.id ?? this.#messages.size, value);
  }

  /** What was said from this message on was taken back. */
  #rewind(id: unknown): void {
    const keys = [...this.#messages.keys()];
    const from = keys.indexOf(id);
    for (const key of from < 0 ? [] : keys.slice(from)) this.#messages.delete(key);
  }

  finish(): ImportedSession {
    return imported(this.#head, [...this.#messages.values()]);
  }
}

const isHead = (value: Fields): boolean =>
  typeof value.sessionId === 'string' && typeof value.projectHash === 'string';

/** A step of the model is one message with its calls; each result, which stands beside its call, is a message. */
function imported(head: Fields, lines: readonly Fields[]): ImportedSession {
  const left = new Map<string, number>();
  const messages = lines.flatMap((line, index) => {
    const id = textOr(line.id) ?? `m${index}`;
    if (line.type === 'gemini') return step(line, id);
    if (line.type === 'user') return said(line, id);
    left.set(String(line.type), (left.get(String(line.type)) ?? 0) + 1);
    return [];
  });
  if (messages.length === 0)
    throw notASession(
      NAME,
      `${lines.length} lines of a session, none of which anyone said`,
      'messages of type user or gemini',
      'Pass the session file itself.',
    );
  const notices = [...left].flatMap(([type, count]): Notice[] =>
    counted(count, 'not-a-message', `lines of type ${type} are the terminal's own; left out`),
  );
  const model = lines.map((line) => line.model).find((name) => typeof name === 'string');
  return sessionOf({ messages, notices, meta: { id: head.sessionId, model } });
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
    const failed = call.status === 'error' || call.status === 'cancelled' ? { isError: true } : {};
    const part = { type: 'tool-result', callId, name, content, ...failed } as const;
    return [{ id: `${id}#${index}`, role: 'tool', origin: 'tool', parts: [part], ...time(call) }];
  });
  const parts = [...thoughts, ...spoken];
  return [{ id, role: 'assistant', origin: 'model', parts, ...time(line) }, ...results];
}

const time = ({ timestamp }: Fields) => (typeof timestamp === 'string' ? when(timestamp) : {});

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
