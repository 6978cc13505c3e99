import { parseArguments } from '../facts/index.js';
import type { ToolCallPart } from '../../transcript/index.js';

/** `Process running with session ID 66278`, `Command running in background with ID: b2ok`. */
const RUNS_ON =
  /^.{0,20}\b(?:process|script|command|shell|task)\b[^\n]{0,40}\brunning\b[^\n]{0,40}\bID:?\s*([\w-]{1,64})/im;
/** `"session_id": 61293` in a record that names no exit: Codex hands it back where a script's command has not ended. */
const IN_RECORD = /"session_id":\s*"?([\w-]{1,64})/;
const HEAD_CHARS = 400;
/** Tools that wait for a command, or read what it has printed since. */
const WAITS = /^(?:wait\w*|poll\w*|write_stdin|bash_?output|task_?output)$/i;
/** The same by a script. */
const WAITS_IN_SCRIPT = /\bwrite_stdin\b.{0,200}?\bsession_id\W{1,6}([\w-]{1,64})/s;
const SCRIPT_CHARS = 2_000;
/** Commands that are remembered; the oldest go. */
const MOST_RUNNING = 40;

/** What an output says of its command where that has not ended, and the process by which it goes on. */
export function runningIn(output: string): { readonly process: string; readonly line: string } | undefined {
  const head = output.slice(0, HEAD_CHARS);
  const said = RUNS_ON.exec(head);
  if (said) return { process: said[1]!, line: said[0].trim() };
  const recorded = IN_RECORD.exec(head);
  if (!recorded || /"exit_code"/.test(head + output.slice(-HEAD_CHARS))) return undefined;
  return { process: recorded[1]!, line: recorded[0] };
}

/** Commands that a host runs on behind their call: what a later call reads of one is that one's output. */
export class RunningCommands<Begun> {
  readonly #byProcess = new Map<string, Begun>();

  /** What began the command that a call waits for; undefined where it waits for none that is known. */
  begunBy(waiting: ToolCallPart): Begun | undefined {
    if (this.#byProcess.size === 0) return undefined;
    const named = WAITS.test(waiting.name)
      ? Object.values(parseArguments(waiting.arguments).fields)
      : [WAITS_IN_SCRIPT.exec(waiting.arguments.slice(0, SCRIPT_CHARS))?.[1]];
    for (const value of named) {
      const isName = typeof value === 'string' || typeof value === 'number';
      const begun = isName ? this.#byProcess.get(String(value)) : undefined;
      if (begun !== undefined) return begun;
    }
    return undefined;
  }

  /** Notes by which process a command goes on, where its output says that it does. */
  note(begun: Begun, output: string): boolean {
    const running = runningIn(output);
    if (!running) return false;
    this.#byProcess.delete(running.process);
    this.#byProcess.set(running.process, begun);
    const [oldest] = this.#byProcess.keys();
    if (this.#byProcess.size > MOST_RUNNING) this.#byProcess.delete(oldest!);
    return true;
  }
}
