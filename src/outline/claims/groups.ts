import type { Identifier } from '../../facts/index.js';
import { isToolCall, isToolResult, type ReadonlyLog, type ToolCallPart } from '../../transcript/index.js';
import { callLabel } from '../calls.js';
import { oneLine } from '../slices.js';

/** Where identifiers were seen last, in the words an agent would use, and which they are. */
export interface Group {
  readonly label: string;
  readonly order: number;
  readonly words: Placed[];
}

/** A word and where it stood: what stands inside another word of the list is said by it already. */
interface Placed {
  readonly text: string;
  readonly source: string;
  readonly start: number;
  readonly end: number;
}

/** What a call is told by in a line of its own, in characters. */
const LABEL_CHARS = 44;

/** Groups words by the tool result that held them last; words no result held by the message they were last in. */
export class Grouping {
  readonly #log: ReadonlyLog;
  readonly #groups = new Map<string, Group>();
  /** Last parts of the paths in the list. */
  readonly #baseNames = new Set<string>();

  constructor(log: ReadonlyLog) {
    this.#log = log;
  }

  /** Adds a word; returns about how many characters that takes: none where a longer word of the list holds it. */
  add(word: Identifier): number {
    const placed = placedOf(word);
    if (this.#baseNames.has(placed.text)) return 0;
    const { key, order, label } = this.#placeOf(word);
    let group = this.#groups.get(key);
    if (group?.words.some((other) => holds(other, placed))) return 0;
    let taken = placed.text.length + 1;
    if (!group) {
      group = { label: label(), order, words: [] };
      this.#groups.set(key, group);
      taken += group.label.length + 2;
    }
    for (let i = group.words.length - 1; i >= 0; i--) {
      if (!holds(placed, group.words[i]!)) continue;
      taken -= group.words[i]!.text.length + 1;
      group.words.splice(i, 1);
    }
    group.words.push(placed);
    const slash = placed.text.lastIndexOf('/');
    if (slash >= 0) this.#baseNames.add(placed.text.slice(slash + 1));
    return taken;
  }

  /** In order of the log, each with its words in the order in which they stood. */
  get groups(): Group[] {
    return [...this.#groups.values()]
      .sort((a, b) => a.order - b.order)
      .map((group) => ({ ...group, words: [...group.words].sort((a, b) => a.start - b.start) }));
  }

  #placeOf(word: Identifier): { key: string; order: number; label: () => string } {
    if (word.source < 0) {
      const { last } = word;
      const { role } = this.#log.at(last);
      const who = role === 'assistant' ? 'written' : role === 'user' ? 'the user' : role;
      return { key: `m${last}`, order: last, label: () => labelOfMessage(this.#log, last, who) };
    }
    const exchange = this.#log.exchanges[word.source]!;
    return { key: `x${word.source}`, order: exchange.seqs[0]!, label: () => labelOf(this.#log, word) };
  }
}

function labelOfMessage(log: ReadonlyLog, seq: number, who: string): string {
  const call = log.at(seq).parts.find(isToolCall);
  return call ? oneLine(callLabel(call), LABEL_CHARS) : who;
}

/** The very call of a parallel step whose result holds the word. */
function labelOf(log: ReadonlyLog, word: Identifier): string {
  const { seqs } = log.exchanges[word.source]!;
  const calls = seqs.flatMap((seq) => log.at(seq).parts.filter(isToolCall));
  if (calls.length === 0) return 'a result';
  if (calls.length === 1) return resultLabel(calls[0]!);
  const holder = seqs
    .flatMap((seq) => log.at(seq).parts.filter(isToolResult))
    .find((part) => part.content.some((inner) => inner.type === 'text' && inner.text === word.text));
  const call = calls.find(({ callId }) => callId === holder?.callId) ?? calls[0]!;
  return resultLabel(call);
}

/** Calls never change, and the same ones are named in run after run. */
const resultLabels = new WeakMap<ToolCallPart, string>();

function resultLabel(call: ToolCallPart): string {
  let label = resultLabels.get(call);
  if (label === undefined) {
    label = oneLine(shortened(callLabel(call)), LABEL_CHARS);
    resultLabels.set(call, label);
  }
  return label;
}

/** Of a long path the last parts: they are what tells it from others, and the whole stands in the list where needed. */
function shortened(label: string): string {
  return label.replace(/(?:\/[\w.@-]+)+/g, (path) => {
    const parts = path.split('/');
    return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path;
  });
}

/** A path is written with what stood before it (`/`, `./`, `~/`), as it would have to be typed. */
function placedOf({ text, start, end }: Identifier): Placed {
  let from = start;
  while (from > 0 && start - from < 4 && LEADING.has(text[from - 1]!)) from--;
  // Inside a longer word it is the end of that one, not the beginning of a path.
  if (from > 0 && /[\p{L}\p{N}]/u.test(text[from - 1]!)) from = start;
  return { text: text.slice(from, end), source: text, start: from, end };
}

function holds(outer: Placed, inner: Placed): boolean {
  return outer.source === inner.source && outer.start <= inner.start && inner.end <= outer.end;
}

const LEADING = new Set(['/', '.', '~', '@', '$', '#', '-', '_']);
