import {
  commandOf,
  commandsInScript,
  joinWords,
  parametersOf,
  patchInScript,
  type CallArguments,
} from '../facts/index.js';
import { isRecord } from '../../transcript/index.js';

/** Commands by which an agent publishes a text of its own. */
const PUBLISHING_COMMAND =
  /\b(?:git\s+(?:-\S+\s+\S+\s+)?(?:commit|tag|notes)|gh\s+(?:pr|issue|release)|glab\s+\w+|hub\s+\w+)\b/;
const TEXT_FLAG = /(?:^|\s)(?:-\w*m|--message|--body|-b|--title|-t|--notes|-n|--description|-d)(?:\s+|=)/g;
/** Lines that tools add below a text: they name authors, not content. */
const TRAILER =
  /^\W{0,4}(?:Co-Authored-By|Signed-off-by|Generated (?:with|by)|Change-Id|Reviewed-by)\b[^\n]{0,300}$/gim;
/** Longer command lines are scripts. In characters. */
const LONGEST_LINE = 20_000;

/** Texts in a command line: commit messages, titles and bodies of pull requests; '' if there are none. */
export function textInCommand(line: string): string {
  if (line.length > LONGEST_LINE) return '';
  const command = PUBLISHING_COMMAND.exec(line);
  if (!command) return '';
  const texts: string[] = [];
  TEXT_FLAG.lastIndex = command.index;
  for (let flag = TEXT_FLAG.exec(line); flag; flag = TEXT_FLAG.exec(line)) {
    const value = valueAt(line, TEXT_FLAG.lastIndex);
    if (!value) continue;
    TEXT_FLAG.lastIndex = value.end;
    const text = value.text.replaceAll(TRAILER, '').trim();
    if (/\p{L}{2}/u.test(text)) texts.push(text);
  }
  const written = texts.join('\n\n');
  // For `init` or `wip` the command alone is enough.
  return written.includes(' ') || written.includes('\n') ? written : '';
}

/** A quoted word, or a here-document inside one: `"$(cat <<'EOF' … EOF)"`. */
function valueAt(line: string, from: number): { text: string; end: number } | undefined {
  const quote = line[from];
  if (quote !== '"' && quote !== "'") return undefined;
  const document = /^"\$\(cat <<-?\s*['"]?(\w+)['"]?\n/.exec(line.slice(from, from + 60));
  if (document) {
    const begin = from + document[0].length;
    const end = line.indexOf(`\n${document[1]}`, begin);
    return end < 0 ? undefined : { text: line.slice(begin, end), end: end + document[1]!.length + 1 };
  }
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] === '\\' && quote === '"') at++;
    else if (line[at] === quote)
      return { text: line.slice(from + 1, at).replace(/\\(["\\$`])/g, '$1'), end: at + 1 };
  }
  return undefined;
}

/** Shorter arguments are names and flags; longer ones are files. In characters. */
const MIN_CHARS = 120;
const MAX_CHARS = 12_000;

/**
 * Prose among the arguments of a call that neither reads, writes files nor runs: a plan, a report, a final answer.
 * Recognised by its form, because such tools have any name. '' if there is none.
 */
export function proseInArguments({ fields }: CallArguments): string {
  return Object.values(fields)
    .filter((value) => typeof value === 'string' && readsAsProse(value))
    .join('\n\n');
}

export function readsAsProse(text: string): boolean {
  if (text.length < MIN_CHARS || text.length > MAX_CHARS) return false;
  const head = text.slice(0, 2_000);
  const letters = head.match(/[\p{L}\p{M} ]/gu)?.length ?? 0;
  const isCode = (head.match(/[{}();=<>]/g)?.length ?? 0) > head.length / 50;
  return !isCode && letters > 0.72 * head.length && /[.!?:](?:\s|$)|[。！？]/.test(head);
}

/** Parameters with the earlier content of a file, which the call did not write. */
const OLD_CONTENT_FIELD = /^(?:old|search|find|before|anchor|target_content|original)/i;

/** The text that a write puts into a file, without the removed text; in a patch the lines that begin with `+`. */
export function addedText(call: CallArguments): string {
  const texts: string[] = [];
  const removed: string[] = [];
  const visit = (value: unknown, key: string, depth: number): void => {
    if (typeof value === 'string') {
      if (OLD_CONTENT_FIELD.test(key)) removed.push(value);
      else if (value.length >= 20 && (value.includes('\n') || value.includes(' '))) texts.push(value);
    } else if (Array.isArray(value)) for (const inner of value) visit(inner, key, depth);
    else if (isRecord(value) && depth < 4)
      for (const [name, inner] of Object.entries(value)) visit(inner, name, depth + 1);
  };
  if (call.text !== undefined) visit(call.text, '', 0);
  else
    for (const [name, value] of Object.entries(call.fields))
      if (name !== 'description') visit(value, name, 0);
  const added = texts
    .map((text) => patchInScript(text) || text)
    .map((text) => (isPatch(text) ? plusLines(text) : text))
    .join('\n');
  if (removed.length === 0) return added;
  const before = new Set(removed.flatMap((text) => text.split('\n').map((line) => line.trim())));
  return added
    .split('\n')
    .filter((line) => !before.has(line.trim()))
    .join('\n');
}

function isPatch(text: string): boolean {
  return /^\*\*\* Begin Patch|^\*\*\* (?:Add|Update) File|^@@ |^--- \S/m.test(text.slice(0, 2_000));
}

function plusLines(patch: string): string {
  return patch
    .split('\n')
    .filter((line) => line.startsWith('+') && !line.startsWith('+++'))
    .map((line) => line.slice(1))
    .join('\n');
}

/** The command line of a call, if it has one. */
export function commandLineOf(call: CallArguments): string | undefined {
  const given = commandOf(parametersOf(call.fields)) ?? call.text;
  if (given === undefined) {
    const script = call.fields.input ?? call.fields.code;
    return typeof script === 'string' ? commandsInScript(script).join(' && ') || undefined : undefined;
  }
  if (typeof given === 'string') return given;
  // `["bash", "-lc", "make all"]`, or a list of lines: the last. Anything else is one command, word by word.
  const isScript = given[0]!.includes(' ') || SCRIPT_FLAG.test(given.at(-2) ?? '');
  return isScript ? given.at(-1) : joinWords(given);
}

/** The shell's flag in front of a script. */
const SCRIPT_FLAG = /^(?:-\w*c(?:ommand)?|\/c)$/i;
