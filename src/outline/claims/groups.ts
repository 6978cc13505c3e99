import type { Identifier } from '../../facts/index.js';
import {
  isToolCall,
  isToolResult,
  type LogMessage,
  type ReadonlyLog,
  type ToolCallPart,
} from '../../transcript/index.js';
import { callLabel } from '../calls.js';
import { oneLine } from '../slices.js';
import { insert, placedOf, type Placed } from './placed.js';

/** Where identifiers were seen last, in the words an agent would use, and which they are. */
export interface Group {
  readonly label: string;
  readonly order: number;
  readonly words: readonly Placed[];
}

interface Growing extends Group {
  readonly words: Placed[];
}

/** A line of words is broken here, so that each stands near what says where it is from. */
export const LINE_CHARS = 220;

/** What a call is told by in a line of its own, in characters. */
const LABEL_CHARS = 44;

/** Groups words by the tool result that held them last; words no result held by the message they were last in. */
export class Grouping {
  readonly #log: ReadonlyLog;
  /** By exchange for results, by message (below zero) for the rest. */
  readonly #groups = new Map<number, Growing>();
  /** Last parts of the paths in the list. */
  readonly #baseNames = new Set<string>();

  constructor(log: ReadonlyLog) {
    this.#log = log;
  }

  /** Adds a word; returns about how many characters that takes: none where a longer word of the list holds it. */
  add(word: Identifier): number {
    const placed = placedOf(word);
    if (this.#baseNames.has(placed.text)) return 0;
    const key = word.source < 0 ? -1 - word.last : word.source;
    let group = this.#groups.get(key);
    let taken = placed.text.length + 1;
    if (group) {
      const freed = insert(group.words, placed);
      if (freed < 0) return 0;
      taken -= freed;
    } else {
      group = { ...this.#placeOf(word), words: [placed] };
      this.#groups.set(key, group);
      taken += group.label.length + 2;
    }
    const slash = placed.text.lastIndexOf('/');
    if (slash >= 0) this.#baseNames.add(placed.text.slice(slash + 1));
    // The label stands in each line again.
    return taken * (1 + (group.label.length + 2) / LINE_CHARS);
  }

  /** In order of the log, each with its words in the order in which they stood. */
  get groups(): Group[] {
    return [...this.#groups.values()].sort((a, b) => a.order - b.order);
  }

  #placeOf(word: Identifier): { order: number; label: string } {
    const log = this.#log;
    if (word.source < 0) {
      const message = log.at(word.last);
      return { order: word.last, label: labelOfMessage(message) };
    }
    const { seqs } = log.exchanges[word.source]!;
    return { order: seqs[0]!, label: labelOf(log, seqs, word.text) };
  }
}

function labelOfMessage({ parts, role }: LogMessage): string {
  const call = parts.find(isToolCall);
  if (call) return labelsOf(call).whole;
  return role === 'assistant' ? 'written' : role === 'user' ? 'the user' : role;
}

/** The very call of a parallel step whose result holds the word. */
function labelOf(log: ReadonlyLog, seqs: readonly number[], text: string): string {
  // A step begins with the message that calls.
  const calls = log.at(seqs[0]!).parts.filter(isToolCall);
  if (calls.length === 0) return 'a result';
  if (calls.length === 1) return labelsOf(calls[0]!).short;
  const holder = seqs
    .flatMap((seq) => log.at(seq).parts.filter(isToolResult))
    .find((part) => part.content.some((inner) => inner.type === 'text' && inner.text === text));
  return labelsOf(calls.find(({ callId }) => callId === holder?.callId) ?? calls[0]!).short;
}

interface Labels {
  readonly whole: string;
  readonly short: string;
}

/** Calls never change, and the same ones are named in run after run. */
const known = new WeakMap<ToolCallPart, Labels>();

function labelsOf(call: ToolCallPart): Labels {
  let labels = known.get(call);
  if (!labels) {
    const label = callLabel(call);
    labels = { whole: oneLine(label, LABEL_CHARS), short: oneLine(shortened(label), LABEL_CHARS) };
    known.set(call, labels);
  }
  return labels;
}

/** Of a long path the last parts: they are what tells it from others, and the whole stands in the list where needed. */
function shortened(label: string): string {
  return label.replace(/(?:\/[\w.@-]+)+/g, (path) => {
    const parts = path.split('/');
    return parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : path;
  });
}
