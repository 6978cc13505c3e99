import type { LogMessage } from '../transcript/index.js';
import { decisionsOf } from './prose.js';
import { userWordsOf, type UserWords } from './user-words.js';

export interface Line {
  readonly place: number;
  readonly text: string;
}

/** What an outline may quote of one message, but for its calls. */
export interface Notes {
  readonly user: UserWords | undefined;
  readonly decisions: readonly Line[];
  /** Of what it says in prose: tells how dense an outline of it will be. */
  readonly chars: number;
  readonly tokens: number;
}

/** A message never changes, and every run that outlines a span asks for all of it again. */
const known = new WeakMap<LogMessage, Notes>();

export function notesOf(message: LogMessage): Notes {
  let notes = known.get(message);
  if (!notes) {
    notes = readNotes(message);
    known.set(message, notes);
  }
  return notes;
}

function readNotes(message: LogMessage): Notes {
  const { role, origin, parts, size } = message;
  const says = role === 'assistant' && origin !== 'synthetic';
  const decisions = says
    ? decisionsOf(message).map(({ seq, text }): Line => ({ place: seq, text: `- ${text}` }))
    : [];
  let chars = 0;
  let tokens = 0;
  if (role !== 'tool') {
    parts.forEach((part, i) => {
      if (part.type !== 'text') return;
      chars += part.text.length;
      tokens += size.parts[i]?.tokens ?? 0;
    });
  }
  return { user: userWordsOf(message), decisions, chars, tokens };
}
