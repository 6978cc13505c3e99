import { verbOf } from '../../facts/index.js';
import { isToolCall, isToolResult, type LogMessage, type ToolCallPart } from '../../transcript/index.js';
import { callLabel } from '../call-note.js';
import type { Claim } from './claim.js';

/** Tools whose answer is an instruction to the agent. */
const TOOL = /skill|instruction|guideline|get_rules|load_rules/i;
/** Files that hold instructions to agents, by the names their programs give them. */
const FILE =
  /(?:^|[\s"'/\\])(?:SKILL\.md|AGENTS\.md|CLAUDE(?:\.local)?\.md|GEMINI\.md|CONVENTIONS\.md|\.cursorrules|\.windsurfrules|\.clinerules|copilot-instructions\.md)(?:["'\s]|$)/i;
/** What lies there is looked at, as an example or a copy; nobody is told to follow it. */
const ELSEWHERE = /(?:^|[\s"'])(?:\/private)?\/(?:tmp|var\/folders)\/|\/node_modules\//;
const HINT = /\.md|rules|instructions/i;
/** How programs put a skill in the user's place. */
const SPOKEN = /^\s*Base directory for this skill: (\S+)/;

const MOST_INSTRUCTIONS = 30;
const LEAST_TOKENS = 60;

/** Instructions that were loaded on the way: skills and instruction files, where they can be read back. */
export class InstructionBook {
  readonly #asked = new Map<string, string>();
  readonly #claims = new Map<string, Claim>();

  read(message: LogMessage): void {
    message.parts.forEach((part, i) => {
      if (isToolCall(part)) {
        const label = labelOf(part);
        if (label !== undefined) this.#asked.set(part.callId, label);
      } else if (isToolResult(part)) {
        const label = this.#asked.get(part.callId);
        this.#asked.delete(part.callId);
        if (label !== undefined && part.isError !== true) this.#add(label, message, i);
      } else if (part.type === 'text' && message.role === 'user') {
        const [, folder] = SPOKEN.exec(part.text) ?? [];
        if (folder !== undefined) this.#add(`skill ${folder.split('/').at(-1)!}`, message, i);
      }
    });
  }

  /** Oldest first; loaded again, the newest stands. `text` names what was loaded and the handle that reads it back. */
  get claims(): readonly Claim[] {
    return [...this.#claims.values()];
  }

  #add(label: string, { seq, id, size }: LogMessage, part: number): void {
    const tokens = size.parts[part]?.tokens ?? 0;
    // A word that it was loaded, not the instructions themselves.
    if (tokens > 0 && tokens < LEAST_TOKENS) return;
    this.#claims.delete(label);
    const text = `${label}${tokens > 0 ? ` (${tokens} tokens)` : ''} [recall ${id}#${part}]`;
    this.#claims.set(label, { kind: 'instruction', status: 'live', text, seq, id });
    if (this.#claims.size > MOST_INSTRUCTIONS) this.#claims.delete(this.#claims.keys().next().value!);
  }
}

function labelOf(call: ToolCallPart): string | undefined {
  if (TOOL.test(call.name)) return callLabel(call);
  const verb = verbOf(call.name);
  if (verb !== 'read' && verb !== 'run') return undefined;
  const head = call.arguments.slice(0, 600);
  if (!HINT.test(head)) return undefined;
  const named = head.replace(/\\[nrt"]/g, ' ');
  if (!FILE.test(named) || ELSEWHERE.test(named)) return undefined;
  const label = callLabel(call);
  // A command that only names such a file among others is no reading of it.
  return verb === 'read' || /^(?:cat|head|sed|less|bat|nl)\b/.test(label) ? label : undefined;
}
