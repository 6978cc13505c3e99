/** Our own delimiters, and those that chat templates give authority to, lose their brackets. */
const DELIMITER =
  /<(?=\/?(?:message|transcript|summary|record|todos|lines|in-view|instruction|system|user|assistant|system-reminder)\b|\|)/gi;

/** Text that cannot pass for structure, neither in a request nor in a transcript. */
export function escaped(text: string): string {
  return text.replace(DELIMITER, () => '‹');
}

/** A value that cannot end the attribute it stands in. */
export const attribute = (text: string): string => text.replace(/[^\w.:/-]/g, '_');

/** Of what is left of a cut text, the head's part: what a text is stands at its head, how it ended at its tail. */
const HEAD_SHARE = 0.6;

interface MiddleCut {
  /** The head's part of what stays. */
  readonly headShare?: number;
  /** Picks what of the middle must stay all the same. */
  readonly keep?: (middle: string) => string;
}

/** A cut that saves less than this says more of itself than of the text. In characters. */
const LEAST_CUT = 60;

/** Head and tail with a mark between, and between them what of the middle is picked to stay. */
export function middleCut(
  text: string,
  chars: number,
  { headShare = HEAD_SHARE, keep }: MiddleCut = {},
): string {
  if (text.length <= (chars > 0 ? chars + LEAST_CUT : chars)) return text;
  const head = Math.ceil(Math.max(0, chars) * headShare);
  const tail = Math.max(0, chars) - head;
  const middle = text.slice(head, text.length - tail);
  const kept = keep?.(middle) ?? '';
  const gone = middle.length - kept.length;
  if (chars <= 0) return `[${gone} characters left out]${kept && `\n${kept}`}`;
  const picked = kept && `of them:\n${kept}\n[…] `;
  return `${text.slice(0, head)} [… ${gone} characters left out …] ${picked}${tail > 0 ? text.slice(-tail) : ''}`;
}
