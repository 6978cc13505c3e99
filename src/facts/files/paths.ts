/** Empty, `.` and `..` pieces. */
const UNTIDY = /^$|\/\.{0,2}(?:\/|$)|^\.{1,2}(?:\/|$)/;

/**
 * One spelling for one file: forward slashes, no `.` and `..`, relative paths joined to the directory they were said
 * in, where it is known. A relative path without one stays relative and is not taken for the absolute path that ends
 * like it: two files would then pass for one.
 */
export function normalizePath(path: string, directory = ''): string {
  let plain = path.trim();
  if (plain.startsWith('file://')) plain = plain.slice('file://'.length);
  if (plain.includes('\\')) plain = plain.replaceAll('\\', '/');
  const full = isAbsolute(plain) || directory === '' ? plain : `${directory}/${plain}`;
  if (!UNTIDY.test(full)) return full;
  const root = full.startsWith('/') ? '/' : '';
  const kept: string[] = [];
  for (const piece of full.split('/')) {
    if (piece === '' || piece === '.') continue;
    if (piece === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (piece !== '..' || root === '') kept.push(piece);
  }
  return root + kept.join('/') || '.';
}

/** A text that may be a path: one line, of a length that file systems take. */
export function isPathLike(text: string): boolean {
  return text.length > 0 && text.length <= 1024 && !text.includes('\n') && text.trim() !== '';
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:\//.test(path);
}
