import { SpillwayError } from '../../errors/index.js';
import type { Notice } from '../../spi/index.js';
import type { Message } from '../../transcript/index.js';
import type { ImportedSession, LineImporter, SessionReader } from '../importer.js';
import { parseItems, isFields, type Fields } from '../../wire/index.js';

/**
 * Codex's rollout files: lines that wrap the items of Responses requests, beside events for the terminal, which repeat
 * them and are left out. Messages keep their items, so that they go back to that wire as they were.
 */
export const codex: LineImporter = {
  name: 'codex',
  mark: 'its lines are `session_meta` and `response_item`, as Codex writes its rollouts',
  // In a quoted text the quotes would be escaped, so these can only be keys of the lines themselves.
  recognises: (head) =>
    /"type"\s*:\s*"session_meta"/.test(head) ||
    (/"type"\s*:\s*"response_item"/.test(head) && /"payload"\s*:\s*\{/.test(head)),
  open: () => new RolloutReader(),
};

/** Codex's own records among the items; no model ever sees them. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set(['ghost_snapshot', 'other']);

class RolloutReader implements SessionReader {
  readonly #items: Fields[] = [];
  readonly #times: (number | undefined)[] = [];
  readonly #about: { id?: unknown; model?: unknown; agent_version?: unknown } = {};
  /** Before which item a compaction stood. */
  readonly #compactedAt: number[] = [];
  #instructions: string | undefined;
  #unreadable = 0;

  take(value: unknown): void {
    if (!isFields(value)) return;
    const payload = isFields(value.payload) ? value.payload : {};
    if (value.type === 'session_meta') this.#note(payload);
    else if (value.type === 'turn_context') this.#about.model ??= textOr(payload.model);
    else if (value.type === 'compacted') this.#compactedAt.push(this.#items.length);
    else if (value.type === 'response_item') this.#takeItem(payload, value.timestamp);
  }

  #note(meta: Fields): void {
    this.#about.id ??= textOr(meta.id);
    this.#about.agent_version ??= textOr(meta.cli_version);
    const base = isFields(meta.base_instructions) ? meta.base_instructions.text : meta.instructions;
    this.#instructions ??= textOr(base);
  }

  #takeItem(item: Fields, timestamp: unknown): void {
    if (BOOKKEEPING.has(item.type)) return;
    if (item.type === 'reasoning' && saysNothing(item)) {
      this.#unreadable++;
      return;
    }
    this.#items.push(item);
    const time = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
    this.#times.push(Number.isNaN(time) ? undefined : time);
  }

  finish(): ImportedSession {
    if (this.#items.length === 0) {
      throw new SpillwayError('INPUT_FORMAT', {
        subject: 'codex: the file',
        found: 'a rollout without an item of the conversation',
        allowed: '`response_item` lines',
        remedy: 'Pass the rollout of a session in which something was said.',
      });
    }
    // The same reading as of a request, instructions included: this is what Codex sent.
    const { messages, notices } = parseItems(this.#items, { instructions: this.#instructions });
    const timed = messages.map((message) => this.#timed(message));
    const { id, model, agent_version } = this.#about;
    const compactions = this.#compactedAt.map((at) => messages.filter(({ id: m }) => placeOf(m) < at).length);
    return {
      parsed: {
        messages: timed,
        notices: [...this.#left(), ...notices],
        ...(typeof model === 'string' ? { model } : {}),
      },
      meta: { id, model, agent_version, ...(compactions.length > 0 ? { compaction_at: compactions } : {}) },
    };
  }

  #timed(message: Message): Message {
    const createdAt = this.#times[placeOf(message.id)];
    return createdAt === undefined ? message : { ...message, createdAt };
  }

  #left(): Notice[] {
    if (this.#unreadable === 0) return [];
    const what = `${this.#unreadable} reasoning items without words or sealed content; left out`;
    return [{ at: 'file', kind: 'unreadable-reasoning', what }];
  }
}

/** Messages are named after the place of their first item: `m12`. The instructions come before all. */
function placeOf(id: string): number {
  return id.startsWith('m') ? Number(id.slice(1)) : -1;
}

function saysNothing({ summary, content, encrypted_content: sealed, id }: Fields): boolean {
  const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;
  return isEmpty(summary) && isEmpty(content) && textOr(sealed) === undefined && textOr(id) === undefined;
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
