import type { Notice } from '../../spi/index.js';
import type { FilePart, Message, Part, TextPart } from '../../transcript/index.js';
import { inlineFile } from '../inline-file.js';
import { isProgramWritten, isFields, jsonText, type Fields } from '../../wire/index.js';
import type { Entry } from './tree.js';

type Note = (kind: string, what: string) => void;

export interface Told {
  readonly messages: readonly Message[];
  /** Indexes of the messages before which pi compacted. */
  readonly compactions: readonly number[];
}

export function messagesOf(entries: readonly Entry[], notices: Notice[]): Told {
  const messages: Message[] = [];
  const compactions: number[] = [];
  for (const { line, order, id: at = `e${order}` } of entries) {
    const note: Note = (kind, what) => void notices.push({ at, kind, what });
    if (line.type === 'compaction') compactions.push(messages.length);
    const source = sourceOf(line);
    const message = source && messageOf(source, note);
    if (!message) continue;
    messages.push({ id: at, ...message, ...createdAt(line) });
  }
  return { messages, compactions };
}

/** The message of an entry; extensions write theirs without the envelope. */
function sourceOf(line: Fields): Fields | undefined {
  if (line.type === 'message') return isFields(line.message) ? line.message : undefined;
  if (line.type === 'custom_message') return { role: 'custom', content: line.content };
  return line.type === 'branch_summary' ? { role: 'branchSummary', summary: line.summary } : undefined;
}

type Said = Omit<Message, 'id'>;

function messageOf(source: Fields, note: Note): Said | undefined {
  switch (source.role) {
    case 'user': {
      const parts = contentOf(source.content, note);
      const machine = parts.every((part) => part.type === 'text' && isProgramWritten(part.text));
      return nonEmpty({ role: 'user', origin: machine ? 'synthetic' : 'user', parts }, note);
    }
    case 'assistant':
      return assistantMessage(source, note);
    case 'toolResult': {
      const content = contentOf(source.content, note).filter(isContent);
      const name = typeof source.toolName === 'string' ? { name: source.toolName } : {};
      const failed = source.isError === true ? { isError: true } : {};
      const callId = String(source.toolCallId ?? '');
      return {
        role: 'tool',
        origin: 'tool',
        parts: [{ type: 'tool-result', callId, ...name, content, ...failed }],
      };
    }
    case 'bashExecution':
      if (source.excludeFromContext === true) return undefined;
      return { role: 'user', origin: 'user', parts: [{ type: 'text', text: shellText(source) }] };
    case 'custom':
      return nonEmpty({ role: 'user', origin: 'synthetic', parts: contentOf(source.content, note) }, note);
    case 'branchSummary':
    case 'compactionSummary':
      return nonEmpty({ role: 'user', origin: 'synthetic', parts: contentOf(source.summary, note) }, note);
    default:
      note('unknown-role', `a message of role ${jsonText(source.role) || 'none'} is kept as its JSON text`);
      return { role: 'user', origin: 'synthetic', parts: [{ type: 'text', text: jsonText(source) }] };
  }
}

/** An answer that was cut off before it said anything cannot be sent again. */
function assistantMessage(source: Fields, note: Note): Said | undefined {
  const parts = contentOf(source.content, note);
  if (source.stopReason === 'aborted' || source.stopReason === 'error')
    note('aborted', `the answer ended by ${source.stopReason === 'error' ? 'an error' : 'an abort'}`);
  if (parts.every((part) => part.type === 'reasoning')) {
    note('empty-message', 'nothing said; left out');
    return undefined;
  }
  return { role: 'assistant', origin: 'model', parts };
}

function nonEmpty(message: Said, note: Note): Said | undefined {
  if (message.parts.length > 0) return message;
  note('empty-message', 'nothing said; left out');
  return undefined;
}

/** What `!command` shows the model. */
function shellText({ command, output, exitCode, cancelled }: Fields): string {
  const shown = typeof output === 'string' && output !== '' ? `\`\`\`\n${output}\n\`\`\`` : '(no output)';
  const end = cancelled === true ? '\n(cancelled)' : exitCode ? `\nexit code ${String(exitCode)}` : '';
  return `Ran \`${String(command)}\`\n${shown}${end}`;
}

function contentOf(content: unknown, note: Note): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.flatMap((block) => partOf(block, note)) : [];
}

function partOf(block: unknown, note: Note): Part[] {
  const fields = isFields(block) ? block : {};
  switch (fields.type) {
    case 'text':
      return fields.text === '' ? [] : [{ type: 'text', text: String(fields.text ?? '') }];
    case 'thinking': {
      const signature =
        typeof fields.thinkingSignature === 'string' ? { signature: fields.thinkingSignature } : {};
      return [{ type: 'reasoning', text: String(fields.thinking ?? ''), ...signature }];
    }
    case 'toolCall': {
      const args = typeof fields.arguments === 'string' ? fields.arguments : jsonText(fields.arguments ?? {});
      const name = typeof fields.name === 'string' ? fields.name : 'unknown';
      return [{ type: 'tool-call', callId: String(fields.id ?? ''), name, arguments: args }];
    }
    case 'image': {
      const media = typeof fields.mimeType === 'string' ? fields.mimeType : 'image/*';
      return [
        inlineFile(media, typeof fields.data === 'string' ? `data:${media};base64,${fields.data}` : ''),
      ];
    }
    default:
      note(
        'unknown-part',
        `a content block of type ${jsonText(fields.type) || 'none'} is kept as its JSON text`,
      );
      return [{ type: 'text', text: typeof block === 'string' ? block : jsonText(block) }];
  }
}

function isContent(part: Part): part is TextPart | FilePart {
  return part.type === 'text' || part.type === 'file';
}

function createdAt({ timestamp }: Fields): { createdAt?: number } {
  const created = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(created) ? {} : { createdAt: created };
}
