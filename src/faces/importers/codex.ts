import { fieldsOf, isFields, isProgramWritten, openaiResponses, type Fields } from '../../formats/index.js';
import { fieldsIn, asText, timeOf } from './parts.js';
import { Recording, type ImportedSession, type Importer, type SessionReader } from './recording.js';

/**
 * Codex's rollout files: lines that wrap the items of Responses requests, and events for the terminal, which repeat the
 * items and are left out. Messages keep their items, so that they can be written to that wire unchanged.
 */
export const codex: Importer = {
  name: 'codex',
  mark: 'its lines are `session_meta` and `response_item`, as Codex writes its rollouts',
  // In quoted text these quotes would be escaped, so a match can only be a key of a line itself.
  recognises: (head) =>
    /"type"\s*:\s*"session_meta"/.test(head) ||
    (/"type"\s*:\s*"response_item"/.test(head) && /"payload"\s*:\s*\{/.test(head)),
  open: () => new RolloutReader(),
};

/** Codex's own records among the items. They are never sent to a model. */
const BOOKKEEPING: ReadonlySet<unknown> = new Set(['ghost_snapshot', 'other']);

class RolloutReader implements SessionReader {
  readonly #recording = new Recording('codex');
  readonly #items: Fields[] = [];
  readonly #times: ReturnType<typeof timeOf>[] = [];
  /** Indexes of the items before which a compaction happened. */
  #compactedAt: number[] = [];
  #instructions: string | undefined;
  #unreadable = 0;
  #rewound = 0;

  take(value: unknown): void {
    if (!isFields(value)) return;
    const payload = fieldsOf(value.payload);
    if (value.type === 'session_meta') this.#readMeta(payload);
    else if (value.type === 'turn_context') this.#recording.addMeta({ model: asText(payload.model) });
    else if (value.type === 'compacted') this.#compactedAt.push(this.#items.length);
    else if (payload.type === 'thread_rolled_back') this.#rewind(Number(payload.num_turns));
    else if (value.type === 'response_item' && !BOOKKEEPING.has(payload.type)) {
      if (payload.type === 'reasoning' && isEmptyReasoning(payload)) {
        this.#unreadable++;
        return;
      }
      this.#items.push(payload);
      this.#times.push(timeOf(asText(value.timestamp)));
    }
  }

  /** Removes the newest turns: `turns` user messages and everything after them. */
  #rewind(turns: number): void {
    const starts = this.#items.flatMap((item, at) => (isOfUser(item) ? [at] : []));
    const [to] = turns > 0 ? starts.slice(-turns) : [];
    if (to === undefined) return;
    this.#rewound += this.#items.splice(to).length;
    this.#times.splice(to);
    this.#compactedAt = this.#compactedAt.filter((at) => at <= to);
  }

  #readMeta(meta: Fields): void {
    this.#recording.addMeta({ id: asText(meta.id), agent_version: asText(meta.cli_version) });
    const base = isFields(meta.base_instructions) ? meta.base_instructions.text : meta.instructions;
    this.#instructions ??= asText(base);
  }

  finish(): ImportedSession {
    // Parsed like a request, with the instructions, because Codex sent exactly this.
    const instructions = this.#items.length > 0 ? this.#instructions : undefined;
    const { messages, notices } = openaiResponses.parse({ input: this.#items, instructions });
    const recording = this.#recording;
    const left = 'reasoning items without words or sealed content; left out';
    recording.noteCount(this.#unreadable, 'unreadable-reasoning', left);
    recording.noteCount(this.#rewound, 'rewound', 'items of turns that were rolled back; left out');
    const timed = messages.map((message) => ({ ...message, ...this.#times[itemIndexOf(message.id)] }));
    recording.addParsed(timed, notices);
    const before = (at: number): number => messages.filter(({ id }) => itemIndexOf(id) < at).length;
    recording.compactions.push(...this.#compactedAt.map(before));
    return recording.session();
  }
}

/** Messages are named after the index of their first item: `m12`. The instructions come first, so their index is -1. */
const itemIndexOf = (id: string): number => (id.startsWith('m') ? Number(id.slice(1)) : -1);

/** Whether an item is a message that the user wrote, and not Codex in the role of the user. */
const isOfUser = ({ type, role, content }: Fields): boolean =>
  type === 'message' &&
  role === 'user' &&
  !fieldsIn(content).every(({ text }) => isProgramWritten(asText(text) ?? ''));

function isEmptyReasoning({ summary, content, encrypted_content: sealed, id }: Fields): boolean {
  const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;
  return isEmpty(summary) && isEmpty(content) && asText(sealed) === undefined && asText(id) === undefined;
}
