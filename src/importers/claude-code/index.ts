import { SpillwayError } from '../../errors/index.js';
import type { Notice } from '../../spi/index.js';
import type { ImportedSession, LineImporter, SessionReader } from '../importer.js';
import { isFields, type Fields } from '../../wire/index.js';
import { isApiError, readNode, type Node } from './lines.js';
import { messagesOf } from './messages.js';
import { pathOf } from './path.js';

/**
 * Claude Code's session files. Side chains (sub-agents), progress and hook lines, snapshots and API errors are not
 * the conversation and are left out; thinking stays, as reasoning parts. The system prompt is never in the file.
 */
export const claudeCode: LineImporter = {
  name: 'claude-code',
  mark: 'its lines carry `parentUuid`, as Claude Code writes them',
  // In a quoted text the quotes would be escaped, so these can only be keys of the lines themselves.
  recognises: (head) =>
    /"parentUuid"\s*:/.test(head) || /^\s*\{\s*"type"\s*:\s*"(summary|file-history-snapshot)"/.test(head),
  open: () => new ClaudeCodeReader(),
};

class ClaudeCodeReader implements SessionReader {
  readonly #nodes: Node[] = [];
  readonly #about: { sessionId?: unknown; version?: unknown; model?: unknown } = {};
  #sidechain = 0;
  #apiErrors = 0;

  take(value: unknown): void {
    if (!isFields(value)) return;
    if (value.isSidechain === true) this.#sidechain++;
    this.#note(value);
    const node = readNode(value, this.#nodes.length);
    if (!node) return;
    // The line of an API error says nothing, but may be another line's parent.
    const silent = isApiError(value);
    if (silent) this.#apiErrors++;
    this.#nodes.push(silent ? { uuid: node.uuid, parent: node.parent, order: node.order } : node);
  }

  #note(line: Fields): void {
    if (typeof line.sessionId === 'string') this.#about.sessionId ??= line.sessionId;
    if (typeof line.version === 'string') this.#about.version ??= line.version;
    const model = isFields(line.message) ? line.message.model : undefined;
    if (typeof model === 'string' && !isApiError(line)) this.#about.model ??= model;
  }

  finish(): ImportedSession {
    const path = pathOf(this.#nodes);
    const notices: Notice[] = [];
    const messages = messagesOf(path.entries, notices);
    if (messages.length === 0) {
      throw new SpillwayError('INPUT_FORMAT', {
        subject: 'claude-code: the file',
        found: `${this.#nodes.length} lines of a session, none with a message`,
        allowed: 'user and assistant lines with a uuid',
        remedy: 'Pass the session file itself, not a sub-agent or history file.',
      });
    }
    say(
      notices,
      path.breaks,
      'chain-break',
      'parents are not in the file; the message before was taken instead',
    );
    say(notices, path.left, 'rewound', 'lines stand on branches that were rewound; left out');
    say(notices, this.#sidechain, 'sidechain', 'lines belong to sub-agents; left out');
    say(notices, this.#apiErrors, 'api-error', 'API errors stand where the model would speak; left out');
    const { sessionId: id, version: agent_version, model } = this.#about;
    return {
      parsed: { messages, notices, ...(typeof model === 'string' ? { model } : {}) },
      meta: { id, model, agent_version },
    };
  }
}

function say(notices: Notice[], count: number, kind: string, what: string): void {
  if (count > 0) notices.push({ at: 'file', kind, what: `${count} ${what}` });
}
