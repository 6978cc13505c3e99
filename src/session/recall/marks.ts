/** A list as marks write it: names with a comma and a space between, up to the first that no comma follows. */
const LISTED = String.raw`(?:[^\s,\]]+,\s*)*[^\s,\]]+`;
/** `[recall m4, m69]`, `[Read result, 12 tokens, compacted; recall m3#0]`, `recall m3..m9`. */
const MARK = new RegExp(String.raw`(?:^|[\s[(;,])recall:?\s+(${LISTED})`, 'i');
/** `Earlier in this session (compacted m3..m9; recall by handle):` */
const SPAN_HEAD = /\(compacted ([^\s;]+); recall by handle\)/;
const WRAPPED = /^[\s"'`[(<]+|[\s"'`\])>.;:…]+$/g;

/** What a text that was given as a handle may mean, the likeliest first: the text as it is, the list a mark names, the list it is. */
export function readingsOf(given: string): readonly (readonly string[])[] {
  const readings: (readonly string[])[] = [[given]];
  const inside = SPAN_HEAD.exec(given)?.[1] ?? MARK.exec(given)?.[1];
  const bare = (inside ?? given).replace(WRAPPED, '');
  if (bare !== given) readings.push([bare]);
  const list = bare
    .split(/[\s,]+/)
    .map((one) => one.replace(WRAPPED, ''))
    .filter((one) => one !== '' && one !== 'and');
  if (list.length > 1) readings.push(list);
  return readings;
}
