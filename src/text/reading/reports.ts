import { readsAsProse } from './written.js';

/** Tools by which an agent has others work or asks after them: `Task`, `wait_agent`, `runSubagent`, `dispatch_agent`. */
const NAMED = /^(?:task|delegate|new_task|oracle|explore)$/i;
const OF_AGENTS = /(?:^|[^a-z])(?:sub)?agents?(?:$|[^a-z])|[a-z](?:Suba|A)gents?(?:$|[A-Z_])/;
/** Most characters of an output that are read; a longer one is a document. */
const MOST_CHARS = 60_000;
/** Records within records, of a list of agents and how each fares. */
const MOST_DEPTH = 6;

/** What other agents reported in the output of a tool, as they wrote it or within a record; empty where none did. */
export function reportIn(tool: string, output: string): string {
  if (output.length > MOST_CHARS || !(NAMED.test(tool) || OF_AGENTS.test(tool.replace(/^[A-Z]/, lower))))
    return '';
  const record = /^\s*[{[]/.test(output) ? parsed(output) : undefined;
  if (record !== undefined) return textsIn(record, MOST_DEPTH).join('\n\n');
  return readsAsProse(output.slice(0, 4_000)) ? output : '';
}

const lower = (letter: string): string => letter.toLowerCase();

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function textsIn(value: unknown, depth: number): string[] {
  if (typeof value === 'string') return readsAsProse(value.slice(0, 4_000)) ? [value] : [];
  if (depth === 0 || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((inner) => textsIn(inner, depth - 1));
}
