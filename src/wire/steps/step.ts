import type { Notice } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { lateResult, ORPHAN_RESULT, secondResult } from '../wording.js';
import type { CallBook } from './call-book.js';
import type { Answer, Draft, DraftCall, StepDialect } from './writer.js';

interface Drafted<Item> {
  readonly shown: ViewMessage;
  readonly draft: Draft<Item>;
}

interface Desk<Item> {
  readonly book: CallBook;
  readonly messages: unknown[];
  readonly notices: Notice[];
  readonly dialect: StepDialect<Item>;
}

interface Slot {
  readonly call: DraftCall;
  answered: boolean;
}

/**
 * Writes one step: an assistant message and everything up to the next one (the first step may lack its head).
 * Answers go directly behind their calls, what else was said goes behind the answers. Nothing here looks past the
 * next assistant message, and a step that ends the view differs from the same step with a successor only by
 * answers appended at its end; so a longer log extends the bytes of the shorter one.
 */
export function writeStep<Item>(step: readonly Drafted<Item>[], isLast: boolean, desk: Desk<Item>): void {
  const { book, messages, notices, dialect } = desk;
  const [first] = step;
  const head = first?.shown.message.role === 'assistant' ? first : undefined;
  const slots = new Map<string, Slot[]>();
  for (const call of head?.draft.calls ?? []) {
    const same = slots.get(call.callId);
    if (same) same.push({ call, answered: false });
    else slots.set(call.callId, [{ call, answered: false }]);
  }

  const others: unknown[] = [];
  for (const { shown, draft } of step) {
    notices.push(...draft.notices);
    if (draft.message !== undefined) (draft === head?.draft ? messages : others).push(draft.message);
    settle(draft, shown.message.id, slots, others, desk);
  }

  const open = [...slots.values()].flat();
  const missing = open.filter(({ call, answered }) => !answered && !call.optional).map(({ call }) => call);
  if (head && missing.length > 0 && (!isLast || others.length > 0)) {
    const at = head.shown.message.id;
    for (const { callId, tool } of missing)
      notices.push({ at, kind: 'interrupted-call', what: `call ${callId} to ${tool} has no result` });
    messages.push(...dialect.unanswered(missing));
  }
  for (const { call, answered } of open) book.enter(call.callId, { tool: call.tool, answered });
  for (const message of others) messages.push(message);
}

/** The answers of one message: those that this step waits for behind its calls, the rest as words. */
function settle<Item>(
  draft: Draft<Item>,
  at: string,
  slots: ReadonlyMap<string, readonly Slot[]>,
  others: unknown[],
  { messages, notices, book, dialect }: Desk<Item>,
): void {
  if (draft.answers.length === 0) return;
  const note = (kind: string, what: string): void => void notices.push({ at, kind, what });
  const pairs: [Answer<Item>, DraftCall][] = [];
  const strays: Answer<Item>[] = [];
  for (const answer of draft.answers) {
    const slot = slots.get(answer.callId)?.find(({ answered }) => !answered);
    if (slot) {
      slot.answered = true;
      pairs.push([answer, slot.call]);
    } else if (answer.bound) {
      note('orphan-approval', 'it answers a question that is not there; not sent');
    } else strays.push(answer);
  }
  if (pairs.length > 0) {
    if (others.length > 0) {
      const ids = pairs.map(([, { wireId }]) => wireId).join(', ');
      note('displaced-result', `moved up to its call ${ids}`);
    }
    const untouched =
      pairs.length === draft.answers.length && draft.whole !== undefined && pairs.every(isSame);
    messages.push(...(untouched ? [draft.whole] : dialect.answered(pairs, draft)));
  }
  for (const answer of strays) {
    others.push(dialect.stray(label(answer.callId, slots, book, note), answer));
  }
}

const isSame = ([answer, call]: readonly [Answer, DraftCall]): boolean => answer.callId === call.wireId;

/** What a result that no waiting call wants is called. */
function label(
  id: string,
  slots: ReadonlyMap<string, readonly Slot[]>,
  book: CallBook,
  note: (kind: string, what: string) => void,
): string {
  const here = slots.get(id)?.[0];
  const call = here ? { tool: here.call.tool, answered: true } : book.find(id);
  if (!call) {
    note('orphan-result', `no call ${id} stands before it; sent as a user message`);
    return ORPHAN_RESULT;
  }
  if (call.answered) {
    note('duplicate-result', `call ${id} to ${call.tool} already has a result; sent as a user message`);
    return secondResult(id, call.tool);
  }
  book.enter(id, { tool: call.tool, answered: true });
  note('late-result', `call ${id} to ${call.tool} was over when it came; sent as a user message`);
  return lateResult(id, call.tool);
}
