import type { Notice } from '../../spi/index.js';
import type { Message, Part, ToolResultPart } from '../../transcript/index.js';
import { isFields, jsonText, type Fields } from '../../formats/index.js';
import {
  callPart,
  counted,
  dataUrl,
  fieldsOf,
  inPlaceOfUser,
  isContent,
  mediaTypeOr,
  picture,
  reasoning,
  resultPart,
  sessionOf,
  textOr,
  unknownPart,
  when,
  type ImportedSession,
  type Importer,
  type Note,
  type SessionReader,
} from './recording.js';

/**
 * Claude Code's session files. Side chains (sub-agents), progress and hook lines, snapshots and API errors are not
 * the conversation and are left out; thinking stays, as reasoning parts. The system prompt is never in the file.
 */
export const claudeCode: Importer = {
  name: 'claude-code',
  mark: 'its lines carry `parentUuid`, as Claude Code writes them',
  // In a quoted text the quotes would be escaped, so these can only be keys of the lines themselves.
  recognises: (head) =>
    /"parentUuid"\s*:/.test(head) || /^\s*\{\s*"type"\s*:\s*"(summary|file-history-snapshot)"/.test(head),
  open: () => new ClaudeCodeReader(),
};

/** A line of the session file that can be a parent: messages, and the progress and system lines between them. */
interface Node {
  readonly uuid: string;
  readonly parent: string | undefined;
  /** The message that stands before it in the file. */
  readonly before: Entry | undefined;
  /** Only on lines that carry a message of the main conversation. */
  readonly entry?: Entry | undefined;
}

interface Entry {
  readonly uuid: string;
  readonly role: 'user' | 'assistant';
  /** The API's id: one model answer is written as several lines, a content block each. */
  readonly messageId: string | undefined;
  readonly blocks: readonly unknown[];
  readonly when: { readonly createdAt?: number };
  /** The line itself says that a program wrote it: a caveat, a hook's words, the tool's own summary. */
  readonly byProgram: boolean;
}

class ClaudeCodeReader implements SessionReader {
  readonly #nodes: Node[] = [];
  readonly #about: { id?: unknown; model?: unknown; agent_version?: unknown } = {};
  #newest: Entry | undefined;
  #sidechain = 0;
  #apiErrors = 0;

  take(line: unknown): void {
    if (!isFields(line)) return;
    if (line.isSidechain === true) this.#sidechain++;
    const message = fieldsOf(line.message);
    // `<synthetic>` is the model name under which API errors are logged as if the model had said them.
    const isApiError = line.type === 'assistant' && message.model === '<synthetic>';
    this.#about.id ??= textOr(line.sessionId);
    this.#about.agent_version ??= textOr(line.version);
    if (!isApiError) this.#about.model ??= textOr(message.model);
    if (typeof line.uuid !== 'string' || line.isSidechain === true) return;
    if (isApiError) this.#apiErrors++;
    const parent = textOr(line.parentUuid) ?? textOr(line.logicalParentUuid);
    // The line of an API error says nothing, but may be another line's parent.
    const entry = isApiError ? undefined : entryOf(line, line.uuid);
    this.#nodes.push({ uuid: line.uuid, parent, before: this.#newest, entry });
    this.#newest = entry ?? this.#newest;
  }

  finish(): ImportedSession {
    const path = pathOf(this.#nodes);
    const notices: Notice[] = [];
    const messages = messagesOf(path.entries, notices);
    const before = 'parents are not in the file; the message before was taken instead';
    const errors = 'API errors stand where the model would speak; left out';
    notices.push(
      ...counted(path.breaks, 'chain-break', before),
      ...counted(path.left, 'rewound', 'lines stand on branches that were rewound; left out'),
      ...counted(this.#sidechain, 'sidechain', 'lines belong to sub-agents; left out'),
      ...counted(this.#apiErrors, 'api-error', errors),
    );
    const { id, model, agent_version } = this.#about;
    return sessionOf('claude-code', { messages, notices, meta: { id, model, agent_version } });
  }
}

function entryOf(line: Fields, uuid: string): Entry | undefined {
  const { message, type: role } = line;
  if ((role !== 'user' && role !== 'assistant') || !isFields(message)) return undefined;
  return {
    uuid,
    role,
    messageId: role === 'assistant' ? textOr(message.id) : undefined,
    blocks: blocksOf(message.content),
    when: when(textOr(line.timestamp)),
    byProgram: line.isMeta === true || line.isCompactSummary === true,
  };
}

function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

interface Path {
  /** The lines of the conversation as it stands at the end, in file order. */
  readonly entries: readonly Entry[];
  /** Places where a parent is not in the file and the message before it was taken instead. */
  readonly breaks: number;
  /** Lines of branches that were rewound. */
  readonly left: number;
}

/**
 * The session file is a tree: rewinding starts a new branch, and parallel calls put lines beside each other. The
 * conversation is what leads up to the last message, the other lines of the answers on that way, and the results
 * of their calls.
 */
function pathOf(nodes: readonly Node[]): Path {
  const entries = nodes.flatMap(({ entry }) => entry ?? []);
  const { kept, breaks } = ancestors(nodes);
  const answers = new Set([...kept].flatMap(({ messageId }) => messageId ?? []));
  for (const entry of entries) if (entry.messageId && answers.has(entry.messageId)) kept.add(entry);
  const calls = new Set([...kept].flatMap((entry) => ids(entry, 'tool_use', 'id')));
  const isAnswered = (entry: Entry): boolean =>
    ids(entry, 'tool_result', 'tool_use_id').some((id) => calls.has(id));
  for (const entry of entries) if (entry.role === 'user' && isAnswered(entry)) kept.add(entry);
  const path = entries.filter((entry) => kept.has(entry));
  return { entries: path, breaks, left: entries.length - path.length };
}

const ids = ({ blocks }: Entry, type: string, field: string): unknown[] =>
  blocks.flatMap((block) => (isFields(block) && block.type === type ? [block[field]] : []));

function ancestors(nodes: readonly Node[]): { kept: Set<Entry>; breaks: number } {
  const byUuid = new Map<string, Node>();
  for (const node of nodes) if (!byUuid.has(node.uuid)) byUuid.set(node.uuid, node);
  const kept = new Set<Entry>();
  const seen = new Set<Node>();
  let breaks = 0;
  let node = nodes.findLast((candidate) => candidate.entry);
  while (node) {
    seen.add(node);
    if (node.entry) kept.add(node.entry);
    const parent: Node | undefined = node.parent === undefined ? undefined : byUuid.get(node.parent);
    if (parent && !seen.has(parent)) {
      node = parent;
      continue;
    }
    // A compaction starts a new root, and its first parent is often not in the file: the story goes on before it.
    node = node.before && byUuid.get(node.before.uuid);
    if (node && seen.has(node)) break; // a ring of parents
    if (node) breaks++;
  }
  return { kept, breaks };
}

/** Lines of one answer become one assistant message, which restores parallel calls; each result is its own message. */
function messagesOf(entries: readonly Entry[], notices: Notice[]): Message[] {
  const answers = new Map<unknown, Entry[]>();
  for (const entry of entries) {
    const key = entry.messageId ?? entry;
    const lines = answers.get(key);
    if (lines) lines.push(entry);
    else answers.set(key, [entry]);
  }
  return [...answers.values()].flatMap((lines) => {
    const first = lines[0]!;
    const note: Note = (kind, what) => void notices.push({ at: first.uuid, kind, what });
    const parts = withoutRepeats(lines.flatMap(({ blocks }) => blocks.map((block) => partOf(block, note))));
    const made = first.role === 'assistant' ? assistantMessage(first, parts) : userMessages(first, parts);
    if (made.length === 0) note('empty-message', 'nothing said; left out');
    return made;
  });
}

/** Some versions write an answer's lines cumulatively: a call that was there already is not made twice. */
function withoutRepeats(parts: readonly Part[]): Part[] {
  const calls = new Set<string>();
  return parts.filter((part) => {
    if (part.type !== 'tool-call' || part.callId === '') return true;
    const isNew = !calls.has(part.callId);
    calls.add(part.callId);
    return isNew;
  });
}

/** An answer cut off while still thinking says nothing that could be sent again. */
function assistantMessage({ uuid, when: time }: Entry, parts: readonly Part[]): Message[] {
  if (parts.every((part) => part.type === 'reasoning')) return [];
  return [{ id: uuid, role: 'assistant', origin: 'model', parts, ...time }];
}

function userMessages({ uuid, when: time, byProgram }: Entry, parts: readonly Part[]): Message[] {
  const results = parts.filter((part) => part.type === 'tool-result');
  const rest = parts.filter((part) => part.type !== 'tool-result');
  const messages = results.map((part, index): Message => {
    const id = index === 0 ? uuid : `${uuid}#${index}`;
    return { id, role: 'tool', origin: 'tool', parts: [part], ...time };
  });
  if (rest.length === 0) return messages;
  const id = results.length === 0 ? uuid : `${uuid}#text`;
  return [...messages, { id, ...inPlaceOfUser(rest, byProgram), ...time }];
}

/** One content block as a part. Never lost: what is not known is kept as its JSON text. */
function partOf(block: unknown, note: Note): Part {
  const fields = fieldsOf(block);
  switch (fields.type) {
    case 'text':
      return { type: 'text', text: String(fields.text ?? '') };
    case 'thinking':
      return reasoning(fields.thinking, fields.signature);
    case 'redacted_thinking':
      return reasoning('', fields.data);
    case 'tool_use':
      return callPart(fields.id, fields.name, fields.input);
    case 'tool_result':
      return resultOf(fields, note);
    case 'image':
    case 'document': {
      const { media_type: media, data, url } = fieldsOf(fields.source);
      const type = mediaTypeOr(media);
      const at = dataUrl(type, data) || (typeof url === 'string' ? url : '');
      return picture(type, at, fields.type === 'image');
    }
    default:
      return unknownPart(block, 'a content block', note);
  }
}

function resultOf(block: Fields, note: Note): ToolResultPart {
  const content = blocksOf(block.content).map((inner) => {
    const part = partOf(inner, note);
    return isContent(part) ? part : ({ type: 'text', text: jsonText(inner) } as const);
  });
  return resultPart(String(block.tool_use_id ?? ''), content, block.is_error === true);
}
