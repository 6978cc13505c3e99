import { isFields, type Fields } from '../../wire/index.js';

/** A line of the session file that can be a parent: messages, and the progress and system lines between them. */
export interface Node {
  readonly uuid: string;
  readonly parent: string | undefined;
  /** Place in file order. */
  readonly order: number;
  /** Only on lines that carry a message of the main conversation. */
  readonly entry?: Entry;
}

export interface Entry {
  readonly uuid: string;
  readonly order: number;
  readonly role: 'user' | 'assistant';
  /** The API's id: one model answer is written as several lines, a content block each. */
  readonly messageId: string | undefined;
  readonly blocks: readonly unknown[];
  readonly createdAt: number | undefined;
  /** The line itself says that a program wrote it: a caveat, a hook's words, the tool's own summary. */
  readonly byProgram: boolean;
}

/** One line as a node of the tree; undefined for lines that are no part of it (snapshots, summaries, titles). */
export function readNode(line: Fields, order: number): Node | undefined {
  if (typeof line.uuid !== 'string' || line.isSidechain === true) return undefined;
  const { uuid } = line;
  const parent = firstText(line.parentUuid, line.logicalParentUuid);
  const entry = readEntry(line, uuid, order);
  return { uuid, parent, order, ...(entry ? { entry } : {}) };
}

function readEntry(line: Fields, uuid: string, order: number): Entry | undefined {
  const { message } = line;
  if ((line.type !== 'user' && line.type !== 'assistant') || !isFields(message)) return undefined;
  const created = typeof line.timestamp === 'string' ? Date.parse(line.timestamp) : Number.NaN;
  return {
    uuid,
    order,
    role: line.type,
    messageId: line.type === 'assistant' ? firstText(message.id) : undefined,
    blocks: blocksOf(message.content),
    createdAt: Number.isNaN(created) ? undefined : created,
    byProgram: line.isMeta === true || line.isCompactSummary === true,
  };
}

/** `<synthetic>` is the model name under which API errors are logged as if the model had said them. */
export function isApiError(line: Fields): boolean {
  return line.type === 'assistant' && isFields(line.message) && line.message.model === '<synthetic>';
}

export function blocksOf(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value): value is string => typeof value === 'string' && value !== '');
}
