import type { Bearing } from './bearing.js';

/** Of the words of the smaller sentence so many have to be common for two to be about one thing. */
const SAME_THING = 0.5;

/**
 * Whether what a user says now ends what he said before: allows what was forbidden, forbids what was asked for, or puts
 * another thing or number in its place. By words alone, so it errs: towards the older one where nothing but the act is
 * common and both name things of their own, towards the newer one where that is all there is to go by.
 */
export function overrules(newer: Bearing, older: Bearing): boolean {
  if (newer.asks) return false;
  const acts = common(newer.acts, older.acts);
  const things = common(newer.things, older.things);
  if (acts + things === 0) return false;
  // “They make me happy” tells; it neither allows nor asks for anything.
  if (newer.tells && !newer.releases && !newer.replaces && !newer.revokes) return false;
  if (newer.revokes && takesBack(newer, older, acts, things)) return true;
  if (older.forbids && !newer.forbids) return allows(newer, older, acts, things);
  if (!older.forbids && newer.forbids && newer.dropped.size === 0)
    return agree(newer, older, acts) && acts + things > 0 && covers(older, newer, things);
  return takesPlace(newer, older, acts, things);
}

/** Of a rule that is taken back by name enough has to be named; an act it does not name is one it was not about. */
function takesBack(newer: Bearing, older: Bearing, acts: number, things: number): boolean {
  if (!agree(newer, older, acts)) return false;
  if (things < SAME_THING * Math.min(newer.things.size, older.things.size)) return false;
  return acts > 0 || newer.acts.size === 0 || things >= newer.things.size;
}

function allows(newer: Bearing, older: Bearing, acts: number, things: number): boolean {
  // “Never push without asking” is met by being told to push; it does not end.
  if (older.conditional && !newer.replaces) return false;
  if (older.acts.size > 0 && acts === 0) return false;
  // Of an act that is not known only its own words can tell: that they let go on has to be said.
  if (older.acts.size === 0 && (things === 0 || !newer.releases)) return false;
  if (older.things.size === 0) return true;
  // “Push it” speaks of what was spoken of; whether of this, only “ok” and “now” tell.
  if (newer.things.size === 0) return newer.releases;
  return things > 0 && things >= SAME_THING * Math.min(newer.things.size, older.things.size);
}

function takesPlace(newer: Bearing, older: Bearing, acts: number, things: number): boolean {
  if (common(newer.dropped, older.things) > 0 && common(older.dropped, older.things) === 0) return true;
  const least = Math.min(size(newer), size(older));
  const isAlike = acts + things >= SAME_THING * least;
  const differs = newer.numbers.join() !== older.numbers.join();
  if (newer.limits && older.limits && differs && isAlike && acts + things >= 2) return true;
  return (
    newer.replaces && newer.forbids === older.forbids && isAlike && (acts === 0 ? things >= 2 : things >= 1)
  );
}

/** Where both name acts, one has to be common. */
function agree(newer: Bearing, older: Bearing, acts: number): boolean {
  return acts > 0 || newer.acts.size === 0 || older.acts.size === 0;
}

/** A ban that names more than what was asked for is an exception to it, not its end. */
function covers(older: Bearing, newer: Bearing, things: number): boolean {
  return things >= newer.things.size && (things > 0 || older.things.size === 0);
}

function size({ acts, things }: Bearing): number {
  return acts.size + things.size;
}

function common(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let count = 0;
  for (const one of a) if (b.has(one) || hasAlike(b, one)) count++;
  return count;
}

function hasAlike(words: ReadonlySet<string>, one: string): boolean {
  if (one.length < 4) return false;
  for (const other of words) if (alike(one, other)) return true;
  return false;
}

/** `commit` and `committing`, `module` and `modules`: one begins as the other, but for an ending. */
function alike(a: string, b: string): boolean {
  const least = Math.min(a.length, b.length);
  if (least < 4 || Math.abs(a.length - b.length) > 3) return false;
  let at = 0;
  while (at < least && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  // `ledger_1` and `ledger_2` are two things.
  return at >= least - 1 && at >= 4 && !/\d/.test(a.slice(at) + b.slice(at));
}
