import { fieldsOf, isFields, isProgramWritten, openaiResponses, type Fields } from '../../formats/index.js';
import { fieldsIn, textOr, when } from './parts.js';
import { Recording, type ImportedSession, type Importer, type SessionReader } from './recording.js';

/**
 * Codex's rollout files: lines that wrap the items of Responses requests, beside events for the terminal, which repeat
 * them and are left out. Messages keep their items, so that they go back to that wire as they were.
 */
export const codex: Importer = {
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
  readonly #recording = new Recording('codex');
  readonly #items: Fields[] = [];
  readonly #times: ReturnType<typeof when>[] = [];
  /** Before which item a compaction stood. */
  #compactedAt: number[] = [];
  #instructions: string | undefined;
  #unreadable = 0;
  #rewound = 0;

  take(value: unknown): void {
    if (!isFields(value)) return;
    const payload = fieldsOf(value.payload);
    if (value.type === 'session_meta') this.#note(payload);
    else if (value.type === 'turn_context') this.#recording.about({ model: textOr(payload.model) });
    else if (value.type === 'compacted') this.#compactedAt.push(this.#items.length);
    else if (payload.type === 'thread_rolled_back') this.#rewind(Number(payload.num_turns));
    else if (value.type === 'response_item' && !BOOKKEEPING.has(payload.type)) {
      if (payload.type === 'reasoning' && saysNothing(payload)) {
        this.#unreadable++;
        return;
      }
      this.#items.push(payload);
      this.#times.push(when(textOr(value.timestamp)));
    }
  }

  /** Takes back so many of the newest turns: what a user said, and what came of it. */
  #rewind(turns: number): void {
    const starts = this.#items.flatMap((item, at) => (isOfUser(item) ? [at] : []));
    const [to] = turns > 0 ? starts.slice(-turns) : [];
    if (to === undefined) return;
    this.#rewound += this.#items.splice(to).length;
    this.#times.splice(to);
    this.#compactedAt = this.#compactedAt.filter((at) => at <= to);
  }

  #note(meta: Fields): void {
    this.#recording.about({ id: textOr(meta.id), agent_version: textOr(meta.cli_version) });
    const base = isFields(meta.base_instructions) ? meta.base_instructions.text : meta.instructions;
    this.#instructions ??= textOr(base);
  }

  finish(): ImportedSession {
    // The same reading as of a request, instructions included: this is what Codex sent.
    const instructions = this.#items.length > 0 ? this.#instructions : undefined;
    const { messages, notices } = openaiResponses.parse({ input: this.#items, instructions });
    const recording = this.#recording;
    const left = 'reasoning items without words or sealed content; left out';
    recording.counted(this.#unreadable, 'unreadable-reasoning', left);
    recording.counted(this.#rewound, 'rewound', 'items of turns that were rolled back; left out');
    const timed = messages.map((message) => ({ ...message, ...this.#times[placeOf(message.id)] }));
    recording.takes(timed, notices);
    const before = (at: number): number => messages.filter(({ id }) => placeOf(id) < at).length;
    recording.compactions.push(...this.#compactedAt.map(before));
    return recording.session();
  }
}

/** Messages are named after the place of their first item: `m12`. The instructions come before all. */
const placeOf = (id: string): number => (id.startsWith('m') ? Number(id.slice(1)) : -1);

/** Words that a user said: nothing that Codex wrote in their place. */
const isOfUser = ({ type, role, content }: Fields): boolean =>
  type === 'message' &&
  role === 'user' &&
  !fieldsIn(content).every(({ text }) => isProgramWritten(textOr(text) ?? ''));

function saysNothing({ summary, content, encrypted_content: sealed, id }: Fields): boolean {
  const isEmpty = (list: unknown): boolean => !Array.isArray(list) || list.length === 0;
  return isEmpty(summary) && isEmpty(content) && textOr(sealed) === undefined && textOr(id) === undefined;
}
