import { textOf, type Message, type Part } from '../../transcript/index.js';
import { speechOf, type Speech } from './documents.js';
import { scanTexts } from './speaker-scan.js';
import type { Speaker } from './speaker-table.js';

/** What of a message decides who speaks. */
export type Spoken = Pick<Message, 'role' | 'origin' | 'parts'>;

/**
 * Splits a message into who says what, in order. Joined, the speeches lose nothing of its texts but tags around blocks
 * and blank lines. Reads text parts only, of a message of a tool its results as well. Linear in the texts.
 *
 * Only the text of a message in the user's role can be the user's; a shape inside it can only take words away from
 * the user, save for a few tags in which hosts wrap the user's words, and those count nowhere else.
 *
 * @param before - the message before it, where the log has one: some hosts put a header and its text into two
 */
export function speechesOf(message: Spoken, before?: Spoken): readonly Speech[] {
  const { role, origin, parts } = message;
  if (role !== 'user') return whole(ROLES[role], parts);
  // Some formats carry results of tools in a message of the user: the texts beside them are theirs.
  if (origin === 'tool' || parts.some(({ type }) => type === 'tool-result')) return whole('output', parts);
  if (origin === 'model') return whole('agent', parts);
  if (origin === 'system') return whole('instructions', parts);
  const behind = before?.role === 'user' ? (textsOf(before).at(-1) ?? '') : '';
  const speeches = scanTexts(textsOf(message), behind, askedIn(before));
  return origin === 'synthetic' ? speeches.map(byProgram) : speeches;
}

/** Whether a message is more than what a program puts beside what was said: a reminder, instructions midway. */
export const isNoNote = ({ role, origin }: Spoken): boolean =>
  role !== 'system' && (role !== 'user' || origin !== 'synthetic');

/** Of what a host may have answered, so much is looked at, from its end, in characters. */
const ASKED_CHARS = 2_000;

/** What an agent or the system said before; undefined where that is not known, or where tools were called. */
function askedIn(before: Spoken | undefined): string | undefined {
  if (before?.role !== 'assistant' && before?.role !== 'system') return undefined;
  if (before.parts.some(({ type }) => type === 'tool-call')) return undefined;
  return before.role === 'system' ? '' : (textsOf(before).at(-1) ?? '').slice(-ASKED_CHARS);
}

/** The user's own words in a message, joined by blank lines; '' where there are none. */
export function userWordsIn(message: Spoken, before?: Spoken): string {
  return textBy('user', speechesOf(message, before));
}

/**
 * A host's summary of what it removed, or one of ours that a client sends back, without the orders to its reader
 * around it; undefined where there is none.
 */
export function hostSummaryIn(message: Spoken): string | undefined {
  const text = textBy('summary', speechesOf(message));
  return text === '' ? undefined : text;
}

const ROLES: Readonly<Record<Exclude<Message['role'], 'user'>, Speaker>> = {
  system: 'instructions',
  assistant: 'agent',
  tool: 'output',
};

function whole(speaker: Speaker, parts: readonly Part[]): Speech[] {
  const texts = parts.filter(({ type }) => type === 'text' || type === 'tool-result').map(textOf);
  const speech = speechOf(speaker, texts.join('\n\n'));
  return speech ? [speech] : [];
}

/** In a message that a program made nothing is the user's. */
function byProgram(speech: Speech): Speech {
  return speech.speaker === 'user' ? { ...speech, speaker: 'program' } : speech;
}

function textsOf({ parts }: Spoken): string[] {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
}

/** What one speaker says, joined by blank lines; '' where that is nothing. */
export function textBy(speaker: Speaker, speeches: readonly Speech[]): string {
  return speeches
    .filter((speech) => speech.speaker === speaker)
    .map(({ text }) => text)
    .join('\n\n');
}
