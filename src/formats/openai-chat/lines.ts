import { SpillwayError } from '../../errors/index.js';
import type { Notice } from '../../spi/index.js';
import type { ImportedSession, LineImporter, SessionReader } from '../importer.js';
import { isFields, kindOf, type Fields } from '../record.js';
import { parse } from './parse.js';
import { isKnownRole } from './wire.js';

/** A chat message per line, or a single line that holds a whole request. */
export const chatLines: LineImporter = {
  name: 'openai-chat',
  mark: 'its lines are chat messages, or one whole request',
  recognises: (head) => head.split('\n').some(isChat) || FIRST_KEY.test(head),
  open: () => new ChatLinesReader(),
};

/** For a first line too long to be seen whole. */
const FIRST_KEY = /^\s*\{\s*"(role|messages)"\s*:|^[^\n]*"messages"\s*:\s*\[\s*\{\s*"role"\s*:/;

function isChat(line: string): boolean {
  try {
    const value = JSON.parse(line) as unknown;
    return isFields(value) && (isKnownRole(value.role) || Array.isArray(value.messages));
  } catch {
    return false;
  }
}

class ChatLinesReader implements SessionReader {
  readonly #messages: Fields[] = [];
  readonly #requests: Fields[] = [];
  readonly #notices: Notice[] = [];

  take(value: unknown, line: number): void {
    if (isFields(value) && Array.isArray(value.messages)) this.#requests.push(value);
    else if (isFields(value) && value.kind !== 'meta') this.#messages.push(value);
    else this.#notices.push({ at: `line ${line}`, kind: 'not-a-message', what: `${kindOf(value)}; skipped` });
  }

  finish(): ImportedSession {
    const requests = this.#requests.length;
    if (requests > 1 || (requests === 1 && this.#messages.length > 0)) {
      throw new SpillwayError('INPUT_FORMAT', {
        subject: 'openai-chat: the file',
        found: `${requests} whole requests and ${this.#messages.length} messages`,
        allowed: 'the messages of one session, one a line, or one request',
        remedy: 'Put each conversation into a file of its own.',
      });
    }
    const parsed = parse(this.#requests[0] ?? this.#messages);
    return { parsed: { ...parsed, notices: [...this.#notices, ...parsed.notices] } };
  }
}
