import { isRecord, parseArguments, type CallArguments } from './call-arguments.js';

/** A tool, and what it is given. */
export interface NamedCall {
  readonly name: string;
  readonly given: CallArguments;
}

/** Fields that name the tool that is to be called. */
const NAMES = ['tool_name', 'toolName', 'tool', 'name', 'function_name'];
/** Fields that hold its arguments. */
const ARGUMENTS = ['arguments', 'params', 'parameters', 'args', 'input', 'tool_input'];
const NAME = /^[A-Za-z][\w.:/-]{0,80}$/;
/** Tools that call others: `use_mcp_tool`, `execute-tool`, `call_tool`. */
const CALLS_TOOLS = /tool|mcp|function/i;

/** The call that a tool passes on, where it only calls others by name; else the call itself. */
export function innerCall(name: string, given: CallArguments): NamedCall {
  if (!CALLS_TOOLS.test(name)) return { name, given };
  const { fields } = given;
  const tool = NAMES.map((field) => fields[field]).find((value) => typeof value === 'string');
  const passed = ARGUMENTS.map((field) => fields[field]).find((value) => value !== undefined);
  if (typeof tool !== 'string' || !NAME.test(tool)) return { name, given };
  if (isRecord(passed)) return { name: tool, given: { fields: passed, text: undefined } };
  const parsed = typeof passed === 'string' ? parseArguments(passed) : undefined;
  return parsed && parsed.text === undefined ? { name: tool, given: parsed } : { name, given };
}
