import type { LogMessage } from '../../transcript/index.js';
import { bearingOf, bindingOf, keysOf, overrules, sentencesOf, type Bearing } from '../said/index.js';
import type { Claim } from './claim.js';

/** A longer sentence is pasted output. */
const LONGEST_CHARS = 1_000;
/** A message up to this long binds as a whole: its sentences explain each other. */
const WHOLE_CHARS = 600;
/** A sentence up to this long may end an older one; a longer one is a text, not a word on the matter. */
const WORD_CHARS = 300;
/** So many sentences stay known; of more the weakest and oldest go. A session that has more rules has no rules. */
const MOST = 400;

/** What a user said that binds beyond the moment. */
export interface Rule extends Claim {
  readonly kind: 'constraint';
  /** 2: a rule by its words; 1: may be one. */
  readonly binding: 1 | 2;
  /** Of a whole message, what binds in it: stands where there is no room for all. */
  readonly shorter?: string;
}

/** Words of a user that hold no longer, and what ended them. */
export interface Ended {
  readonly text: string;
  readonly endedBy: string;
}

interface Sentence {
  readonly text: string;
  readonly binding: 0 | 1 | 2;
  readonly bearing: Bearing;
  readonly seq: number;
  endedBy?: string;
  /** See `plain`: made when first asked for. */
  plain?: string;
}

interface Said {
  readonly seq: number;
  readonly id: string;
  /** All of it, where it is short enough to stand whole. */
  readonly whole: string | undefined;
  readonly sentences: Sentence[];
}

/** The words of users that bind, each until something newer says otherwise. */
export class RuleBook {
  #said: Said[] = [];
  #size = 0;
  #rules: readonly Rule[] | undefined;
  readonly #ended = new Map<number, Ended[]>();
  /** What holds, by what it is about: a sentence is compared with few others. */
  #byKey = new Map<string, Set<Sentence>>();

  /** What the user said himself: programs' and our own text has been taken out. */
  hear({ seq, id }: LogMessage, text: string): void {
    const sentences = sentencesOf(text)
      .filter((sentence) => sentence.length <= LONGEST_CHARS)
      .map((sentence): Sentence => ({
        text: sentence,
        binding: bindingOf(sentence),
        bearing: bearingOf(sentence),
        seq,
      }));
    for (const newer of sentences) if (newer.text.length <= WORD_CHARS) this.#end(newer);
    const binding = sentences.filter((sentence) => sentence.binding > 0);
    if (binding.length === 0) return;
    const whole = text.length <= WHOLE_CHARS ? text : undefined;
    this.#said.push({ seq, id, whole, sentences: binding });
    this.#size += binding.length;
    for (const sentence of binding) this.#index(sentence);
    this.#rules = undefined;
    if (this.#size > MOST) this.#forget();
  }

  /** Oldest first, one a message where it stands whole, ended ones by the sentence. */
  get rules(): readonly Rule[] {
    return (this.#rules ??= this.#said.flatMap(rulesOf));
  }

  /** What a message said that holds no longer. */
  endedIn(seq: number): readonly Ended[] {
    return this.#ended.get(seq) ?? [];
  }

  #end(newer: Sentence): void {
    if (this.#byKey.size === 0) return;
    const related = new Set(keysOf(newer.bearing).flatMap((key) => [...(this.#byKey.get(key) ?? [])]));
    for (const older of related) {
      const isRepeated = newer.binding > 0 && plain(older) === plain(newer);
      if (!isRepeated && !overrules(newer.bearing, older.bearing)) continue;
      older.endedBy = newer.text;
      this.#rules = undefined;
      for (const key of keysOf(older.bearing)) this.#byKey.get(key)?.delete(older);
      // Said again in the same words it holds all the same.
      const { seq, text } = older;
      if (!isRepeated) this.#ended.set(seq, [...this.endedIn(seq), { text, endedBy: newer.text }]);
    }
  }

  #index(sentence: Sentence): void {
    for (const key of keysOf(sentence.bearing)) {
      const known = this.#byKey.get(key);
      if (known) known.add(sentence);
      else this.#byKey.set(key, new Set([sentence]));
    }
  }

  #forget(): void {
    const worth = ({ sentences }: Said): number =>
      Math.max(...sentences.map(({ binding, endedBy }) => (endedBy === undefined ? binding : 0)));
    const kept = [...this.#said]
      .sort((a, b) => worth(b) - worth(a) || b.seq - a.seq)
      .slice(0, Math.ceil(this.#said.length * 0.8));
    this.#said = kept.sort((a, b) => a.seq - b.seq);
    this.#size = kept.reduce((sum, { sentences }) => sum + sentences.length, 0);
    this.#byKey = new Map();
    for (const { sentences } of kept)
      for (const sentence of sentences) if (sentence.endedBy === undefined) this.#index(sentence);
  }
}

function rulesOf({ seq, id, whole, sentences }: Said): Rule[] {
  const live = sentences.filter(({ endedBy }) => endedBy === undefined);
  const made = (text: string, binding: 0 | 1 | 2): Rule => ({
    kind: 'constraint',
    status: 'live',
    text,
    binding: binding === 2 ? 2 : 1,
    seq,
    id,
  });
  if (whole !== undefined && live.length === sentences.length) {
    const binding = live.some((sentence) => sentence.binding === 2) ? 2 : 1;
    const telling = live.filter((sentence) => sentence.binding === binding).map(({ text }) => text);
    return [{ ...made(whole, binding), shorter: telling.join(' … ') }];
  }
  return sentences.map(({ text, binding, endedBy }) =>
    endedBy === undefined ? made(text, binding) : { ...made(text, binding), status: 'superseded', endedBy },
  );
}

/** The words alone: by them it is told that something is said again. */
function plain(sentence: Sentence): string {
  return (sentence.plain ??= sentence.text
    .toLowerCase()
    .replace(/[\s.!,;:]+/g, ' ')
    .trim());
}
