import type { CallNote } from '../reading/index.js';

/** Instructions that a call read, and what reads them back. */
export interface Loaded {
  /** Place of the result in the log. */
  readonly seq: number;
  readonly label: string;
  /** Handle of the result. */
  readonly handle: string;
}

/** Tools whose answer is an instruction to the agent. */
const TOOL = /skill|instruction|guideline|get_rules|load_rules/i;
/** Files that hold instructions to agents, by the names their programs give them. */
const FILE =
  /(?:^|[/\\])(?:SKILL\.md|AGENTS\.md|CLAUDE(?:\.local)?\.md|GEMINI\.md|CONVENTIONS\.md|\.cursorrules|\.windsurfrules|\.clinerules|copilot-instructions\.md)$/i;
/** What lies there is looked at, as an example or a copy; nobody is told to follow it. */
const ELSEWHERE = /^(?:\/private)?\/(?:tmp|var\/folders)\/|\/node_modules\//;
/** A shorter answer says that they were loaded, and is not what they say. */
const LEAST_TOKENS = 60;

/** Whether a call's answer of so many tokens is instructions to the agent. */
export function loads({ tool, kind, path = '', ending }: CallNote, tokens: number): boolean {
  if (tokens < LEAST_TOKENS || ending === 'failed' || ending === 'not run') return false;
  return TOOL.test(tool) || (kind === 'read' && FILE.test(path) && !ELSEWHERE.test(path));
}
