import { textOf, type Message, type Part } from '../../transcript/index.js';
import { speechOf, type Speech } from './documents.js';
import { scanTexts } from './speaker-scan.js';
import type { Speaker } from './speaker-table.js';

/** The parts of a message that determine the speakers. */
export type SpokenMessage = Pick<Message, 'role' | 'origin' | 'parts'>;

/**
 * Splits a message into speeches, in order. Joined, the speeches contain all of its texts except tags around blocks and
 * blank lines. Reads text parts only; in a message of a tool its results too. Linear in the texts.
 *
 * Only text of a message with the user's role can be the user's. A shape inside it can only take text away from the
 * user, except for a few tags in which hosts wrap the user's text, and those count nowhere else.
 *
 * @param before - the message before it, if the log has one: some hosts put a header and its text into two
 */
export function speechesOf(message: SpokenMessage, before?: SpokenMessage): readonly Speech[] {
  const { role, origin, parts } = message;
  if (role !== 'user') return joined(ROLES[role], parts);
  // Some formats send tool results in a user message: texts next to the results belong to them.
  if (origin === 'tool' || parts.some(({ type }) => type === 'tool-result')) return joined('output', parts);
  if (origin === 'model') return joined('agent', parts);
  if (origin === 'system') return joined('instructions', parts);
  const textBefore = before?.role === 'user' ? (textsOf(before).at(-1) ?? '') : '';
  const speeches = scanTexts(textsOf(message), textBefore, questionBefore(before));
  return origin === 'synthetic' ? speeches.map(asProgram) : speeches;
}

/** Whether a message is no program's addition to the talk, such as a reminder or later instructions. */
export const isTalk = ({ role, origin }: SpokenMessage): boolean =>
  role !== 'system' && (role !== 'user' || origin !== 'synthetic');

/** Characters, from the end, of the message that a host may have answered. */
const QUESTION_CHARS = 2_000;

/** The agent's or system's message before; undefined if it is unknown, or if it called tools. */
function questionBefore(before: SpokenMessage | undefined): string | undefined {
  if (before?.role !== 'assistant' && before?.role !== 'system') return undefined;
  if (before.parts.some(({ type }) => type === 'tool-call')) return undefined;
  return before.role === 'system' ? '' : (textsOf(before).at(-1) ?? '').slice(-QUESTION_CHARS);
}

/** The user's own text in a message, joined by blank lines; '' if there is none. */
export function userWordsIn(message: SpokenMessage, before?: SpokenMessage): string {
  return textBy('user', speechesOf(message, before));
}

/**
 * A host's summary of removed messages, or one of ours that a client sends back, without the instructions to its
 * reader; undefined if there is none.
 */
export function hostSummaryIn(message: SpokenMessage): string | undefined {
  const text = textBy('summary', speechesOf(message));
  return text === '' ? undefined : text;
}

const ROLES: Readonly<Record<Exclude<Message['role'], 'user'>, Speaker>> = {
  system: 'instructions',
  assistant: 'agent',
  tool: 'output',
};

function joined(speaker: Speaker, parts: readonly Part[]): Speech[] {
  const texts = parts.filter(({ type }) => type === 'text' || type === 'tool-result').map(textOf);
  const speech = speechOf(speaker, texts.join('\n\n'));
  return speech ? [speech] : [];
}

/** A message by a program has no text of the user. */
function asProgram(speech: Speech): Speech {
  return speech.speaker === 'user' ? { ...speech, speaker: 'program' } : speech;
}

function textsOf({ parts }: SpokenMessage): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

/** The text of one speaker, joined by blank lines; '' if there is none. */
export function textBy(speaker: Speaker, speeches: readonly Speech[]): string {
  return speeches
    .filter((speech) => speech.speaker === speaker)
    .map(({ text }) => text)
    .join('\n\n');
}
