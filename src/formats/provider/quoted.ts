/**
 * Tells whether words of an error stand in the request that it answers: servers quote what they refuse, and cut, escape and
 * wrap it as they like, so that only letters and digits are compared.
 */
export function quoting(request: () => string): (words: string) => boolean {
  let held: string | undefined;
  return (words) => (held ??= lettersOf(request())).includes(lettersOf(words));
}

/**
 * A found wording up to each figure that it names, or all of it where it names none: one quoted piece makes its figure
 * somebody else's. A figure by itself is no piece: a request says its `max_tokens` too.
 */
export function piecesOf([whole, ...figures]: RegExpExecArray): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  for (const figure of figures) {
    if (figure === undefined) continue;
    const end = whole.indexOf(figure, from) + figure.length;
    pieces.push(whole.slice(from, end));
    from = end;
  }
  const said = pieces.filter((piece) => /\p{L}/u.test(piece));
  return said.length > 0 ? said : [whole];
}

/** Escapes of JSON, Python and JavaScript count as what they stand for; escaped again, they have only more backslashes. */
const lettersOf = (text: string): string =>
  text
    .replace(/\\u([\da-f]{4})/gi, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)))
    .replace(/\\[nrtbf]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
