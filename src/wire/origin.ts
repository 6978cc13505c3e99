/**
 * Tags in which agent programs wrap what they themselves write in the user's place. Only shapes that no person
 * types: `<task>` and `<pr_description>` are missing on purpose, people's own tasks come in them. A name too many
 * lets a user's words be compacted as machine text; a name too few merely keeps machine text verbatim.
 */
const PROGRAM_TAGS: ReadonlySet<string> = new Set([
  'system-reminder',
  'environment_context',
  'task-notification',
  'local-command-caveat',
  'local-command-stdout',
  'local-command-stderr',
  'command-name',
  'command-message',
  'command-args',
  'recommended_plugins',
  'turn_aborted',
]);

/** A slash command's arguments are the user's own words; only an empty pair is the program's. */
const ARGUMENTS = 'command-args';

/** Whether a text in the user's place was written by a program: nothing but such blocks from end to end. */
export function isProgramWritten(text: string): boolean {
  // The name ends where it ends: else each of its characters is tried for the last.
  const opening = /\s*<([A-Za-z][\w-]*)(?![\w-])[^>]*>/y;
  let at = 0;
  while (at < text.length) {
    opening.lastIndex = at;
    const found = opening.exec(text);
    if (!found) return at > 0 && text.slice(at).trim() === '';
    const tag = found[1]!;
    if (!PROGRAM_TAGS.has(tag)) return false;
    const closing = `</${tag}>`;
    const end = text.indexOf(closing, opening.lastIndex);
    if (end < 0) return false;
    if (tag === ARGUMENTS && text.slice(opening.lastIndex, end).trim() !== '') return false;
    at = end + closing.length;
  }
  return at > 0;
}
