/** The replacement of a secret of any kind. */
const REMOVED = /\[[\w ]{1,20} removed\]/;

/** Whether a redacted text of the log matches this text of a client, which has the secrets. */
export function matchesRedacted(logged: string, sent: string): boolean {
  if (logged === sent) return true;
  const pieces = logged.split(REMOVED);
  if (pieces.length === 1) return false;
  return hasPieces(pieces, sent) || matchesRedactedJson(logged, sent);
}

/** Whether a text has these pieces in order, with something between each two. */
function hasPieces(pieces: readonly string[], text: string): boolean {
  const [first = '', last = ''] = [pieces[0], pieces.at(-1)];
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = text.indexOf(piece, at + 1);
    if (found < 0 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return at < end;
}

/** The same if one of them has other spacing. */
function matchesRedactedJson(logged: string, sent: string): boolean {
  if (!/^\s*[{[]/.test(logged) || !/^\s*[{[]/.test(sent)) return false;
  try {
    return hasPieces(JSON.stringify(JSON.parse(logged)).split(REMOVED), JSON.stringify(JSON.parse(sent)));
  } catch {
    return false;
  }
}
