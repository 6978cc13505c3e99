import type { FilePart, Part, TextPart } from '../../transcript/index.js';
import { fieldsOf, isFields, isText, jsonText, type Fields } from '../../formats/index.js';
import * as part from './parts.js';
import { fieldsIn, asText } from './parts.js';
import { Recording, type ImportedSession, type Importer, type SessionReader } from './recording.js';

/**
 * Gemini CLI's session files: one JSON object with all messages, or in newer versions a head line and one message per
 * line. A message that is written again replaces its earlier version.
 */
export const geminiCli: Importer = {
  name: 'gemini-cli',
  mark: 'it begins with `sessionId` and `projectHash`, as Gemini CLI writes them',
  isWhole: true,
  recognises: (head) => {
    const front = head.trimStart().slice(0, FRONT_CHARS);
    return /^\{\s*"/.test(front) && /"sessionId"\s*:/.test(front) && /"projectHash"\s*:/.test(front);
  },
  open: () => new GeminiCliReader(),
};

/** Characters of the file that are searched for its own fields, which come before the messages. */
const FRONT_CHARS = 500;

class GeminiCliReader implements SessionReader {
  readonly #recording = new Recording('gemini-cli');
  #head: Fields | undefined;
  #otherSessions = 0;
  /** Messages by id, in the order of their first appearance. */
  readonly #messages = new Map<unknown, Fields>();

  take(value: unknown): void {
    if (!isFields(value)) return;
    if (isHead(value)) {
      this.#head ??= value;
      if (value.sessionId !== this.#head.sessionId) this.#otherSessions++;
      for (const message of fieldsIn(value.messages)) this.take(message);
    } else if (value.$rewindTo !== undefined) this.#rewind(value.$rewindTo);
    else if (typeof value.type === 'string') this.#messages.set(value.id ?? this.#messages.size, value);
  }

  /** Removes this message and all later ones, because the user rewound the session. */
  #rewind(id: unknown): void {
    const keys = [...this.#messages.keys()];
    const from = keys.indexOf(id);
    for (const key of from < 0 ? [] : keys.slice(from)) this.#messages.delete(key);
  }

  finish(): ImportedSession {
    const recording = this.#recording;
    const skippedTypes = new Map<string, number>();
    recording.addMeta({ id: this.#head?.sessionId });
    recording.noteCount(this.#otherSessions, 'another-session', 'more sessions are in the file; read as one');
    for (const [index, line] of [...this.#messages.values()].entries()) {
      const id = asText(line.id) ?? `m${index}`;
      const parts = contentOf(line.content);
      if (typeof line.model === 'string') recording.addMeta({ model: line.model });
      if (line.type === 'gemini') this.#addStep(line, id);
      else if (line.type !== 'user')
        skippedTypes.set(String(line.type), (skippedTypes.get(String(line.type)) ?? 0) + 1);
      else if (parts.length > 0) recording.add(id, part.userMessage(parts), time(line));
    }
    for (const [type, count] of skippedTypes)
      recording.noteCount(count, 'not-a-message', `lines of type ${type} are the terminal's own; left out`);
    return recording.session();
  }

  /** Adds a step of the model as one message with its calls, and each call's result as a message of its own. */
  #addStep(line: Fields, id: string): void {
    const calls = fieldsIn(line.toolCalls);
    const callParts = calls.map((call, index) =>
      part.call(asText(call.id) ?? `call_${id}_${index}`, call.name, call.args),
    );
    const thoughts = fieldsIn(line.thoughts).map(({ subject, description }) =>
      part.reasoning([subject, description].filter(isText).join('\n')),
    );
    const visibleParts: Part[] = [...contentOf(line.content), ...callParts];
    if (visibleParts.length === 0) return;
    this.#recording.add(id, part.modelMessage([...thoughts, ...visibleParts]), time(line));
    for (const [index, call] of calls.entries()) {
      const content = resultOf(call);
      if (!content) continue;
      const { callId, name } = callParts[index]!;
      const isError = call.status === 'error' || call.status === 'cancelled';
      const result = part.result(callId, content, isError, name);
      this.#recording.add(`${id}#${index}`, part.toolMessage(result), time(call));
    }
  }
}

const isHead = (value: Fields): boolean =>
  typeof value.sessionId === 'string' && typeof value.projectHash === 'string';

const time = ({ timestamp }: Fields) => part.timeOf(asText(timestamp));

/** Undefined if the call has no result yet. */
function resultOf({ result }: Fields): (TextPart | FilePart)[] | undefined {
  if (result === undefined || result === null) return undefined;
  return [result].flat().flatMap((value) => {
    const response = isFields(value) && isFields(value.functionResponse) ? value.functionResponse : undefined;
    if (!response) return contentOf([value]);
    const more = Array.isArray(response.parts) ? contentOf(response.parts) : [];
    return [...part.anyText(outputIn(response.response)), ...more];
  });
}

/** The output if the response has no other field, or else the whole response. */
function outputIn(response: unknown): unknown {
  return isFields(response) && Object.keys(response).length === 1 ? (response.output ?? response) : response;
}

/** Parts from a text or from a list of Gemini's parts. */
function contentOf(content: unknown): (TextPart | FilePart)[] {
  const list: readonly unknown[] = [content].flat();
  return list.flatMap((one): (TextPart | FilePart)[] => {
    if (!isFields(one)) return part.text(one);
    if (typeof one.text === 'string') return part.text(one.text);
    const { mimeType, data } = fieldsOf(one.inlineData);
    if (typeof data !== 'string') return part.text(jsonText(one));
    const media = part.mediaTypeOr(mimeType);
    return [part.picture(media, part.dataUrl(media, data))];
  });
}
