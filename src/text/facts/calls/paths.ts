/** What a call does to one file. */
export interface Touch {
  readonly path: string;
  readonly how: 'read' | 'created' | 'modified' | 'deleted';
  /** For reads: which part, in whatever words the tool has for it; absent where the whole file was read. */
  readonly range?: string;
}

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

const PATCH_LINE = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gm;
/** A name ends at whatever begins a line: else each such line would be read to the end of the last. */
const DIFF_LINE = /^--- ([^\n\r\t\u2028\u2029]+)(?:\t.*)?\r?\n\+\+\+ ([^\n\r\t\u2028\u2029]+)/gm;

/** The files a patch changes: the `*** Begin Patch` form, or a unified diff. Empty where the text is neither. */
export function patchTouches(patch: string, directory = ''): Touch[] {
  const touches: Touch[] = [];
  for (const [, verb, path] of patch.matchAll(PATCH_LINE)) {
    const target = normalizePath(path!, directory);
    const updated = touches.at(-1);
    if (verb === 'Add File') touches.push({ path: target, how: 'created' });
    else if (verb === 'Delete File') touches.push({ path: target, how: 'deleted' });
    else if (verb === 'Update File') touches.push({ path: target, how: 'modified' });
    else if (updated) touches.splice(-1, 1, { ...updated, how: 'deleted' }, { path: target, how: 'created' });
  }
  if (touches.length > 0) return touches;
  for (const [, before, after] of patch.matchAll(DIFF_LINE)) {
    const how = before === '/dev/null' ? 'created' : after === '/dev/null' ? 'deleted' : 'modified';
    const path = (how === 'deleted' ? before! : after!).replace(/^[ab]\//, '');
    touches.push({ path: normalizePath(path, directory), how });
  }
  return touches;
}
