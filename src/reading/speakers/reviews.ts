/** A stretch of a text, in characters. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

interface Paragraph {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Citations of a place in a file; so many tell a review. */
const CITATION = /\.[A-Za-z]{1,5}:\d{1,6}/g;
const CITATIONS = 3;
/** Items and headings of a review. */
const ITEM = /^[ \t]{0,8}(?:[-*•] |\d{1,3}[.)] |#{1,6} |\*\*)/gm;
const ITEMS = 3;
/** A shorter text with citations is a question about them. In characters. */
const REVIEW_CHARS = 700;

/** A finding of a review tool: its title, then how grave it is on a line of its own, then what it says. */
const SEVERITY = /^[ \t]*(?:\*\*)?(?:Critical|High|Medium|Low)[ -]Severity(?:\*\*)?[ \t]*$/im;

/** A document below the user's sentence has this many headings and characters. */
const HEADING = /^#{1,6} \S/gm;
const HEADINGS = 3;
const HEADED_CHARS = 1_000;
/** The user's own sentence above a document ends so. */
const LEADS = /[:：]\s*$/u;
/** The user says that what follows is his own: what he wants, and what he saw. */
const OWN_BRIEF =
  /(?<!\p{L})(?:here(?:['’]s| is) (?:what|how) (?:i|we)|what (?:i|we) (?:want|need)|(?:my|our) (?:task|brief|request|rules|requirements|plan)|was (?:ich|wir) (?:will|wollen|brauche|brauchen|möchte)|mein auftrag|(?:voici )?ce que (?:je|nous) v\p{L}{1,8}|lo que (?:quiero|queremos|necesito)|что (?:я хочу|мне нужно)|我的要求|我想要|してほしいこと)|^\s*(?:the )?(?:plan|task|brief|goal|request|requirements|aufgabe|auftrag|任务|需求)\s?[:：]\s{0,9}$/iu;
const OWN_REVIEW =
  /(?<!\p{L})(?:i(?:['’]ve| have)? (?:just )?(?:reviewed|looked|went|checked|noticed|read)|(?:my|our) (?:review|notes|findings|comments|remarks))(?!\p{L})(?![^\n]{0,200}(?<!\p{L})(?:it|he|she|they|claude|codex|copilot|bot|reviewer) (?:said|says|found|wrote|reports?))/iu;
/** Longer, it is no sentence above a document. In characters. */
const LEAD_CHARS = 400;
/** Longer, what stands below a document is a part of it. In characters. */
const TAIL_CHARS = 400;

/** A review, a finding or a headed document in a text, told by its form. */
export function reviewIn(text: string): Stretch | undefined {
  const paragraphs = paragraphsOf(text);
  return findingIn(text, paragraphs) ?? citingIn(text, paragraphs) ?? headedIn(text, paragraphs);
}

function findingIn(text: string, paragraphs: readonly Paragraph[]): Stretch | undefined {
  const mark = SEVERITY.exec(text);
  if (!mark) return undefined;
  const place = paragraphs.findIndex(({ to }) => to > mark.index);
  const own = paragraphs[place]!;
  // The title stands above it: in the same paragraph, or alone in the one before.
  const isAlone = own.text.trim() === mark[0].trim();
  const first = isAlone ? place - 1 : place;
  if (first < 0 || !paragraphs[first]) return undefined;
  const said = isAlone ? place + 1 : place;
  const lastOwn = paragraphs[Math.min(said, paragraphs.length - 1)]!;
  return {
    from: paragraphs[first].from,
    to: first > 0 ? text.length : tailAt(text, paragraphs, lastOwn.to),
    label: 'finding',
  };
}

function citingIn(text: string, paragraphs: readonly Paragraph[]): Stretch | undefined {
  if (text.length < REVIEW_CHARS || count(text, CITATION) < CITATIONS || count(text, ITEM) < ITEMS)
    return undefined;
  const first = paragraphs.findIndex((paragraph) => count(paragraph.text, ITEM) > 0);
  const from = paragraphs[first]!.from;
  if (from > LEAD_CHARS || OWN_REVIEW.test(text.slice(0, from))) return undefined;
  const last = paragraphs.findLastIndex(({ text: one }) => count(one, ITEM) > 0 || count(one, CITATION) > 0);
  return {
    from,
    to: first > 0 ? text.length : tailAt(text, paragraphs, paragraphs[last]!.to),
    label: 'review',
  };
}

/** The user's sentence, which ends in a colon, and below it a text with headings. */
function headedIn(text: string, paragraphs: readonly Paragraph[]): Stretch | undefined {
  const place = paragraphs.findIndex(({ text: one }) => one.startsWith('#'));
  if (place < 1) return undefined;
  const from = paragraphs[place]!.from;
  const lead = text.slice(0, from);
  if (from > LEAD_CHARS || !LEADS.test(lead) || OWN_BRIEF.test(lead)) return undefined;
  const document = text.slice(from);
  if (document.length < HEADED_CHARS || count(document, HEADING) < HEADINGS) return undefined;
  return { from, to: text.length, label: 'document' };
}

/** Where the user speaks again below a document that nothing introduced: the last paragraph, if it is short and plain. */
function tailAt(text: string, paragraphs: readonly Paragraph[], least: number): number {
  const last = paragraphs.at(-1)!;
  const isPlain = last.text.length <= TAIL_CHARS && count(last.text, ITEM) === 0 && !/^\s/.test(last.text);
  return isPlain && last.from >= least ? last.from : text.length;
}

function paragraphsOf(text: string): Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let from = 0;
  for (const one of text.split('\n\n')) {
    if (one.trim() !== '') {
      const start = from + (one.startsWith('\n') ? 1 : 0);
      paragraphs.push({ from: start, to: from + one.length, text: text.slice(start, from + one.length) });
    }
    from += one.length + 2;
  }
  return paragraphs;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
