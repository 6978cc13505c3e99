import { anthropic, fieldsOf, isFields, type Fields } from '../../formats/index.js';
import { branchOf, type TreeEntry } from './branch.js';
import { asText, timeOf } from './parts.js';
import { Recording, type ImportedSession, type Importer } from './recording.js';

/**
 * Claude Code's session files: lines that wrap Anthropic messages. The messages keep their blocks, so that they can be
 * written to that wire unchanged. Side chains (sub-agents), progress and hook lines, snapshots and API errors are no
 * part of the conversation and are left out. The system prompt is never in the file.
 */
export const claudeCode: Importer = {
  name: 'claude-code',
  mark: 'its lines carry `parentUuid`, as Claude Code writes them',
  // In quoted text these quotes would be escaped, so a match can only be a key of a line itself.
  recognises: (head) =>
    /"parentUuid"\s*:/.test(head) || /^\s*\{\s*"type"\s*:\s*"(summary|file-history-snapshot)"/.test(head),
  open: () => new ClaudeCodeReader(),
};

/** A line of the session file that can be a parent: a message, or a progress or system line between messages. */
interface Node extends TreeEntry {
  /** The previous message in the file. */
  readonly before: Node | undefined;
  /** Only on lines that carry a message of the main conversation. */
  readonly entry?: Entry | undefined;
}

interface Entry {
  readonly uuid: string;
  readonly role: 'user' | 'assistant';
  /** The API's id. One model answer is written as several lines with one content block each. */
  readonly messageId: string | undefined;
  readonly blocks: readonly unknown[];
  readonly time: ReturnType<typeof timeOf>;
  /** True if the line says that a program wrote it: a caveat, the output of a hook, Claude Code's own summary. */
  readonly isByProgram: boolean;
}

class ClaudeCodeReader {
  readonly #recording = new Recording('claude-code');
  readonly #nodes = new Map<string, Node>();
  #newest: Node | undefined;
  #sidechainLines = 0;
  #apiErrors = 0;
  #repeatedLines = 0;

  take(line: unknown): void {
    if (!isFields(line)) return;
    if (line.isSidechain === true) this.#sidechainLines++;
    const message = fieldsOf(line.message);
    // Claude Code logs an API error as an answer of a model named `<synthetic>`.
    const isApiError = line.type === 'assistant' && message.model === '<synthetic>';
    const model = isApiError ? undefined : asText(message.model);
    this.#recording.addMeta({ id: asText(line.sessionId), model, agent_version: asText(line.version) });
    if (typeof line.uuid !== 'string' || line.isSidechain === true) return;
    // As where two copies of a file were put together: each message is said once.
    if (this.#nodes.has(line.uuid)) return void this.#repeatedLines++;
    if (isApiError) this.#apiErrors++;
    const parent = asText(line.parentUuid) ?? asText(line.logicalParentUuid);
    // The line of an API error has no message but may be another line's parent.
    const entry = isApiError ? undefined : entryOf(line, line.uuid);
    const node = { id: line.uuid, parent, before: this.#newest, entry };
    this.#nodes.set(line.uuid, node);
    if (entry) this.#newest = node;
  }

  finish(): ImportedSession {
    const recording = this.#recording;
    addAnswers(recording, answersOf(branchEntries([...this.#nodes.values()], recording)));
    recording.noteCount(this.#sidechainLines, 'sidechain', 'lines belong to sub-agents; left out');
    recording.noteCount(this.#repeatedLines, 'repeated', 'lines are in the file twice; read once');
    recording.noteCount(this.#apiErrors, 'api-error', 'API errors are in place of answers; left out');
    return recording.session();
  }
}

function entryOf(line: Fields, uuid: string): Entry | undefined {
  const { message, type: role } = line;
  if ((role !== 'user' && role !== 'assistant') || !isFields(message)) return undefined;
  return {
    uuid,
    role,
    messageId: role === 'assistant' ? asText(message.id) : undefined,
    blocks: blocksOf(message.content),
    time: timeOf(asText(line.timestamp)),
    isByProgram: line.isMeta === true || line.isCompactSummary === true,
  };
}

function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

/**
 * The session file is a tree: a rewind starts a new branch, parallel calls make sibling lines, and a compaction starts
 * a new root, whose parent is often not in the file. The conversation is the branch of the last message, plus the other
 * lines of the answers on that branch, plus the results of their calls.
 */
function branchEntries(nodes: readonly Node[], recording: Recording): readonly Entry[] {
  const entries = nodes.flatMap(({ entry }) => entry ?? []);
  const last = nodes.findLast(({ entry }) => entry);
  const kept = new Set([...branchOf(nodes, last, recording)].flatMap(({ entry }) => entry ?? []));
  const answers = new Set([...kept].flatMap(({ messageId }) => messageId ?? []));
  for (const entry of entries) if (entry.messageId && answers.has(entry.messageId)) kept.add(entry);
  const calls = new Set([...kept].flatMap((entry) => ids(entry, 'tool_use', 'id')));
  const isAnswered = (entry: Entry): boolean =>
    ids(entry, 'tool_result', 'tool_use_id').some((id) => calls.has(id));
  for (const entry of entries) if (entry.role === 'user' && isAnswered(entry)) kept.add(entry);
  const path = entries.filter((entry) => kept.has(entry));
  const leftOut = entries.length - path.length;
  recording.noteCount(leftOut, 'rewound', 'lines are on rewound branches; left out');
  return path;
}

const ids = ({ blocks }: Entry, type: string, field: string): unknown[] =>
  blocks.flatMap((block) => (isFields(block) && block.type === type ? [block[field]] : []));

/** Joins the lines of one answer to one assistant message, which restores parallel calls. */
function answersOf(entries: readonly Entry[]): (readonly Entry[])[] {
  const answers = new Map<unknown, Entry[]>();
  for (const entry of entries) {
    const key = entry.messageId ?? entry;
    answers.set(key, [...(answers.get(key) ?? []), entry]);
  }
  return [...answers.values()];
}

/** Parses the answers as an Anthropic request. Each answer is one message of the request and one or more of the log. */
function addAnswers(recording: Recording, answers: readonly (readonly Entry[])[]): void {
  const sentMessages = answers.map((lines) => ({
    role: lines[0]!.role,
    content: withoutRepeats(lines.flatMap(({ blocks }) => blocks)),
  }));
  const lineOf = (id: string): Entry => answers[Number(/\d+/.exec(id))]![0]!;
  const { messages, notices } = anthropic.parse(sentMessages);
  for (const { at, kind, what } of notices) recording.noteAt(lineOf(at).uuid)(kind, what);
  for (const { id, ...said } of messages) {
    const { uuid, time, isByProgram } = lineOf(id);
    const piece = id.indexOf('-');
    const origin = isByProgram && said.role === 'user' ? 'synthetic' : said.origin;
    recording.add(piece < 0 ? uuid : `${uuid}#${id.slice(piece + 1)}`, { ...said, origin }, time);
  }
}

/** Some versions write an answer's lines cumulatively; a repeated call is dropped. */
function withoutRepeats(blocks: readonly unknown[]): readonly unknown[] {
  const calls = new Set<unknown>();
  return blocks.filter((block) => {
    if (!isFields(block) || block.type !== 'tool_use' || !block.id) return true;
    const isNew = !calls.has(block.id);
    calls.add(block.id);
    return isNew;
  });
}
