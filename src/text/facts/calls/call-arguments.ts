import { isRecord, NumberLiteral, parseSaid } from '../../../transcript/index.js';

/** A tool call's arguments, parsed once for all readers. */
export interface CallArguments {
  /** The parameters, if the arguments are a JSON object; otherwise empty. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** The arguments as text, if they are no JSON object: free-form input, or malformed JSON. */
  readonly text: string | undefined;
}

const NO_FIELDS: Readonly<Record<string, unknown>> = Object.freeze({});
/** No person or model nests arguments deeper; the bound protects the stack. */
const MAX_DEPTH = 32;

export function parseArguments(text: string): CallArguments {
  try {
    const value = parseSaid(text);
    if (typeof value === 'string') return { fields: NO_FIELDS, text: value };
    if (isRecord(value)) return { fields: value, text: undefined };
  } catch {
    // Free-form, truncated or malformed input: read as text.
  }
  return { fields: NO_FIELDS, text };
}

/**
 * Visits every text in the arguments that a model chose, including numbers. Parameter names are the tool's own words
 * and do not tell what the call refers to.
 */
export function visitTexts(call: CallArguments, visit: (text: string) => void): void {
  if (call.text !== undefined) visit(call.text);
  else visitLeaves(call.fields, visit, 0);
}

function visitLeaves(value: unknown, visit: (text: string) => void, depth: number): void {
  if (typeof value === 'string') visit(value);
  else if (typeof value === 'number') visit(String(value));
  else if (value instanceof NumberLiteral) visit(value.literal);
  else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    for (const inner of Object.values(value)) visitLeaves(inner, visit, depth + 1);
  }
}

/** Fields that name the tool to call. */
const TOOL_FIELDS = ['tool_name', 'toolName', 'tool', 'name', 'function_name'];
/** Fields with its arguments. */
const ARGUMENT_FIELDS = ['arguments', 'params', 'parameters', 'args', 'input', 'tool_input'];
const NAME = /^[A-Za-z][\w.:/-]{0,80}$/;
/** Tools that call others: `use_mcp_tool`, `execute-tool`, `call_tool`. */
const CALLS_TOOLS = /tool|mcp|function/i;

/** The inner call of a tool that calls others by name; otherwise the call itself. */
export function innerCall(name: string, args: CallArguments): { name: string; args: CallArguments } {
  if (!CALLS_TOOLS.test(name)) return { name, args };
  const { fields } = args;
  const tool = TOOL_FIELDS.map((field) => fields[field]).find((value) => typeof value === 'string');
  const passed = ARGUMENT_FIELDS.map((field) => fields[field]).find((value) => value !== undefined);
  if (typeof tool !== 'string' || !NAME.test(tool)) return { name, args };
  if (isRecord(passed)) return { name: tool, args: { fields: passed, text: undefined } };
  const parsed = typeof passed === 'string' ? parseArguments(passed) : undefined;
  return parsed && parsed.text === undefined ? { name: tool, args: parsed } : { name, args };
}

/**
 * Commands and patches in a script by which an agent calls its tools (Codex's code mode: `tools.exec_command({ cmd:
 * "npm test" })`). Only the spelling of the call counts; the rest of the script is ignored.
 */
const CALL = /\b(?:exec_command|shell|bash|run_command|local_shell)\s*\(/;
const COMMAND =
  /\b(?:cmd|command)["']?\s*:\s*("(?:[^"\\\n]|\\.){1,4000}"|'(?:[^'\\\n]|\\.){1,4000}'|`[^`]{1,4000}`)/g;
/** A longer script is a program. In characters. */
const MAX_SCRIPT_CHARS = 60_000;

/** The command lines that a script runs, in order; empty if the text is no such script. */
export function commandsInScript(script: string): string[] {
  if (script.length > MAX_SCRIPT_CHARS || !CALL.test(script)) return [];
  return [...script.matchAll(COMMAND)].map(([, literal]) => unquoted(literal!));
}

/** The patch in a script; '' if there is none. */
export function patchInScript(script: string): string {
  const from = script.indexOf('*** Begin Patch');
  const to = from < 0 ? -1 : script.indexOf('*** End Patch', from);
  if (to < 0 || script.length > MAX_SCRIPT_CHARS) return '';
  const patch = script.slice(from, to);
  // In a string literal, line breaks are escapes.
  return patch.includes('\n') ? patch : unquoted(`"${patch}"`);
}

function unquoted(literal: string): string {
  const body = literal.slice(1, -1);
  return body.replace(/\\(n|t|r|.)/g, (_whole, escaped: string) => ESCAPES[escaped] ?? escaped);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };
