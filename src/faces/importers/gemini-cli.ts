import type { FilePart, Part, TextPart } from '../../transcript/index.js';
import { fieldsOf, isFields, isText, jsonText, type Fields } from '../../formats/index.js';
import * as part from './parts.js';
import { fieldsIn, textOr } from './parts.js';
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
    const front = head.trimStart().slice(0, FRONT);
    return /^\{\s*"/.test(front) && /"sessionId"\s*:/.test(front) && /"projectHash"\s*:/.test(front);
  },
  open: () => new GeminiCliReader(),
};

/** Characters of the file that are searched for its own fields, which come before the messages. */
const FRONT = 500;

class GeminiCliReader implements SessionReader {
  readonly #recording = new Recording('gemini-cli');
  #head: Fields | undefined;
  #others = 0;
  /** Messages by id, in the order of their first appearance. */
  readonly #messages = new Map<unknown, Fields>();

  take(value: unknown): void {
    if (!isFields(value)) return;
    if (isHead(value)) {
      this.#head ??= value;
      if (value.sessionId !== this.#head.sessionId) this.#others++;
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
    const left = new Map<string, number>();
    recording.about({ id: this.#head?.sessionId });
    recording.counted(this.#others, 'another-session', 'more sessions are in the file; read as one');
    for (const [index, line] of [...this.#messages.values()].entries()) {
      const id = textOr(line.id) ?? `m${index}`;
      const parts = contentOf(line.content);
      if (typeof line.model === 'string') recording.about({ model: line.model });
      if (line.type === 'gemini') this.#step(line, id);
      else if (line.type !== 'user') left.set(String(line.type), (left.get(String(line.type)) ?? 0) + 1);
      else if (parts.length > 0) recording.add(id, part.inPlaceOfUser(parts), time(line));
    }
    for (const [type, count] of left)
      recording.counted(count, 'not-a-message', `lines of type ${type} are the terminal's own; left out`);
    return recording.session();
  }

  /** Adds a step of the model as one message with its calls, and each call's result as a message of its own. */
  #step(line: Fields, id: string): void {
    const calls = fieldsIn(line.toolCalls);
    const made = calls.map((call, index) =>
      part.call(textOr(call.id) ?? `call_${id}_${index}`, call.name, call.args),
    );
    const thoughts = fieldsIn(line.thoughts).map(({ subject, description }) =>
      part.reasoning([subject, description].filter(isText).join('\n')),
    );
    const spoken: Part[] = [...contentOf(line.content), ...made];
    if (spoken.length === 0) return;
    this.#recording.add(id, part.byModel([...thoughts, ...spoken]), time(line));
    for (const [index, call] of calls.entries()) {
      const content = resultOf(call);
      if (!content) continue;
      const { callId, name } = made[index]!;
      const isError = call.status === 'error' || call.status === 'cancelled';
      const result = part.result(callId, content, isError, name);
      this.#recording.add(`${id}#${index}`, part.byTool(result), time(call));
    }
  }
}

const isHead = (value: Fields): boolean =>
  typeof value.sessionId === 'string' && typeof value.projectHash === 'string';

const time = ({ timestamp }: Fields) => part.when(textOr(timestamp));

/** Undefined if the call has no result yet. */
function resultOf({ result }: Fields): (TextPart | FilePart)[] | undefined {
  if (result === undefined || result === null) return undefined;
  return [result].flat().flatMap((value) => {
    const response = isFields(value) && isFields(value.functionResponse) ? value.functionResponse : undefined;
    if (!response) return contentOf([value]);
    const more = Array.isArray(response.parts) ? contentOf(response.parts) : [];
    return [...part.words(saidBy(response.response)), ...more];
  });
}

/** The output if the response has no other field, or else the whole response. */
function saidBy(response: unknown): unknown {
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
