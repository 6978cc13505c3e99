import type { Notice } from '../../spi/index.js';
import type { Message } from '../../transcript/index.js';
import { notASession } from '../faults.js';
import type { ImportedSession, LineImporter, SessionReader } from '../importer.js';
import { isFields, type Fields } from '../../wire/index.js';
import { Conversation } from './conversation.js';

/**
 * Copilot CLI's `events.jsonl`: one event a line, an envelope with `type` and `data`. Sub-agents' events (`agentId`, or
 * `parentToolCallId` in older versions) are not the conversation and are left out; so is what was never sent: hooks,
 * permissions, usage, progress.
 */
export const copilot: LineImporter = {
  name: 'copilot',
  mark: 'its lines are session events with `data`, as Copilot CLI writes them',
  recognises: (head) =>
    /^\s*\{\s*"type"\s*:\s*"(session|user|assistant|tool|system|hook|subagent|skill|abort)(\.[a-z_]+)?"\s*,\s*"data"\s*:\s*\{/.test(
      head,
    ) || /"producer"\s*:\s*"copilot-agent"/.test(head.split('\n', 1)[0]!),
  open: () => new CopilotReader(),
};

class CopilotReader implements SessionReader {
  readonly #conversation = new Conversation();
  readonly #about: { id?: unknown; agent_version?: unknown; model?: unknown } = {};
  #ofSubAgents = 0;
  #events = 0;

  take(value: unknown): void {
    if (!isFields(value) || typeof value.type !== 'string' || value.ephemeral === true) return;
    const data = isFields(value.data) ? value.data : {};
    this.#events += 1;
    this.#note(value.type, data);
    if (typeof value.agentId === 'string' || typeof data.parentToolCallId === 'string') {
      this.#ofSubAgents += 1;
      return;
    }
    const id = typeof value.id === 'string' && value.id !== '' ? value.id : `e${this.#events}`;
    const created = typeof value.timestamp === 'string' ? Date.parse(value.timestamp) : Number.NaN;
    this.#conversation.take({
      id,
      type: value.type,
      data,
      createdAt: Number.isNaN(created) ? undefined : created,
    });
  }

  #note(type: string, data: Fields): void {
    if (type === 'session.start') {
      this.#about.id ??= data.sessionId;
      this.#about.agent_version ??= data.copilotVersion;
      this.#about.model ??= data.selectedModel;
    } else if (type === 'session.model_change') {
      this.#about.model ??= data.newModel;
    } else if (type === 'tool.execution_complete') {
      this.#about.model ??= data.model;
    }
  }

  finish(): ImportedSession {
    const { messages, compactions, notices: told } = this.#conversation.finish();
    if (messages.length === 0) {
      const found = `${this.#events} events, none with a message`;
      throw notASession(
        'copilot',
        found,
        'user and assistant messages',
        'Pass the events.jsonl of a session.',
      );
    }
    const notices: Notice[] = [...told];
    if (this.#ofSubAgents > 0) {
      const what = `${this.#ofSubAgents} events belong to sub-agents; left out`;
      notices.push({ at: 'file', kind: 'sidechain', what });
    }
    const { model } = this.#about;
    return {
      parsed: {
        messages: messages as readonly Message[],
        notices,
        ...(typeof model === 'string' && { model }),
      },
      meta: { ...this.#about, ...(compactions.length > 0 && { compaction_at: compactions }) },
    };
  }
}
