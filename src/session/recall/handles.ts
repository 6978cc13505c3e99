import { SpillwayError } from '../../errors/index.js';
import { partHandle, spanHandle, type Log, type LogMessage } from '../../transcript/index.js';

/** The target of a handle: a message or one of its parts, from a character on. */
export interface Target {
  readonly message: LogMessage;
  /** Index of the part; undefined for the whole message. */
  readonly part?: number;
  /** Characters to skip at the beginning, because the reader has them already. */
  readonly offset: number;
}

/** Reads handles in the forms of marks and models. Throws `MESSAGE_UNKNOWN` with the handle that names nothing. */
export function targetsOf(given: readonly string[], log: Log): Target[] {
  const targets = given.flatMap((one) => targetsIn(one, log));
  const seen = new Set<string>();
  return targets.filter((target) => {
    const name = handleOf(target);
    return !seen.has(name) && seen.add(name);
  });
}

/** The handle of exactly this target. */
export function handleOf({ message, part, offset }: Target): string {
  const whole = part === undefined ? message.id : partHandle(message.id, part);
  return offset > 0 ? `${whole}@${offset}` : whole;
}

/** The fewest handles that name all targets. */
export function handlesOf(targets: readonly Target[]): string {
  const runs: { from: Target; to: Target }[] = [];
  for (const target of targets) {
    const run = runs.at(-1);
    const follows =
      run && isWhole(run.to) && isWhole(target) && target.message.seq === run.to.message.seq + 1;
    if (follows) run.to = target;
    else runs.push({ from: target, to: target });
  }
  const name = ({ from, to }: (typeof runs)[number]): string =>
    from === to ? handleOf(from) : spanHandle(from.message.id, to.message.id);
  return runs.map(name).join(', ');
}

const isWhole = ({ part, offset }: Target): boolean => part === undefined && offset === 0;

function targetsIn(given: string, log: Log): Target[] {
  const readings = readingsOf(given);
  let unknown = given;
  for (const reading of readings) {
    const found = reading.map((name) => ({ name, targets: targetsNamed(name, log) }));
    const missing = found.find(({ targets }) => !targets);
    if (!missing) return found.flatMap(({ targets }) => targets!);
    unknown = missing.name;
  }
  const left = [...log.left].some(({ message }) => message.id === unknown.replace(/[#@]\d+$/, ''));
  throw new SpillwayError('MESSAGE_UNKNOWN', {
    subject: 'handle',
    found: unknown,
    allowed: `${partHandle('ID', 0)}, ${spanHandle('ID', 'ID2')}, ID@OFFSET, several of them with commas between, or the id of a message`,
    remedy: left
      ? 'The session was rolled back to before this message, so it no longer contains it. Search with a query instead.'
      : 'No message of this session has that name. Give the handle as the mark shows it, or search with a query.',
  });
}

/** Undefined if nothing has that name. Ids may contain any characters, so the longest reading is tried first. */
function targetsNamed(name: string, log: Log): Target[] | undefined {
  const one = targetNamed(name, log) ?? (/^\d/.test(name) ? targetNamed(`m${name}`, log) : undefined);
  if (one) return [one];
  let at = name.indexOf('..');
  for (let tries = 0; at >= 0 && tries < MAX_BORDERS; tries++, at = name.indexOf('..', at + 1)) {
    const [from, to] = [log.find(name.slice(0, at)), log.find(name.slice(at + 2))];
    if (!from || !to) continue;
    const [first, last] = from.seq <= to.seq ? [from.seq, to.seq] : [to.seq, from.seq];
    return log.between(first, last).map((message) => ({ message, offset: 0 }));
  }
  return undefined;
}

/** Most occurrences of two dots in one handle that are tried as the border of a range. */
const MAX_BORDERS = 100;
const OFFSET = /@(\d{1,15})$/;
const PART = /#(\d{1,15})$/;

function targetNamed(name: string, log: Log): Target | undefined {
  const whole = messageOrPart(name, log);
  if (whole) return { ...whole, offset: 0 };
  const offset = OFFSET.exec(name);
  const from = offset && messageOrPart(name.slice(0, offset.index), log);
  return from ? { ...from, offset: Number(offset[1]) } : undefined;
}

/** The message or part with this name. */
function messageOrPart(name: string, log: Log): Omit<Target, 'offset'> | undefined {
  const message = log.find(name);
  if (message) return { message };
  const place = PART.exec(name);
  const holder = place && log.find(name.slice(0, place.index));
  const part = Number(place?.[1]);
  return holder?.parts[part] ? { message: holder, part } : undefined;
}

/** A list in a mark: names separated by a comma and a space, up to the first name without a comma after it. */
const LISTED = String.raw`(?:[^\s,\]]+,\s*)*[^\s,\]]+`;
/** `[recall m4, m69]`, `[Read result, 12 tokens, compacted; recall m3#0]`, `recall m3..m9`. */
const MARK = new RegExp(String.raw`(?:^|[\s[(;,])recall:?\s+(${LISTED})`, 'i');
/** `Earlier in this session (compacted m3..m9; recall by handle):` */
const SPAN_HEAD = /\(compacted ([^\s;]+); recall by handle\)/;
/** `[3 calls m5..m9] looked at gate.ts`: the beginning of a digest line. */
const CALLS = /^\s*\[(?:call|\d{1,9} calls) ([^\s\]]+)\]/;
/** `User [m3]: “Keep it”`: the speaker and the message. */
const SPEAKER =
  /^\s*(?:User|User pasted|Assistant(?:, in a call)?|Another agent reported|Earlier summary) \[([^\s\]]+)\]:/;
/** Characters that may surround a name in running text. */
const AROUND = new Set(' \t\r\n"\'`[]()<>.;:,…');

/** Readings of a text given as a handle, likeliest first: the text itself, the list in a mark, the text as a list. */
function readingsOf(given: string): readonly (readonly string[])[] {
  const readings: (readonly string[])[] = [[given]];
  const bare = withoutWrapping(namedIn(given) ?? given);
  if (bare !== given) readings.push([bare]);
  const list = bare
    .split(/[\s,]+/)
    .map(withoutWrapping)
    .filter((one) => one !== '' && one !== 'and');
  if (list.length > 1) readings.push(list);
  return readings;
}

/** The names in one of our own lines. A digest line begins with them, and any text may follow. */
function namedIn(line: string): string | undefined {
  for (const pattern of [CALLS, SPEAKER, SPAN_HEAD, MARK]) {
    const found = pattern.exec(line);
    if (found) return found[1];
  }
  return undefined;
}

/** Trims surrounding characters. Without a pattern, because one for the end of a text is tried at each character. */
function withoutWrapping(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && AROUND.has(text[from]!)) from++;
  while (to > from && AROUND.has(text[to - 1]!)) to--;
  return text.slice(from, to);
}
