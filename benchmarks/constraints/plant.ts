import type { Message } from '../../src/transcript/index.js';
import { KINDS, nameOf, RETIRED, wording } from './rules.js';

export interface Rule {
  readonly kind: string;
  readonly place: number;
  readonly text: string;
  /** The rule's subject: a name that no other rule has. */
  readonly subject: string;
}

export interface Planted {
  readonly messages: readonly Message[];
  /** Rules that remain valid to the end, by kind and place. */
  readonly rules: readonly Rule[];
  readonly retired: readonly { readonly rule: string; readonly word: string }[];
}

/** The places of the rules, as shares of the session. */
const PLACES = [0.02, 0.2, 0.4, 0.6, 0.8];
const RETIRED_FROM = 0.1;
const RETIRED_TO = 0.7;

/** A session in which a user states 25 valid rules and some that he takes back. */
export function plant(messages: readonly Message[], session: number): Planted {
  const gaps = gapsOf(messages);
  const at = new Map<number, string[]>();
  const put = (share: number, text: string): void => {
    const gap = gaps[Math.min(gaps.length - 1, Math.floor(share * gaps.length))]!;
    at.set(gap, [...(at.get(gap) ?? []), text]);
  };
  const rules = PLACES.flatMap((share, place) =>
    KINDS.map((kind, i) => {
      const text = wording(kind, session, place);
      put(share + i * 0.03, text);
      return { kind, place, text, subject: nameOf(session, i * 5 + place) };
    }),
  );
  const retired = RETIRED.map(([rule, word], i) => {
    const name = nameOf(session, 30 + i);
    put(RETIRED_FROM + 0.04 * i, rule(name));
    put(RETIRED_TO + 0.03 * i, word(name));
    return { rule: rule(name), word: word(name) };
  });
  let said = 0;
  const planted = messages.flatMap((message, i) => [
    ...(at.get(i) ?? []).map((text): Message => userSays(`planted${said++}`, text)),
    message,
  ]);
  return { messages: planted, rules, retired };
}

/** The messages before which a user message may be inserted, because no call waits for its result there. */
function gapsOf(messages: readonly Message[]): number[] {
  const waiting = new Set<string>();
  const gaps: number[] = [];
  messages.forEach(({ parts, role }, i) => {
    if (waiting.size === 0 && role === 'assistant') gaps.push(i);
    for (const part of parts) {
      if (part.type === 'tool-call') waiting.add(part.callId);
      else if (part.type === 'tool-result') waiting.delete(part.callId);
    }
  });
  return gaps;
}

export function userSays(id: string, text: string): Message {
  return { id, role: 'user', origin: 'user', parts: [{ type: 'text', text }] };
}
