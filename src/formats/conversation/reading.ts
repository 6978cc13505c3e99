import type { Parsed } from '../../spi/index.js';
import type { FilePlace, Message, OpaquePart, Origin, Part, Role, TextPart } from '../../transcript/index.js';
import { type Fields, isText, jsonText, kindOf } from '../record.js';
import type { Report } from './repairs.js';

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
  'user_instructions',
  'turn_aborted',
]);

/** A slash command's arguments are the user's own words; only an empty pair is the program's. */
const ARGUMENTS = 'command-args';

/** As Codex sends the instructions of a project. */
const AGENTS_FILE = /^\s*# AGENTS\.md instructions\b[^\n]*\n\s*<INSTRUCTIONS>[^]*<\/INSTRUCTIONS>\s*$/;

/** As Gemini CLI and its forks (Qwen Code, iFlow) begin, and answer themselves, before the user's own question. */
const SETUP = /^\s*This is (?:the )?[A-Z][\w -]{1,40}\. We are setting up the context for our chat\./;

/** Whether a text in the user's place was written by a program: nothing but such blocks from end to end. */
export function isProgramWritten(text: string): boolean {
  if (AGENTS_FILE.test(text) || SETUP.test(text)) return true;
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

/** Whether a message at the head is the client's program and nobody else: a system message, or a note in the user's place. */
export const isInstruction = ({ role, origin }: Message): boolean =>
  role === 'system' || (role === 'user' && origin === 'synthetic');

/**
 * How many messages at the head are instructions: what the program says changes with the day. Notes in the user's place are where
 * the user's words come next; else they may be all that is said.
 */
export function instructionsIn(messages: readonly Message[]): number {
  const words = messages.findIndex((message) => !isInstruction(message));
  if (messages[words]?.role === 'user') return words;
  const said = messages.findIndex(({ role }) => role !== 'system');
  return said < 0 ? messages.length : said;
}

/** What most bodies say beside their messages. */
export function besideMessages({ tools, model }: Fields): Pick<Parsed, 'tools' | 'model'> {
  return {
    ...(Array.isArray(tools) && { tools: tools as readonly unknown[] }),
    ...(typeof model === 'string' && { model }),
  };
}

/** Whose words stand in the user's place: the user's, or those of a program and nothing else. */
function originOf(parts: readonly Part[]): Origin {
  const byProgram = parts.every((part) => part.type === 'text' && isProgramWritten(part.text));
  return parts.length > 0 && byProgram ? 'synthetic' : 'user';
}

/** Whose words stand in the other roles. */
const ORIGINS = { system: 'system', assistant: 'model', tool: 'tool' } as const;

/** A message as it was said in a role of the log; without one, as a program's words in the user's place. */
export function messageIn(
  role: Role | undefined,
  about: Pick<Message, 'id' | 'wire' | 'wireFormat' | 'name'>,
  parts: readonly Part[],
): Message {
  const ofUser = role === 'user' ? originOf(parts) : 'synthetic';
  const origin = role === undefined || role === 'user' ? ofUser : ORIGINS[role];
  return { ...about, role: role ?? 'user', origin, parts };
}

/** The id of a call; where it has none, one made of where it stands, which is told. */
export function callIdOf(own: unknown, messageId: string, at: number, report: Report): string {
  if (isText(own)) return own;
  const callId = `call_${messageId}_${at}`;
  report('missing-call-id', `call ${at} has no id; named ${callId} after its place`);
  return callId;
}

/** The texts among parts. */
export function textsIn(parts: readonly Part[]): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? part.text : []));
}

/** The words of a message, a line for each part. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** What is kept whole, for nobody here understands it; `way` leads to it in the wire of its message. */
export function opaquePart(
  kind: string,
  value: unknown,
  wire: unknown,
  way?: FilePlace['way'],
  bytes = Buffer.byteLength(jsonText(value)),
): OpaquePart {
  return { type: 'opaque', kind, bytes, ...(way && { at: { as: 'text', way } }), wire };
}

/** Content as parts: nothing, a text, or a list whose items `read` reads; of anything else the JSON text is kept. */
export function contentParts<P extends Part>(
  content: unknown,
  read: (item: unknown, at: number) => P | readonly P[],
  report: Report,
  wire?: unknown,
): (P | TextPart)[] {
  if (content === undefined || content === null || content === '') return [];
  if (Array.isArray(content)) return content.flatMap(read);
  if (typeof content !== 'string')
    report('unknown-content', `content is ${kindOf(content)}; kept as JSON text`);
  const text = typeof content === 'string' ? content : jsonText(content);
  return [{ type: 'text', text, ...(wire !== undefined && { wire }) }];
}
