import { standIn, supersedeBy, type TranscriptView, type ViewExchange } from '../spi/index.js';
import { textOf, type Edit, type Message } from '../transcript/index.js';
import { FRAME_TOKENS } from './fit.js';
import type { GuardRights } from './guard.js';
import type { ViewSource } from './view.js';

/** Only the pipeline may remove a pin, and only if the pin is a reminder. */
export const REMINDER_RIGHTS: GuardRights = { mayRelease: true };

/**
 * Reminders: system messages that arrived while the agent worked; some clients send one every few calls. They are pins,
 * but temporary, and together they would fill any window. Oldest first. Excluded are messages before the model's first
 * answer, unseen messages, and messages that are pinned for another reason than being a system message.
 */
export function remindersIn(
  { exchanges }: TranscriptView,
  { log, isPinnedByName }: Pick<ViewSource, 'log' | 'isPinnedByName'>,
): ViewExchange[] {
  let answered = 0;
  while (answered < log.length && log.at(answered).role !== 'assistant') answered++;
  return exchanges.filter(
    (one) => one.from > answered && isReminder(one) && !isPinnedByName(one.messages[0]!.source!),
  );
}

export const isReminder = (exchange: ViewExchange): boolean =>
  exchange.protection === 'pinned' && !exchange.unseen && isSystem(exchange);

const isSystem = ({ messages }: ViewExchange): boolean =>
  messages.length === 1 && messages[0]!.source?.role === 'system';

/** The reminders that have to go. */
export interface Release {
  /** Tokens that have to be freed. */
  readonly need: number;
  /** Log position after which the request changes anyway: repeated reminders after it go even without need. */
  readonly changedFrom?: number;
}

/**
 * Removes reminders that a later one repeats word for word, then the oldest. An old reminder outside of compacted spans
 * leaves a line. The newest reminder stays.
 */
export function reminderEdits(
  view: TranscriptView,
  reminders: readonly ViewExchange[],
  { need, changedFrom = Infinity }: Release,
  count: (text: string) => number,
): Edit[] {
  if (reminders.length === 0) return [];
  const newest = new Map(view.exchanges.filter(isSystem).map((one) => [keyOf(one), one]));
  const isRepeated = (one: ViewExchange): boolean => newest.get(keyOf(one)) !== one;
  const edits: Edit[] = [];
  let remaining = need;
  for (const one of reminders) {
    if (!isRepeated(one) || (remaining <= 0 && one.from < changedFrom)) continue;
    edits.push(supersedeBy(one, [], 'a reminder that a later one repeats word for word'));
    remaining -= one.tokens;
  }
  for (const one of reminders.slice(0, -1)) {
    if (remaining <= 0) break;
    if (isRepeated(one)) continue;
    const isInSpan = view.exchanges.some(
      ({ kind, from, to }) => kind === 'replacement' && from <= one.from && one.from <= to,
    );
    const line = `[A reminder left out so that the request fits; ${view.mark(one.fromId)}]`;
    if (!isInSpan && one.tokens <= count(line) + FRAME_TOKENS) continue;
    const notice = isInSpan ? [] : [standIn('notice', one.fromId, line)];
    edits.push(
      supersedeBy(one, notice, 'pins are over their share of the budget: the oldest reminder goes first'),
    );
    remaining -= one.tokens;
  }
  return edits;
}

const keyOf = ({ messages }: ViewExchange): string => reminderKey(messages[0]!.source!);

/** A key that is equal for two reminders with the same text. */
export function reminderKey({ id, parts }: Pick<Message, 'id' | 'parts'>): string {
  return JSON.stringify(parts.every(({ type }) => type === 'text') ? parts.map(textOf) : { id });
}
