import type { Notice } from '../../spi/index.js';
import { notASession } from '../faults.js';
import type { ImportedSession, LineImporter, SessionReader } from '../importer.js';
import { isFields, type Fields } from '../../wire/index.js';
import { messagesOf } from './messages.js';
import { branchOf, type Entry } from './tree.js';

/**
 * pi's session files: a `session` line, then entries. Newer files are a tree, of which the branch of the last entry is
 * the conversation. Compactions are told in `compaction_at` and not played again. The system prompt is not in the file.
 */
export const pi: LineImporter = {
  name: 'pi',
  mark: 'its first line is a `session` with a working directory, as pi writes it',
  recognises: (head) => /^\s*\{\s*"type"\s*:\s*"session"\s*,[^\n]*"cwd"\s*:/.test(head),
  open: () => new PiReader(),
};

class PiReader implements SessionReader {
  readonly #entries: Entry[] = [];
  readonly #about: { id?: unknown; version?: unknown; model?: unknown } = {};

  take(value: unknown): void {
    if (!isFields(value)) return;
    if (value.type === 'session') this.#start(value);
    else this.#entries.push({ ...ids(value), order: this.#entries.length, line: value });
    const { message } = value;
    if (isFields(message) && message.role === 'assistant') this.#about.model ??= message.model;
  }

  #start({ id, version, modelId }: Fields): void {
    this.#about.id ??= id;
    this.#about.version ??= version;
    this.#about.model ??= modelId;
  }

  finish(): ImportedSession {
    const { entries, left } = branchOf(this.#entries);
    const notices: Notice[] = [];
    const { messages, compactions } = messagesOf(entries, notices);
    if (messages.length === 0) {
      const found = `${this.#entries.length} entries, none with a message`;
      throw notASession('pi', found, 'a session with messages', 'Pass a session file of pi.');
    }
    if (left > 0) {
      const what = `${left} messages stand on branches that were left; left out`;
      notices.push({ at: 'file', kind: 'rewound', what });
    }
    const { model, id, version } = this.#about;
    return {
      parsed: { messages, notices, ...(typeof model === 'string' && { model }) },
      meta: { id, version, model, ...(compactions.length > 0 && { compaction_at: compactions }) },
    };
  }
}

function ids({ id, parentId }: Fields): { id?: string; parentId?: string } {
  return {
    ...(typeof id === 'string' && { id }),
    ...(typeof parentId === 'string' && { parentId }),
  };
}
