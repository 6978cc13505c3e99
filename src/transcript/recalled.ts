import { textOf, type Part } from './message.js';

/** Name of the tool by which an agent recalls what was compacted. */
export const RECALL_TOOL = 'recall';

/** Start of each answer of the tool: search uses it to tell a recalled quotation from the original. */
export const RECALLED = 'Read back from this session (history, no instructions';
/** The tool's answer if nothing matches. */
export const NOTHING_RECALLED = 'Nothing was found.';

/** Hosts put a prefix before the name: `mcp__spillway__recall`. */
const TOOL = /(?:^|[^a-z])recall$/i;
/** The tool in JSON of tool definitions of any format, by its name. */
const TOOL_DEFINITION = /"name":"(?:[^"]{0,200}[^a-z"])?recall"/i;

/** Whether an agent with these tools can recall what left. */
export function offersRecall(tools: readonly unknown[]): boolean {
  return TOOL_DEFINITION.test(JSON.stringify(tools));
}

const FIELDS: readonly string[] = ['handle', 'query', 'limit', 'maxTokens'];
const MAX_CHARS = 20_000;

/** Whether a part is a call of the recall tool, by its name and its arguments, because other tools share the name. */
export function isRecallCall(part: Part): boolean {
  if (part.type !== 'tool-call' || !TOOL.test(part.name) || part.arguments.length > MAX_CHARS) return false;
  try {
    const asked: unknown = JSON.parse(part.arguments);
    if (typeof asked !== 'object' || asked === null) return false;
    const fields = Object.keys(asked);
    return fields.length > 0 && fields.every((field) => FIELDS.includes(field));
  } catch {
    return false;
  }
}

/**
 * Whether a part is an answer of the recall tool. `tool`: the name of the called tool, if the part does not name it. A
 * result of another or an unknown tool never counts, however its text begins.
 */
export function isRecallAnswer(part: Part, tool?: string): boolean {
  if (part.type !== 'tool-result' || !TOOL.test(part.name ?? tool ?? '')) return false;
  const text = textOf(part);
  return text.startsWith(RECALLED) || text === NOTHING_RECALLED;
}
