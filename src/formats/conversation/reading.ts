import type { Parsed } from '../../spi/index.js';
import type { FilePlace, Message, OpaquePart, Origin, Part, Role, TextPart } from '../../transcript/index.js';
import { type Fields, isText, jsonText, kindOf } from '../record.js';
import type { Report } from './repairs.js';

/**
 * Tags in which agent programs wrap text that they write in the user's place. Only shapes that no person types:
 * `<task>` and `<pr_description>` are missing on purpose, because people's own tasks come in them. A wrong name here
 * lets a user's words be compacted as machine text; a missing name merely keeps machine text verbatim.
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

/** A slash command's arguments are the user's own words; only an empty pair of tags is the program's. */
const ARGUMENTS = 'command-args';

/** The form in which Codex sends the instructions of a project. */
const AGENTS_FILE = /^\s*# AGENTS\.md instructions\b[^\n]*\n\s*<INSTRUCTIONS>[^]*<\/INSTRUCTIONS>\s*$/;

/** Gemini CLI and its forks (Qwen Code, iFlow) send this, and answer it themselves, before the user's question. */
const SETUP = /^\s*This is (?:the )?[A-Z][\w -]{1,40}\. We are setting up the context for our chat\./;

/** Whether a program wrote a text in the user's place: from end to end it consists of the forms above. */
export function isProgramWritten(text: string): boolean {
  if (AGENTS_FILE.test(text) || SETUP.test(text)) return true;
  // The lookahead fixes the end of the name; without it the engine would try every shorter name.
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

/** Whether a message at the head is only the client program's: a system message, or a note in the user's place. */
export const isInstruction = ({ role, origin }: Message): boolean =>
  role === 'system' || (role === 'user' && origin === 'synthetic');

/**
 * The number of messages at the head that are instructions, which a program may change from day to day. Notes in the
 * user's place count if the user's own words come next; otherwise the notes may be all that the conversation has.
 */
export function instructionsIn(messages: readonly Message[]): number {
  const firstOther = messages.findIndex((message) => !isInstruction(message));
  if (messages[firstOther]?.role === 'user') return firstOther;
  const firstTurn = messages.findIndex(({ role }) => role !== 'system');
  return firstTurn < 0 ? messages.length : firstTurn;
}

/** The tools and the model, in the fields that most request bodies have. */
export function toolsAndModel({ tools, model }: Fields): Pick<Parsed, 'tools' | 'model'> {
  return {
    ...(Array.isArray(tools) && { tools: tools as readonly unknown[] }),
    ...(typeof model === 'string' && { model }),
  };
}

/** The author of a message in the user's place: the user, or a program if every part is a program's. */
function originOf(parts: readonly Part[]): Origin {
  const byProgram = parts.every((part) => part.type === 'text' && isProgramWritten(part.text));
  return parts.length > 0 && byProgram ? 'synthetic' : 'user';
}

/** The author of a message in each other role. */
const ORIGINS = { system: 'system', assistant: 'model', tool: 'tool' } as const;

/** A log message of this role; without a role, a program's message in the user's place. */
export function logMessage(
  role: Role | undefined,
  about: Pick<Message, 'id' | 'wire' | 'wireFormat' | 'name'>,
  parts: readonly Part[],
): Message {
  const ofUser = role === 'user' ? originOf(parts) : 'synthetic';
  const origin = role === undefined || role === 'user' ? ofUser : ORIGINS[role];
  return { ...about, role: role ?? 'user', origin, parts };
}

/** The id of a call; a call without an id gets one from its place, with a report. */
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

/** The text of a message, one line for each part. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}

/** A part that is kept whole, because no code here understands it; `way` leads to it in the wire of its message. */
export function opaquePart(
  kind: string,
  value: unknown,
  wire: unknown,
  way?: FilePlace['way'],
  bytes = Buffer.byteLength(jsonText(value)),
): OpaquePart {
  return { type: 'opaque', kind, bytes, ...(way && { at: { as: 'text', way } }), wire };
}

/** Content as parts: nothing, a text, or a list whose items `read` reads; anything else is kept as JSON text. */
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
