import type { CallNote } from '../reading/index.js';
import type { Entry } from './digest-index.js';

/** What an entry says that few others say, for its length; the higher the better. */
export type News = ReadonlyMap<Entry, number>;

/** Fewer messages are no talk to choose from. */
const LEAST_ENTRIES = 12;
/** Longer messages are work: their passages are chosen by what they conclude. Mean, in characters. */
const TALK_CHARS = 600;

/** Whether people only talk, in many short messages and without a tool. */
export function isTalk(entries: readonly Entry[], calls: readonly CallNote[]): boolean {
  if (calls.length > 0 || entries.length < LEAST_ENTRIES) return false;
  return entries.reduce((sum, { chars }) => sum + chars, 0) <= TALK_CHARS * entries.length;
}

const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}'’-]*/gu;

/**
 * Sums up how rare the words of each entry are in the talk, for a character of it. Thanks and exclamations come to
 * little, names, places and numbers to much. Linear.
 */
export function newsOf(entries: readonly Entry[]): News {
  const said = new Map<string, number>();
  for (const entry of entries) {
    entry.words ??= new Set(entry.passages.flatMap(({ text }) => text.toLowerCase().match(WORD) ?? []));
    for (const word of entry.words) said.set(word, (said.get(word) ?? 0) + 1);
  }
  const news = new Map<Entry, number>();
  for (const entry of entries) {
    let sum = 0;
    for (const word of entry.words!) sum += Math.log(entries.length / said.get(word)!);
    news.set(entry, sum / (entry.chars + LINE_CHARS));
  }
  return news;
}

/** What stands around each entry. In characters. */
const LINE_CHARS = 24;
