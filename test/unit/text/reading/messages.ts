import type { Message } from '../../../../src/transcript/index.js';
import { speechesOf, type SpokenMessage } from '../../../../src/text/reading/index.js';

/** A message of a user in one text or more. */
export function spoken(...texts: string[]): SpokenMessage {
  return { role: 'user', origin: 'user', parts: texts.map((text) => ({ type: 'text', text })) };
}

export function from(role: Message['role'], origin: Message['origin'], ...texts: string[]): SpokenMessage {
  return { ...spoken(...texts), role, origin };
}

/** `speaker: text` of each speech. */
export function told(...texts: string[]): string[] {
  return speechesOf(spoken(...texts)).map(({ speaker, text }) => `${speaker}: ${text}`);
}
