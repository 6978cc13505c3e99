/**
 * What tells a conclusion from a passing remark. Words are a help where the language is known; the signs of structure
 * (names, numbers, length, place) work in all of them. A text that has none of the words is simply not raised.
 */

/** The speaker chose, found a cause or a result, or gives a reason. English, German, French, Spanish, Russian, Chinese, Japanese. */
const CONCLUDES =
  /\b(?:because|since|so that|therefore|instead of|rather than|decid(?:e|ed|ing)|chose|going with|root cause|turns out|found (?:that|the|it)|confirm(?:s|ed)|means that|the (?:fix|cause|reason|problem|issue|bug) (?:is|was)|fixed|works|fails|failed|passes|passed|verified|won['’]t work|does(?:n['’]t| not)|result|weil|deshalb|statt|entschieden|Ursache|parce que|donc|au lieu de|porque|por eso|en lugar de|потому|поэтому|вместо)\b|因为|所以|决定|改用|而不是|原因|ため|ので|代わりに|決め|原因は/iu;

/** The speaker only says what comes next: worth little once it has been done. */
const ANNOUNCES =
  /^(?:\W{0,4})(?:ok(?:ay)?[,.! ]+|good[,.! ]+|great[,.! ]+|perfect[,.! ]+|now[,]? +|next[,]? +|first[,]? +|then[,]? +|alright[,.! ]+)*(?:let me|let['’]s|i['’]ll|i will|i['’]m going to|i am going to|i need to|we need to|now i|time to|checking|looking at|reading|running|searching|ich (?:werde|schaue|prüfe|lese)|je vais|voy a|сейчас|давай|让我|我来|接下来|次に|では)/iu;

/** Identifiers, paths, numbers with digits, code spans: what a finding is about. */
const SPECIFIC =
  /`[^`\n]{2,80}`|(?<!\w)\w{1,40}[_/.]\w[\w/.]{0,80}|(?<!\w)[a-z]{1,30}[A-Z]\w{0,60}|(?<!\w)\d[\d.,%:]{0,20}|["“][^"”\n]{4,80}["”]/g;

/** Longer text is judged by its beginning. In characters. */
const READ_CHARS = 1_200;
/** A remark is short. */
const REMARK_CHARS = 200;

/** How much a passage concludes: below 0 for a remark, up to about 2.5. */
export function conclusiveness(text: string): number {
  const head = text.slice(0, READ_CHARS);
  if (head.length <= REMARK_CHARS && (ANNOUNCES.test(head) || /[:：…]\s*$/.test(head))) return -1;
  const specifics = head.match(SPECIFIC)?.length ?? 0;
  // One specific in forty characters is as dense as a finding gets.
  const density = Math.min(1, (specifics * 40) / Math.max(120, head.length));
  return density + (CONCLUDES.test(head) ? 1.5 : 0) - (ANNOUNCES.test(head) ? 0.5 : 0);
}
