import type { WireFormat } from '../../spi/index.js';
import { type Message, type Steps, textOf } from '../../transcript/index.js';
import { markerOf } from '../own-messages.js';
import { instructionsIn, isInstruction, jsonText } from '../../formats/index.js';
import { isTalk, speechesOf } from '../../text/reading/index.js';
import type { ClientWords } from './client-words.js';
import type { History } from './history.js';

/** How far the history of a client and a log agree. */
export interface Agreed {
  /** Number of messages at the front of the log that are the same in the history. */
  readonly same: number;
  /** Offset of a message in the history against its position in the log. */
  readonly shift: number;
}

const NO_AGREEMENT = { same: 0, shift: 0, sent: [], known: [] };

/** Compares the histories of a client with a log. */
export class Agreement {
  /** The messages that agreed the last time, by position. They are not compared again. */
  #last: Agreed & { readonly sent: readonly Message[]; readonly known: readonly Message[] } = NO_AGREEMENT;

  constructor(private readonly words: ClientWords) {}

  /** Compares a history with the log, without the instructions. */
  *compare({ messages, instructions }: History, known: readonly Message[]): Steps<Agreed> {
    const logged = instructionsIn(known);
    const shift = instructions - logged;
    const last = this.#last.shift === shift ? this.#last : NO_AGREEMENT;
    let at = logged;
    for (; at < known.length && at + shift < messages.length; at++) {
      const isKnown = at < last.same && known[at] === last.known[at];
      if (isKnown && messages[at + shift] === last.sent[at + shift]) continue;
      if (!this.words.matches(known[at]!, messages[at + shift]!)) break;
      yield;
    }
    this.#last = { same: at, shift, sent: messages, known };
    return { same: Math.min(at, messages.length - shift), shift };
  }

  /**
   * Whether a history that differs from the log is another conversation. It is the same conversation if it continues
   * after everything in the log, and differs only in notes outside the model's messages: some clients move reminders.
   */
  isFork(
    { messages }: Pick<History, 'messages'>,
    known: readonly Message[],
    { same, shift }: Agreed,
  ): boolean {
    if (same === known.length) return false;
    const logged = known.slice(same).filter(isTalk);
    const sent = messages.slice(same + shift).filter(isTalk);
    return sent.length <= logged.length || !this.#matches(sent, logged, (at) => at < logged.length - 1);
  }

  /** Whether the history repeats all further messages of the log, apart from notes, with no result cleared. */
  isNoted(messages: readonly Message[], known: readonly Message[], { same, shift }: Agreed): boolean {
    return this.#matches(
      messages.slice(same + shift).filter(isTalk),
      known.slice(same).filter(isTalk),
      () => false,
    );
  }

  #matches(
    sent: readonly Message[],
    logged: readonly Message[],
    mayBeCleared: (at: number) => boolean,
  ): boolean {
    return logged.every((one, at) => {
      const now = sent[at];
      return now !== undefined && (this.words.matches(one, now) || isAlike(one, now, mayBeCleared(at)));
    });
  }

  /**
   * Whether a body holds another conversation than a log: apart from instructions, their first messages differ. A body
   * of instructions alone counts as another conversation; otherwise the whole log would be rolled back for it.
   */
  isStranger(body: unknown, known: readonly Message[], format: WireFormat): boolean {
    const [sent, logged] = [headOf(body, format), headOfLog(known)];
    return logged !== undefined && (sent === undefined || !this.words.matches(logged, sent));
  }
}

/** Number of items at the head of a list for which `holds` is true. */
export function leading<T>(list: readonly T[], holds: (item: T) => boolean): number {
  const end = list.findIndex((item) => !holds(item));
  return end < 0 ? list.length : end;
}

/**
 * The first message of a client's history that is no instruction, which identifies a conversation. Parses no more of
 * the body than necessary. Undefined if there is none.
 */
function headOf(body: unknown, format: WireFormat): Message | undefined {
  const field = format.messagesField;
  const items = (body as Readonly<Record<string, unknown>> | null | undefined)?.[field];
  if (!Array.isArray(items)) return firstOf(format.parse(body).messages);
  for (let count = 2; ; count *= 4) {
    const some = count < items.length;
    const { messages } = format.parse(some ? { ...(body as object), [field]: items.slice(0, count) } : body);
    if (!some || leading(messages, isInstruction) < messages.length) return firstOf(messages);
  }
}

const firstOf = (messages: readonly Message[]): Message | undefined => messages[instructionsIn(messages)];

/** The first message of a log that is neither an instruction nor a marker; undefined if there is none yet. */
const headOfLog = (known: readonly Message[]): Message | undefined =>
  firstOf(known.filter((message) => !markerOf(message)));

/**
 * Whether a message that the model did not write is equal apart from a program's notes. The user's words, tool results
 * and the calls that they answer must be equal; otherwise one user's “hi” would match another's “hi, my PIN is …”.
 * An old result may be replaced by a line that says it was cleared, but not in the newest message.
 */
function isAlike(logged: Message, sent: Message, mayBeCleared: boolean): boolean {
  if (logged.role !== sent.role || logged.role === 'assistant') return false;
  if (wordsOf(logged) !== wordsOf(sent)) return false;
  const [before, now] = [resultsOf(logged), resultsOf(sent)];
  return (
    before.length === now.length &&
    before.every(({ callId, text }, at) => {
      const other = now[at]!;
      return callId === other.callId && (text === other.text || (mayBeCleared && CLEARED.test(other.text)));
    })
  );
}

/** Everything in a message except notes and results. */
function wordsOf(message: Message): string {
  const parts = message.parts.filter(({ type }) => type !== 'tool-result');
  const others = parts.filter(({ type }) => type !== 'text');
  const said = speechesOf({ ...message, parts }).filter(({ speaker }) => speaker !== 'program');
  return jsonText([said.map(({ text }) => text.trim()).join('\n\n'), ...others]);
}

const resultsOf = ({ parts }: Message): readonly { readonly callId: string; readonly text: string }[] =>
  parts.flatMap((part) =>
    part.type === 'tool-result' ? { callId: part.callId, text: withoutReminders(textOf(part)) } : [],
  );

/** A single line in brackets that says why a result is gone, as Claude Code and others write it. */
const CLEARED = /^\[[^[\]{}"\n]{0,120}\b(?:clear|remov|omitt|prun|truncat|compact)[^[\]{}"\n]{0,120}\]$/i;

const OPENING = '<system-reminder>';
const CLOSING = '</system-reminder>';

/** Some clients put their reminders into results. */
function withoutReminders(text: string): string {
  let kept = '';
  let at = 0;
  for (;;) {
    const from = text.indexOf(OPENING, at);
    const end = from < 0 ? -1 : text.indexOf(CLOSING, from);
    if (end < 0) return (kept + text.slice(at)).trim();
    kept += text.slice(at, from).trimEnd();
    at = end + CLOSING.length;
  }
}
