import { normalizePath } from './paths.js';
import type { Touch } from './touch.js';

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
