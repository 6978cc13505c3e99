import { actionOf, isRecord, parseArguments, type Action } from '../facts/index.js';
import { plainName } from '../reading/index.js';
import { writeJson, type ToolCallPart } from '../transcript/index.js';
import { escaped, middleCut } from './quote.js';

/** Arguments of a look: a path, a pattern, a command that only shows. In characters. */
const LOOK_CHARS = 400;

/** Of what edits and plans may take, a command gets this share: scripts that were tried out and thrown away are long. */
const COMMAND_SHARE = 1 / 3;

/** The text that an edit replaced says where it was made, no more. In characters. */
const OLD_TEXT_CHARS = 300;

/** Parameters that hold what an edit replaced. */
const OLD_TEXT = /(?:^|[._])(?:old|original|search|before)/i;

/** Deeper arguments are shown as JSON. */
const MAX_DEPTH = 4;

/**
 * A call with its arguments: what it wrote, ran or planned up to `writtenChars` a text, what it only looked at in a
 * line. Texts of several lines stand as they were meant, not as JSON.
 */
export function quoteCall(
  part: ToolCallPart,
  redact: (text: string) => string,
  writtenChars: number,
): string {
  const given = redact(part.arguments);
  const call = `calls ${escaped(plainName(part.name))} with`;
  const { fields, text } = parseArguments(given);
  const isShort = given.length <= LOOK_CHARS && !given.includes('\\n');
  if (isShort) return `${call} ${escaped(given)}`;
  const { kind } = actionOf(part);
  const most = mostChars(kind, writtenChars);
  if (text !== undefined) return `${call} ${escaped(middleCut(redact(text), most))}`;
  const lines = [...textsIn(fields, '')].map(([name, value]) => {
    const isOld = kind === 'write' && OLD_TEXT.test(name);
    const shown = middleCut(redact(value), isOld ? Math.min(OLD_TEXT_CHARS, most) : most);
    return `  ${name}:${shown.includes('\n') ? '\n' : ' '}${shown}`;
  });
  return `${call}\n${escaped(middleCut(lines.join('\n'), 2 * most))}`;
}

function mostChars(kind: Action['kind'], writtenChars: number): number {
  if (kind === 'read' || kind === 'search') return Math.min(LOOK_CHARS, writtenChars);
  return kind === 'run' ? Math.max(LOOK_CHARS, Math.floor(COMMAND_SHARE * writtenChars)) : writtenChars;
}

/** Every argument with its name, nested ones by their way: `edits[0].new_string`. */
function* textsIn(value: unknown, name: string, depth = 0): Generator<readonly [string, string]> {
  if (typeof value === 'string') yield [name, value];
  else if (Array.isArray(value) && value.every((inner) => typeof inner === 'string'))
    yield [name, value.join(' ')];
  else if (depth < MAX_DEPTH && Array.isArray(value))
    for (const [i, inner] of value.entries()) yield* textsIn(inner, `${name}[${i}]`, depth + 1);
  else if (depth < MAX_DEPTH && isRecord(value))
    for (const [key, inner] of Object.entries(value))
      yield* textsIn(inner, name === '' ? key : `${name}.${key}`, depth + 1);
  else yield [name, writeJson(value) ?? ''];
}
