import { SpillwayError } from '../../errors/index.js';
import type { ImportedSession, LineImporter, SessionReader, WholeImporter } from '../importer.js';
import { isFields, type Fields } from '../../wire/index.js';
import { messagesOf } from './messages.js';

const NAME = 'gemini-cli';

/** Gemini CLI's session files: one JSON object with all messages. */
export const geminiCli: WholeImporter = {
  name: NAME,
  mark: 'the file has `projectHash` and messages of type user and gemini, as Gemini CLI writes them',
  fits: (value) => isFields(value) && isHead(value) && Array.isArray(value.messages),
  read: (value) => {
    const file: Fields = isFields(value) ? value : {};
    return sessionOf(file, Array.isArray(file.messages) ? file.messages.filter(isFields) : []);
  },
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
    let found = false;
    for (const key of this.#messages.keys()) {
      found ||= key === id;
      if (found) this.#messages.delete(key);
    }
  }

  finish(): ImportedSession {
    return sessionOf(this.#head, [...this.#messages.values()]);
  }
}

function isHead(value: Fields): boolean {
  return typeof value.sessionId === 'string' && typeof value.projectHash === 'string';
}

function sessionOf(head: Fields, lines: readonly Fields[]): ImportedSession {
  const { messages, notices } = messagesOf(lines);
  if (messages.length === 0) {
    throw new SpillwayError('INPUT_FORMAT', {
      subject: 'gemini-cli: the file',
      found: `${lines.length} lines of a session, none of which anyone said`,
      allowed: 'messages of type user or gemini',
      remedy: 'Pass the session file itself.',
    });
  }
  const model = lines.map((line) => line.model).find((name) => typeof name === 'string');
  return {
    parsed: { messages, notices, ...(typeof model === 'string' ? { model } : {}) },
    meta: { id: head.sessionId, model },
  };
}
