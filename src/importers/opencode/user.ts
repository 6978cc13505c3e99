import type { Message, Part } from '../../transcript/index.js';
import { inlineFile } from '../inline-file.js';
import { isProgramWritten, isFields, jsonText } from '../../wire/index.js';
import { createdAt, type Entry } from './entry.js';

type Note = (kind: string, what: string) => void;

/** What stands in the user's place: their words and files, what the program adds, sub-tasks they ask for. */
export function userMessages({ info, parts }: Entry, id: string, note: Note): Message[] {
  const said = parts.flatMap((part) => spoken(part, note));
  if (said.length === 0) {
    note('empty-message', 'nothing said; left out');
    return [];
  }
  const byProgram = said.every(
    ({ part, synthetic }) => synthetic || (part.type === 'text' && isProgramWritten(part.text)),
  );
  const message = { id, role: 'user' as const, parts: said.map(({ part }) => part), ...createdAt(info) };
  return [{ ...message, origin: byProgram ? 'synthetic' : 'user' }];
}

interface Spoken {
  readonly part: Part;
  readonly synthetic: boolean;
}

function spoken(part: unknown, note: Note): Spoken[] {
  if (!isFields(part)) return [];
  const synthetic = part.synthetic === true;
  switch (part.type) {
    case 'text':
      // `ignored` text is shown to the person and never sent.
      if (part.ignored === true || typeof part.text !== 'string' || part.text === '') return [];
      return [{ part: { type: 'text', text: part.text }, synthetic }];
    case 'file': {
      const mime = typeof part.mime === 'string' ? part.mime : 'application/octet-stream';
      const name = typeof part.filename === 'string' ? part.filename : undefined;
      const url = typeof part.url === 'string' && !part.url.startsWith('file:') ? part.url : '';
      return [{ part: inlineFile(mime, url, name), synthetic }];
    }
    case 'subtask': {
      const text = `[subtask ${String(part.agent)}: ${String(part.description)}]\n${String(part.prompt ?? '')}`;
      return [{ part: { type: 'text', text }, synthetic }];
    }
    case 'agent':
    case 'compaction':
    case 'snapshot':
    case 'patch':
      return [];
    default:
      note('unknown-part', `a part of type ${jsonText(part.type) || 'none'} is kept as its JSON text`);
      return [{ part: { type: 'text', text: jsonText(part) }, synthetic: true }];
  }
}
