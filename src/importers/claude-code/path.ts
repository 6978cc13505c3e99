import { isFields } from '../../wire/index.js';
import type { Entry, Node } from './lines.js';

export interface Path {
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
export function pathOf(nodes: readonly Node[]): Path {
  const entries = nodes.flatMap((node) => (node.entry ? [node.entry] : []));
  const { kept, breaks } = ancestors(nodes, entries);
  const answers = new Set<string>();
  for (const entry of kept) if (entry.messageId) answers.add(entry.messageId);
  for (const entry of entries) if (entry.messageId && answers.has(entry.messageId)) kept.add(entry);
  const calls = new Set<unknown>();
  for (const entry of kept) for (const id of ids(entry, 'tool_use', 'id')) calls.add(id);
  for (const entry of entries) {
    if (entry.role === 'user' && ids(entry, 'tool_result', 'tool_use_id').some((id) => calls.has(id)))
      kept.add(entry);
  }
  const path = entries.filter((entry) => kept.has(entry));
  return { entries: path, breaks, left: entries.length - path.length };
}

function ancestors(nodes: readonly Node[], entries: readonly Entry[]): { kept: Set<Entry>; breaks: number } {
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
    const before = lastBefore(entries, node.order);
    node = before && byUuid.get(before.uuid);
    if (node && seen.has(node)) break; // a ring of parents
    if (node) breaks++;
  }
  return { kept, breaks };
}

/** Binary search: a file may have as many breaks as lines. */
function lastBefore(entries: readonly Entry[], order: number): Entry | undefined {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (entries[middle]!.order < order) low = middle + 1;
    else high = middle;
  }
  return entries[low - 1];
}

function ids(entry: Entry, type: string, field: string): unknown[] {
  return entry.blocks.flatMap((block) => (isFields(block) && block.type === type ? [block[field]] : []));
}
