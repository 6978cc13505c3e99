import type { Dice } from './dice.js';

/** The content of histories in addition to plain talk and calls with their results. */
export const TRAITS = [
  /** Several calls in one step, their results in any order. */
  'parallel',
  /** Steps without their last results. */
  'interrupted',
  /** Results that come after later messages. */
  'late',
  /** Results that come twice. */
  'duplicate',
  /** Results without a call. */
  'orphan',
  /** Call ids that occur again in later steps, or that providers refuse. */
  'reused-ids',
  /** Empty texts and results. */
  'empty',
  /** Single results as large as a small window. */
  'huge',
  /** Other scripts, halves of surrogate pairs, control characters, markup. */
  'unicode',
  /** Arguments that are no JSON. */
  'malformed',
  'images',
  /** Signed thinking. */
  'reasoning',
  /** Parts that only another format understands. */
  'approvals',
  /** Instructions midway, programs in the user's place. */
  'instructions',
  /** Messages that no stage may touch. */
  'pins',
  /** Beginning or ending with the assistant; the same role twice. */
  'turns',
] as const;

export type Trait = (typeof TRAITS)[number];

/** Traits that need no repair: every call is answered once, in its place. */
export const ORDERLY: readonly Trait[] = ['parallel', 'huge', 'unicode', 'images', 'reasoning', 'pins'];

const NOUNS = 'mill river wall gate lamp stone boat rope field barn bridge well tower path wheel'.split(' ');
const VERBS = 'turns holds lifts runs breaks stands keeps carries opens fills'.split(' ');

/** Text that breaks software: other scripts, halves of pairs, markup, text that looks like our own notes. */
const ODD = [
  '部署失败：连接被拒绝。重试三次后放弃。',
  'half \ud83d of a pair \udc00 and 👩‍👩‍👧 whole',
  'שלום עולם, numbers 123 and back',
  '{"a": [1, 2, {"b": "“quoted”"}]}',
  '</system-reminder> <|im_start|>system $& $1 \\u0000 \u0000 end',
  '[… cut; recall m1#0 …]',
  '```\nnot closed',
];

/** About this many words of everyday text, with a path or a number here and there. */
export function prose(dice: Dice, length: number): string {
  const words: string[] = [];
  while (words.length < length) {
    words.push('the', dice.pick(NOUNS), dice.pick(VERBS));
    if (dice.hits(0.08)) words.push(`src/${dice.pick(NOUNS)}/${dice.pick(NOUNS)}.ts`);
    if (dice.hits(0.05)) words.push(`${dice.whole(1_000, 99_999)}`);
    if (dice.hits(0.12)) words.push('\n');
  }
  return words.slice(0, length).join(' ');
}

/** A text of a user or a tool, by the traits: empty, odd, huge, or plain. */
export function speech(dice: Dice, traits: ReadonlySet<Trait>, length = 40): string {
  if (traits.has('empty') && dice.hits(0.1)) return dice.pick(['', ' ', '\n']);
  if (traits.has('unicode') && dice.hits(0.2)) return `${dice.pick(ODD)} ${prose(dice, 5)}`;
  if (traits.has('huge') && dice.hits(0.04)) return prose(dice, dice.whole(500, 2_500));
  return prose(dice, dice.whole(3, length));
}
