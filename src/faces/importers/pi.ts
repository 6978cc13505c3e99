import type { Notice } from '../../spi/index.js';
import type { Message, Part } from '../../transcript/index.js';
import { isFields, jsonText, type Fields } from '../../formats/index.js';
import {
  callPart,
  counted,
  dataUrl,
  fieldsOf,
  inlineFile,
  inPlaceOfUser,
  isContent,
  isText,
  mediaTypeOr,
  reasoning,
  resultPart,
  sessionOf,
  textOr,
  textParts,
  unknownPart,
  when,
  type ImportedSession,
  type Importer,
  type Note,
  type SessionReader,
} from './recording.js';

/**
 * pi's session files: a `session` line, then entries. Newer files are a tree, of which the branch of the last entry is
 * the conversation. Compactions are told in `compaction_at` and not played again. The system prompt is not in the file.
 */
export const pi: Importer = {
  name: 'pi',
  mark: 'its first line is a `session` with a working directory, as pi writes it',
  recognises: (head) => /^\s*\{\s*"type"\s*:\s*"session"\s*,[^\n]*"cwd"\s*:/.test(head),
  open: () => new PiReader(),
};

interface Entry {
  readonly id: string | undefined;
  readonly parentId: unknown;
  /** Place in the file. */
  readonly order: number;
  readonly line: Fields;
}

class PiReader implements SessionReader {
  readonly #entries: Entry[] = [];
  readonly #about: { id?: unknown; version?: unknown; model?: unknown } = {};

  take(line: unknown): void {
    if (!isFields(line)) return;
    const { type, id, parentId, version, modelId, message } = line;
    if (type === 'session') {
      this.#about.id ??= id;
      this.#about.version ??= version;
      this.#about.model ??= modelId;
    } else {
      const own = typeof id === 'string' ? id : undefined;
      this.#entries.push({ id: own, parentId, order: this.#entries.length, line });
    }
    if (isFields(message) && message.role === 'assistant') this.#about.model ??= message.model;
  }

  finish(): ImportedSession {
    const entries = branchOf(this.#entries);
    const notices: Notice[] = [];
    const messages: Message[] = [];
    const compactions: number[] = [];
    for (const { line, order, id = `e${order}` } of entries) {
      if (line.type === 'compaction') compactions.push(messages.length);
      const note: Note = (kind, what) => void notices.push({ at: id, kind, what });
      const source = sourceOf(line);
      const message = source && messageOf(source, note);
      if (message) messages.push({ id, ...message, ...when(textOr(line.timestamp)) });
    }
    const kept = new Set(entries);
    const left = this.#entries.filter((one) => !kept.has(one) && isFields(one.line.message)).length;
    notices.push(...counted(left, 'rewound', 'messages stand on branches that were left; left out'));
    const { model, id, version } = this.#about;
    return sessionOf('pi', { messages, notices, meta: { id, version, model }, compactions });
  }
}

/** What leads up to the last entry, in file order. Files of older versions have no ids: there everything does. */
function branchOf(entries: readonly Entry[]): readonly Entry[] {
  const byId = new Map<unknown, Entry>();
  for (const entry of entries) if (entry.id !== undefined && !byId.has(entry.id)) byId.set(entry.id, entry);
  if (byId.size === 0) return entries;
  const kept = new Set<Entry>();
  let entry = entries.at(-1);
  while (entry && !kept.has(entry)) {
    kept.add(entry);
    const before = entries[entry.order - 1];
    // A parent that is not in the file, or no parent behind older lines without ids: the story goes on before it.
    entry = byId.get(entry.parentId) ?? (before?.id === undefined ? before : undefined);
  }
  return entries.filter((one) => kept.has(one));
}

/** The message of an entry; extensions write theirs without the envelope. */
function sourceOf(line: Fields): Fields | undefined {
  if (line.type === 'message') return isFields(line.message) ? line.message : undefined;
  if (line.type === 'custom_message') return { role: 'custom', content: line.content };
  return line.type === 'branch_summary' ? { role: 'branchSummary', summary: line.summary } : undefined;
}

type Said = Omit<Message, 'id'>;

function messageOf(source: Fields, note: Note): Said | undefined {
  const nonEmpty = (message: Said): Said | undefined => {
    // An answer that was cut off before it said anything cannot be sent again.
    if (message.parts.some((part) => part.type !== 'reasoning' || message.role === 'user')) return message;
    note('empty-message', 'nothing said; left out');
    return undefined;
  };
  switch (source.role) {
    case 'user':
      return nonEmpty(inPlaceOfUser(contentOf(source.content, note)));
    case 'assistant': {
      const { stopReason, content } = source;
      const parts = contentOf(content, note);
      if (stopReason === 'aborted' || stopReason === 'error')
        note('aborted', `the answer ended by ${stopReason === 'error' ? 'an error' : 'an abort'}`);
      return nonEmpty({ role: 'assistant', origin: 'model', parts });
    }
    case 'toolResult': {
      const content = contentOf(source.content, note).filter(isContent);
      const { toolCallId, toolName, isError } = source;
      const part = resultPart(String(toolCallId ?? ''), content, isError === true, textOr(toolName));
      return { role: 'tool', origin: 'tool', parts: [part] };
    }
    case 'bashExecution':
      if (source.excludeFromContext === true) return undefined;
      return { role: 'user', origin: 'user', parts: textParts(shellText(source)) };
    case 'custom':
      return nonEmpty(inPlaceOfUser(contentOf(source.content, note), true));
    case 'branchSummary':
    case 'compactionSummary':
      return nonEmpty(inPlaceOfUser(contentOf(source.summary, note), true));
    default:
      note('unknown-role', `a message of role ${jsonText(source.role) || 'none'} is kept as its JSON text`);
      return inPlaceOfUser(textParts(jsonText(source)), true);
  }
}

/** What `!command` shows the model. */
function shellText({ command, output, exitCode, cancelled }: Fields): string {
  const shown = isText(output) ? `\`\`\`\n${output}\n\`\`\`` : '(no output)';
  const end = cancelled === true ? '\n(cancelled)' : exitCode ? `\nexit code ${String(exitCode)}` : '';
  return `Ran \`${String(command)}\`\n${shown}${end}`;
}

function contentOf(content: unknown, note: Note): Part[] {
  if (!Array.isArray(content)) return textParts(content);
  return content.flatMap((block): Part[] => {
    const {
      type,
      text,
      thinking,
      thinkingSignature,
      id,
      name,
      arguments: args,
      mimeType,
      data,
    } = fieldsOf(block);
    if (type === 'text') return textParts(String(text ?? ''));
    if (type === 'thinking') return [reasoning(String(thinking ?? ''), thinkingSignature)];
    if (type === 'toolCall') return [callPart(id, name, args)];
    if (type !== 'image') return [unknownPart(block, 'a content block', note)];
    const media = mediaTypeOr(mimeType, 'image/*');
    return [inlineFile(media, dataUrl(media, data))];
  });
}
