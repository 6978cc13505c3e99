import type { Identifier } from '../../facts/index.js';
import { isToolCall, isToolResult, type ReadonlyLog } from '../../transcript/index.js';
import { callLabel } from '../calls.js';
import { oneLine } from '../slices.js';

/** Where identifiers were seen last, in the words an agent would use, and which they are. */
export interface Group {
  readonly label: string;
  readonly order: number;
  readonly words: { readonly text: string; readonly place: number }[];
}

/** What a call is told by in a line of its own, in characters. */
const LABEL_CHARS = 44;

/** Groups words by the tool result that held them last; words no result held by the message they were last in. */
export class Grouping {
  readonly #log: ReadonlyLog;
  readonly #groups = new Map<string, Group>();

  constructor(log: ReadonlyLog) {
    this.#log = log;
  }

  /** Adds a word; returns about how many characters that takes. */
  add(word: Identifier): number {
    const text = wordText(word);
    const { key, order, label } = this.#placeOf(word);
    let group = this.#groups.get(key);
    const isNew = group === undefined;
    if (!group) {
      group = { label: label(), order, words: [] };
      this.#groups.set(key, group);
    }
    group.words.push({ text, place: word.start });
    return text.length + 2 + (isNew ? group.label.length + 4 : 0);
  }

  /** In order of the log, each with its words in the order in which they stood. */
  get groups(): Group[] {
    return [...this.#groups.values()]
      .sort((a, b) => a.order - b.order)
      .map((group) => ({ ...group, words: [...group.words].sort((a, b) => a.place - b.place) }));
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
  const holder = seqs
    .flatMap((seq) => log.at(seq).parts.filter(isToolResult))
    .find((part) => part.content.some((inner) => inner.type === 'text' && inner.text === word.text));
  const call = calls.find(({ callId }) => callId === holder?.callId) ?? calls[0]!;
  return oneLine(shortened(callLabel(call)), LABEL_CHARS);
}

/** Of a long path the last parts: they are what tells it from others, and the whole stands in the list where needed. */
function shortened(label: string): string {
  return label.replace(/(?:\/[\w.@-]+)+/g, (path) => {
    const parts = path.split('/');
    return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path;
  });
}

/** A path is written with what stood before it (`/`, `./`, `~/`), as it would have to be typed. */
function wordText({ text, start, end }: Identifier): string {
  let from = start;
  while (from > 0 && start - from < 4 && LEADING.has(text[from - 1]!)) from--;
  return text.slice(from, end);
}

const LEADING = new Set(['/', '.', '~', '@', '$', '#', '-', '_']);
