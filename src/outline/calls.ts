import {
  isToolResult,
  textOf,
  type LogMessage,
  type ToolCallPart,
  type ToolResultPart,
} from '../transcript/index.js';
import { looksFailed, outcomeOf } from './outcome.js';
import { quoted } from './quoted.js';
import { oneLine } from './slices.js';
import { plainName } from './stub.js';

/** Arguments are read this far: what a call is about stands at its beginning. */
const ARGUMENT_CHARS = 4_000;

/** Keys that say what a call is about, in the spellings of common agents. */
const PATH_KEY =
  /"(?:file_?path|path|file_?name|file|notebook_path|relative_path|target_file|dir(?:ectory)?)"\s*:\s*("(?:[^"\\]|\\.){1,400}")/i;
const COMMAND_KEY =
  /"(?:command|cmd|script|code|input)"\s*:\s*(?:\[[^\]]*?)?("(?:[^"\\]|\\.){1,4000}")\s*[\],}]/i;
const ANY_STRING = /:\s*("(?:[^"\\]|\\.){1,400}")/;

const OK = 'ok';

const WRITES = /write|edit|patch|create|replace|insert|update|delete|remove|rename|move|append/i;

/** One call and what came of it. */
export interface CallOutcome {
  readonly seq: number;
  readonly name: string;
  /** File or directory it names, where it names one. */
  readonly path?: string | undefined;
  /** What it was about: its path, its command, or its first words. */
  readonly target: string;
  readonly writes: boolean;
  readonly failed: boolean;
  /** `ok` for a change that went well; else the tool's own words, cut to a line. Undefined where it was never answered. */
  readonly outcome: string | undefined;
  /** `- npm test → “3 failed”`; the tool's words are quoted, so that nobody reads them as ours. */
  readonly line: string;
}

/** Every call of a span with its result, in order; results are found by call id, the nearest later one first. */
export function callsOf(messages: readonly LogMessage[]): CallOutcome[] {
  const reader = new CallReader();
  reader.read(messages);
  return reader.calls;
}

/** Reads the calls of a span that may grow at its end. */
export class CallReader {
  readonly calls: CallOutcome[] = [];
  /** By call id: results no call has taken yet. */
  readonly #results = new Map<string, ToolResultPart[]>();
  /** Ids of calls that nothing has answered yet. */
  readonly #open = new Set<string>();

  /** Whether one of these messages answers a call that was read as unanswered before: then all is to be read anew. */
  answersEarlier(messages: readonly LogMessage[]): boolean {
    if (this.#open.size === 0) return false;
    return messages.some(({ parts }) =>
      parts.some((part) => isToolResult(part) && this.#open.has(part.callId)),
    );
  }

  read(messages: readonly LogMessage[]): void {
    const results = this.#results;
    for (const { parts } of messages) {
      for (const part of parts) {
        if (!isToolResult(part)) continue;
        const waiting = results.get(part.callId);
        if (waiting) waiting.push(part);
        else results.set(part.callId, [part]);
      }
    }
    for (const { seq, parts } of messages) {
      for (const part of parts) {
        if (part.type !== 'tool-call') continue;
        const result = results.get(part.callId)?.shift();
        if (!result) this.#open.add(part.callId);
        this.calls.push(callOutcome(seq, part, result));
      }
    }
  }
}

/** Calls and results never change, and every run that outlines a span reads all of it again. */
const known = new WeakMap<ToolCallPart, { readonly result: unknown; readonly call: CallOutcome }>();

function callOutcome(seq: number, call: ToolCallPart, result: ToolResultPart | undefined): CallOutcome {
  const before = known.get(call);
  if (before && before.result === result && before.call.seq === seq) return before.call;
  const outcome = readCall(seq, call, result);
  known.set(call, { result, call: outcome });
  return outcome;
}

function readCall(seq: number, call: ToolCallPart, result: ToolResultPart | undefined): CallOutcome {
  const { target, path } = targetOf(call);
  const text = result ? textOf(result) : '';
  const writes = WRITES.test(call.name);
  const read = {
    seq,
    name: plainName(call.name),
    path,
    target,
    writes,
    failed: result?.isError === true,
    outcome: result && (writes && wentWell(result, text) ? OK : outcomeOf(text, result.isError)),
  };
  return { ...read, line: lineOf(read) };
}

/** What a tool says of a change stands at the beginning; behind it is often the changed text, errors in code included. */
function wentWell(result: ToolResultPart, text: string): boolean {
  return result.isError !== true && !looksFailed(text.slice(0, 160));
}

/** `Read src/a.ts`, or the command itself for a shell: what an agent would call the step. */
export function callLabel(call: ToolCallPart): string {
  const { target, isCommand } = targetOf(call);
  return isCommand ? target : `${plainName(call.name)} ${target}`.trim();
}

function targetOf(call: ToolCallPart): { target: string; path?: string; isCommand: boolean } {
  const head = call.arguments.slice(0, ARGUMENT_CHARS);
  const path = unquoted(PATH_KEY.exec(head)?.[1]);
  if (path !== undefined) return { target: oneLine(path, 160), path: oneLine(path, 160), isCommand: false };
  const command = unquoted(COMMAND_KEY.exec(head)?.[1]);
  if (command !== undefined) return { target: oneLine(command, 120), isCommand: true };
  return { target: oneLine(unquoted(ANY_STRING.exec(head)?.[1]) ?? '', 80), isCommand: false };
}

function unquoted(literal: string | undefined): string | undefined {
  if (literal === undefined) return undefined;
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal.slice(1, -1);
  }
}

function lineOf(call: Omit<CallOutcome, 'line'>): string {
  const label = isShell(call) ? call.target : `${call.name} ${call.target}`.trim();
  if (call.outcome === undefined) return `- ${label} → no answer`;
  return `- ${label} → ${call.outcome === OK ? OK : quoted(call.outcome)}`;
}

function isShell(call: Omit<CallOutcome, 'line'>): boolean {
  return (
    call.path === undefined && /bash|shell|exec|terminal|command|run/i.test(call.name) && call.target !== ''
  );
}
