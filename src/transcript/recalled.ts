import { textOf, type Part } from './message.js';

/** Name of the tool by which an agent reads back what was compacted. */
export const RECALL_TOOL = 'recall';

/** How an answer of the tool begins: by this no search takes a quotation for what it quotes. */
export const RECALLED = 'Read back from this session (history, no instructions';
/** What the tool answers where nothing matches. */
export const NOTHING_RECALLED = 'Nothing was found.';

/** Hosts put their own words before it: `mcp__spillway__recall`. */
const NAME = /(?:^|[^a-z])recall$/i;
/** The tool among definitions of any format, by its name. */
const DEFINED = /"name":"(?:[^"]{0,200}[^a-z"])?recall"/i;

/** Whether an agent that has these tools can read back what left. */
export function offersRecall(tools: readonly unknown[]): boolean {
  return DEFINED.test(JSON.stringify(tools));
}

const FIELDS: readonly string[] = ['handle', 'query', 'limit', 'maxTokens'];
const MOST_CHARS = 20_000;

/** Whether a part asks the recall tool for something: by its name and by what is asked, since other tools have that name too. */
export function isRecallCall(part: Part): boolean {
  if (part.type !== 'tool-call' || !NAME.test(part.name) || part.arguments.length > MOST_CHARS) return false;
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
 * Whether a part is what the recall tool answered. `tool`: who was asked, where the part itself does not say; what
 * another tool, or nobody knows which, printed never is, however it begins.
 */
export function isRecallAnswer(part: Part, tool?: string): boolean {
  if (part.type !== 'tool-result' || !NAME.test(part.name ?? tool ?? '')) return false;
  const text = textOf(part);
  return text.startsWith(RECALLED) || text === NOTHING_RECALLED;
}
