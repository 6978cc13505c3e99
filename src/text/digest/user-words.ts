import { headOf, tailOf } from '../reading/index.js';
import { ANSWERED_WORTH, type Entry, type WeighedPassage } from './digest-index.js';

/** `User [m12]: ` and the line break. */
export const PREFIX_CHARS = 16;

export type Take = (entry: Entry, at: number, text: string) => void;

/** Largest share for one user message while others need room; of a larger one, head and tail. */
const ONE_USER_SHARE = 0.3;
/** A message up to this length is taken whole or not at all, in characters. */
const WHOLE_CHARS = 500;
const SHORT_CHARS = 240;
/** Share of the room that binding messages leave to the first, the last and others. */
const UNBOUND_SHARE = 0.4;
/** Most characters of the text that a short reply answers, from its end. */
const ANSWERED_CHARS = 600;

/**
 * Takes the first and last message, passages that may set a bound, short messages, then the rest, newest first. Each is
 * whole if it fits; of a long one, the binding passages, beginning and end. A short reply comes with what it answers.
 */
export function takeUsers(users: readonly Entry[], chars: number, onTake: Take): void {
  let left = chars;
  const most = Math.max(WHOLE_CHARS, ONE_USER_SHARE * chars);
  const places = new Map<Entry, Set<number>>();
  const take: Take = (entry, at, text) => {
    const known = places.get(entry);
    if (known?.has(at)) return;
    if (!known && entry.voice === 'user') left -= PREFIX_CHARS + entry.id.length;
    places.set(entry, (known ?? new Set()).add(at));
    onTake(entry, at, text);
    left -= text.length + 3;
  };
  const takeOne = (user: Entry): void => {
    if (places.has(user)) return;
    const size = sizeOf(user);
    const cost = size + PREFIX_CHARS + user.id.length;
    if (cost > left && (size <= WHOLE_CHARS || left < WHOLE_CHARS / 2)) return;
    if (cost <= most || (cost <= left && users.length === 1))
      for (const { at, text } of user.passages) take(user, at, text);
    else takeSome(user, Math.min(left, most));
    if (user.answers) takeAnswered(user.answers, left, take);
  };
  const takeSome = (user: Entry, room: number): void => {
    const until = left - room;
    const { passages } = user;
    const takeIfFits = ({ at, text }: WeighedPassage): void => {
      if (text.length + 3 <= left - until) take(user, at, text);
    };
    passages.filter(({ isBinding }) => isBinding).forEach(takeIfFits);
    if (!places.has(user)) return take(user, 0, endsOf(user, room));
    [passages[0]!, passages.at(-1)!, ...passages].forEach(takeIfFits);
  };
  const [first] = users;
  const others = users.slice(1, -1).toReversed();
  const isShort = (user: Entry): boolean => sizeOf(user) <= SHORT_CHARS;
  if (!first) return;
  const ends = [...new Set([users.at(-1)!, first])];
  const binding = others.filter(({ isBinding }) => isBinding);
  ends.filter(isShort).forEach(takeOne);
  for (const user of binding.filter(isShort)) if (left > UNBOUND_SHARE * chars) takeOne(user);
  ends.forEach(takeOne);
  for (const user of binding)
    for (const { at, text, isBinding } of user.passages)
      if (isBinding && text.length + PREFIX_CHARS + user.id.length <= left - UNBOUND_SHARE * chars)
        take(user, at, text);
  for (const user of new Set([...others.filter(isShort), ...others])) takeOne(user);
}

function takeAnswered(answered: Entry, room: number, take: Take): void {
  let left = Math.min(room, ANSWERED_CHARS) - PREFIX_CHARS - answered.id.length;
  for (const { at, text, worth } of answered.passages.toReversed()) {
    if (worth < ANSWERED_WORTH || left < 80) continue;
    const shown = text.length <= left ? text : `[…] ${fromSentence(tailOf(text, left - 4))}`;
    take(answered, at, shown);
    left -= shown.length;
  }
}

function sizeOf({ passages }: Entry): number {
  return passages.reduce((sum, { text }) => sum + text.length + 3, 0);
}

function endsOf({ passages }: Entry, room: number): string {
  const text = passages.map((passage) => passage.text).join('\n');
  if (text.length <= room) return text;
  return `${toWord(headOf(text, Math.floor(room * 0.6)))} […] ${fromWord(tailOf(text, Math.floor(room * 0.3)))}`;
}

/** Up to the last space, so that no word is cut. */
function toWord(head: string): string {
  const space = head.search(/\s\S*$/);
  return space > head.length / 2 ? head.slice(0, space) : head;
}

function fromWord(tail: string): string {
  const space = tail.search(/\s/);
  return space >= 0 && space < tail.length / 2 ? tail.slice(space + 1) : tail;
}

/** From the first sentence, item or line that begins in the text. */
function fromSentence(tail: string): string {
  const border = /(?:[.!?:]\s|\n)/.exec(tail);
  return border && border.index < tail.length / 2
    ? tail.slice(border.index + border[0].length).trimStart()
    : fromWord(tail);
}
