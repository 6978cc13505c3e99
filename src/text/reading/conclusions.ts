/**
 * Tells a conclusion from a passing remark. Words help if the language is known; signs of structure (names, numbers,
 * length, place) work in all languages. A text without any of the words is only not raised.
 */

/** Words of a decision, a finding or a reason, in English, German, French, Spanish, Russian, Chinese and Japanese. */
const CONCLUDES =
  /\b(?:because|since|so that|therefore|instead of|rather than|decid(?:e|ed|ing)|chose|going with|root cause|turns out|found (?:that|the|it)|confirm(?:s|ed)|means that|the (?:fix|cause|reason|problem|issue|bug) (?:is|was)|fixed|works|fails|failed|passes|passed|verified|won['’]t work|does(?:n['’]t| not)|result|weil|deshalb|statt|entschieden|Ursache|parce que|donc|au lieu de|porque|por eso|en lugar de|потому|поэтому|вместо)\b|因为|所以|决定|改用|而不是|原因|ため|ので|代わりに|決め|原因は/iu;

/** The speaker only announces a next step: of little worth after the step. */
const ANNOUNCES =
  /^(?:\W{0,4})(?:ok(?:ay)?[,.! ]+|good[,.! ]+|great[,.! ]+|perfect[,.! ]+|now[,]? +|next[,]? +|first[,]? +|then[,]? +|alright[,.! ]+)*(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i am going to|i need to|we need to|now i|time to|checking|looking at|reading|running|searching|ich (?:werde|schaue|prüfe|lese)|je vais|voy a|сейчас|давай|让我|我来|接下来|次に|では)/iu;

/** Identifiers, paths, numbers with digits, code spans: the subjects of a finding. */
const SPECIFIC =
  /`[^`\n]{2,80}`|(?<!\w)\w{1,40}[_/.]\w[\w/.]{0,80}|(?<!\w)[a-z]{1,30}[A-Z]\w{0,60}|(?<!\w)\d[\d.,%:]{0,20}|["“][^"”\n]{4,80}["”]/g;

/** A longer text is judged by its beginning. In characters. */
const READ_CHARS = 1_200;
/** Most characters of a remark. */
const REMARK_CHARS = 200;

/** How conclusive a passage is: below 0 for a remark, up to about 2.5. */
export function conclusiveness(text: string): number {
  const head = text.slice(0, READ_CHARS);
  if (head.length <= REMARK_CHARS && (ANNOUNCES.test(head) || /[:：…]\s*$/.test(head))) return -1;
  const specifics = head.match(SPECIFIC)?.length ?? 0;
  // A finding has at most one such subject per forty characters.
  const density = Math.min(1, (specifics * 40) / Math.max(120, head.length));
  return density + (CONCLUDES.test(head) ? 1.5 : 0) - (ANNOUNCES.test(head) ? 0.5 : 0);
}
