/** The effect of a call on one file. */
export interface Touch {
  readonly path: string;
  readonly how: 'read' | 'created' | 'modified' | 'deleted';
  /** For reads: the part, as the tool's parameters name it; absent if the whole file was read. */
  readonly range?: string;
}

/** Empty, `.` and `..` pieces. */
const UNTIDY = /^$|\/\.{0,2}(?:\/|$)|^\.{1,2}(?:\/|$)/;

/**
 * One spelling for one file: forward slashes, no `.` and `..`, relative paths joined to their directory, if it is
 * known. Otherwise a relative path stays relative and does not equal an absolute path with the same end, because two
 * files could then count as one.
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

/** Whether a text may be a path: one line, of a length that file systems allow. */
export function isPathLike(text: string): boolean {
  return text.length > 0 && text.length <= 1024 && !text.includes('\n') && text.trim() !== '';
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || path.startsWith('~') || /^[A-Za-z]:\//.test(path);
}

const PATCH_LINE = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+)$/gm;
/** A name ends at any line start: otherwise each such line would be read to the end of the last. */
const DIFF_LINE = /^--- ([^\n\r\t\u2028\u2029]+)(?:\t.*)?\r?\n\+\+\+ ([^\n\r\t\u2028\u2029]+)/gm;

/** The files that a patch changes: in `*** Begin Patch` form or a unified diff. Empty if the text is neither. */
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
