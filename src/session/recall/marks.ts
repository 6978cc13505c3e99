/** A list as marks write it: names with a comma and a space between, up to the first that no comma follows. */
const LISTED = String.raw`(?:[^\s,\]]+,\s*)*[^\s,\]]+`;
/** `[recall m4, m69]`, `[Read result, 12 tokens, compacted; recall m3#0]`, `recall m3..m9`. */
const MARK = new RegExp(String.raw`(?:^|[\s[(;,])recall:?\s+(${LISTED})`, 'i');
/** `Earlier in this session (compacted m3..m9; recall by handle):` */
const SPAN_HEAD = /\(compacted ([^\s;]+); recall by handle\)/;
/** `[3 calls m5..m9] looked at gate.ts`: a line of a digest, from its beginning. */
const CALLS = /^\s*\[(?:call|\d{1,9} calls) ([^\s\]]+)\]/;
/** `User [m3]: “Keep it”`: who says it, and where. */
const SPEAKER = /^\s*(?:User|User pasted|Assistant|Assistant wrote|Earlier summary) \[([^\s\]]+)\]:/;
/** What stands around a name in running text. */
const AROUND = new Set(' \t\r\n"\'`[]()<>.;:,…');

/** What a text that was given as a handle may mean, the likeliest first: the text as it is, the list a mark names, the list it is. */
export function readingsOf(given: string): readonly (readonly string[])[] {
  const readings: (readonly string[])[] = [[given]];
  const bare = withoutWrapping(namedIn(given) ?? given);
  if (bare !== given) readings.push([bare]);
  const list = bare
    .split(/[\s,]+/)
    .map(withoutWrapping)
    .filter((one) => one !== '' && one !== 'and');
  if (list.length > 1) readings.push(list);
  return readings;
}

/** What our own line names. One of a digest begins so, and anything may stand behind that. */
function namedIn(line: string): string | undefined {
  for (const pattern of [CALLS, SPEAKER, SPAN_HEAD, MARK]) {
    const found = pattern.exec(line);
    if (found) return found[1];
  }
  return undefined;
}

/** Without what stands around it. By hand: a pattern for the end of a text is tried at each of its characters. */
function withoutWrapping(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && AROUND.has(text[from]!)) from++;
  while (to > from && AROUND.has(text[to - 1]!)) to--;
  return text.slice(from, to);
}
