import type { LogMessage } from '../transcript/index.js';
import { spanHandle } from '../transcript/index.js';
import { proseOf, setsConstraint } from './prose.js';
import { quoted } from './quoted.js';
import { oneLine } from './slices.js';
import type { Ended } from './claims/index.js';

/** A user message that does not fit is named by so much of its beginning, in characters. */
const LINE_CHARS = 90;

/** More ids than this are given as one range. */
const LISTED_IDS = 8;

export interface UserWords {
  readonly seq: number;
  readonly id: string;
  readonly text: string;
  readonly constrains: boolean;
}

/** Undefined where no user speaks, or says nothing. */
export function userWordsOf(message: LogMessage): UserWords | undefined {
  if (message.role !== 'user' || message.origin === 'synthetic') return undefined;
  const text = proseOf(message).trim();
  return text === ''
    ? undefined
    : { seq: message.seq, id: message.id, text, constrains: setsConstraint(text) };
}

export interface UserSection {
  readonly lines: readonly string[];
  /** Ids of messages that do not stand verbatim. */
  readonly shortened: readonly string[];
}

/**
 * What users said, in order: verbatim while it fits `chars`, those that set constraints first, then the newest;
 * the rest a line and a handle each while that fits, and one line for all that are left.
 */
export function userSection(
  words: readonly UserWords[],
  chars: number,
  ended: (seq: number) => readonly Ended[] = () => [],
): UserSection {
  const byWeight = [...words].sort((a, b) => Number(b.constrains) - Number(a.constrains) || b.seq - a.seq);
  const whole = new Map<UserWords, string>();
  let left = chars - (words.length > 0 ? groupOf(words).length : 0);
  for (const word of byWeight) {
    const line = `- user: ${word.text}${ended(word.seq).map(endedMark).join('')}`;
    if (line.length + 1 > left) continue;
    left -= line.length + 1;
    whole.set(word, line);
  }
  const short = new Map<UserWords, string>();
  for (const word of byWeight) {
    if (whole.has(word)) continue;
    const mark = ended(word.seq).length > 0 ? ' (in part no longer holds)' : '';
    const line = `- user, shortened: ${oneLine(word.text, LINE_CHARS)}${mark} [recall ${word.id}]`;
    if (line.length + 1 > left) break;
    left -= line.length + 1;
    short.set(word, line);
  }
  const shown = words.flatMap((word) => whole.get(word) ?? short.get(word) ?? []);
  const hidden = words.filter((word) => !whole.has(word) && !short.has(word));
  return {
    lines: hidden.length > 0 ? [...shown, groupOf(hidden)] : shown,
    shortened: words.filter((word) => !whole.has(word)).map((word) => word.id),
  };
}

/** What was said stands; that it holds no longer stands behind it, in the words that ended it. */
function endedMark({ text, endedBy }: Ended): string {
  return ` (${quoted(oneLine(text, LINE_CHARS))} no longer holds since the user said ${quoted(oneLine(endedBy, LINE_CHARS))})`;
}

function groupOf(rest: readonly UserWords[]): string {
  const ids = rest.map((word) => word.id);
  const handles = ids.length <= LISTED_IDS ? ids.join(', ') : spanHandle(ids[0]!, ids.at(-1)!);
  return `- ${rest.length} user message${rest.length === 1 ? '' : 's'} not shown [recall ${handles}]`;
}
