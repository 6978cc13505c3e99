import type { Part } from '../../transcript/index.js';
import { fieldsOf, isFields, isText, jsonText, type Fields } from '../../formats/index.js';
import { branchOf, type TreeEntry } from './branch.js';
import * as part from './parts.js';
import { asText } from './parts.js';
import { Recording, unknownPart, type ImportedSession, type Importer, type Note } from './recording.js';

/**
 * pi's session files: a `session` line, then entries. In newer files the entries are a tree, and the branch of the last
 * entry is the conversation. `compaction_at` lists compactions, which are not replayed. The file has no system prompt.
 */
export const pi: Importer = {
  name: 'pi',
  mark: 'its first line is a `session` with a working directory, as pi writes it',
  recognises: (head) => /^\s*\{\s*"type"\s*:\s*"session"\s*,[^\n]*"cwd"\s*:/.test(head),
  open: () => new PiReader(),
};

interface Entry extends TreeEntry {
  readonly line: Fields;
}

class PiReader {
  readonly #recording = new Recording('pi');
  readonly #entries: Entry[] = [];

  take(line: unknown): void {
    if (!isFields(line)) return;
    const { type, id, parentId: parent, version, modelId, message } = line;
    if (type === 'session') this.#recording.addMeta({ id, version, model: modelId });
    else {
      const own = typeof id === 'string' ? id : undefined;
      const last = this.#entries.at(-1);
      // An entry follows the previous one if that one has no id (as in older versions), or if the line of its parent is
      // torn. A parent of null starts a new tree.
      const before = last?.id === undefined || isText(parent) ? last : undefined;
      this.#entries.push({ id: own, parent: asText(parent), before, line });
    }
    if (isFields(message) && message.role === 'assistant') this.#recording.addMeta({ model: message.model });
  }

  finish(): ImportedSession {
    const recording = this.#recording;
    const kept = branchOf(this.#entries, this.#entries.at(-1), recording);
    let leftOut = 0;
    for (const [order, entry] of this.#entries.entries()) {
      const { line, id = `e${order}` } = entry;
      if (!kept.has(entry)) {
        if (isFields(line.message)) leftOut++;
        continue;
      }
      if (line.type === 'compaction') recording.compactions.push(recording.messages.length);
      const source = sourceOf(line);
      const said = source && messageIn(source, recording.noteAt(id));
      if (said) recording.add(id, said, part.timeOf(asText(line.timestamp)));
    }
    recording.noteCount(leftOut, 'rewound', 'messages are on abandoned branches; left out');
    return recording.session();
  }
}

/** The message of an entry. Extensions write their messages without the envelope. */
function sourceOf(line: Fields): Fields | undefined {
  if (line.type === 'message') return isFields(line.message) ? line.message : undefined;
  if (line.type === 'custom_message') return { role: 'custom', content: line.content };
  return line.type === 'branch_summary' ? { role: 'branchSummary', summary: line.summary } : undefined;
}

/** Undefined for content that was not sent to the model. */
function messageIn(source: Fields, note: Note): part.Body | undefined {
  switch (source.role) {
    case 'user':
      return part.userMessage(contentOf(source.content, note));
    case 'assistant': {
      const { stopReason } = source;
      const parts = contentOf(source.content, note);
      if (stopReason === 'aborted' || stopReason === 'error')
        note('aborted', `the answer ended by ${stopReason === 'error' ? 'an error' : 'an abort'}`);
      return part.modelMessage(parts);
    }
    case 'toolResult': {
      const content = contentOf(source.content, note).filter(part.isContent);
      const { toolCallId, toolName, isError } = source;
      return part.toolMessage(part.result(toolCallId, content, isError === true, asText(toolName)));
    }
    case 'bashExecution':
      if (source.excludeFromContext === true) return undefined;
      return { role: 'user', origin: 'user', parts: part.text(shellText(source)) };
    case 'custom':
      return part.userMessage(contentOf(source.content, note), true);
    case 'branchSummary':
    case 'compactionSummary':
      return part.userMessage(contentOf(source.summary, note), true);
    default:
      note('unknown-role', `a message of role ${jsonText(source.role) || 'none'} is kept as its JSON text`);
      return part.userMessage(part.text(jsonText(source)), true);
  }
}

/** The text that the model sees of a `!command`. */
function shellText({ command, output, exitCode, cancelled }: Fields): string {
  const shown = isText(output) ? `\`\`\`\n${output}\n\`\`\`` : '(no output)';
  const end = cancelled === true ? '\n(cancelled)' : exitCode ? `\nexit code ${String(exitCode)}` : '';
  return `Ran \`${String(command)}\`\n${shown}${end}`;
}

function contentOf(content: unknown, note: Note): Part[] {
  if (!Array.isArray(content)) return part.text(content);
  return content.flatMap((block): Part[] => {
    const fields = fieldsOf(block);
    switch (fields.type) {
      case 'text':
        return part.anyText(fields.text);
      case 'thinking':
        return [part.reasoning(fields.thinking, fields.thinkingSignature)];
      case 'toolCall':
        return [part.call(fields.id, fields.name, fields.arguments)];
      case 'image': {
        const media = part.mediaTypeOr(fields.mimeType, 'image/*');
        return [part.file(media, part.dataUrl(media, fields.data))];
      }
      default:
        return [unknownPart(block, 'a content block', note)];
    }
  });
}
