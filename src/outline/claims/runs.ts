import { checkOf, mayCheck, speaksFor, verbOf, type Check } from '../../facts/index.js';
import {
  isToolCall,
  isToolResult,
  textOf,
  type LogMessage,
  type ToolCallPart,
  type ToolResultPart,
} from '../../transcript/index.js';
import { callLabel } from '../calls.js';
import { endingOf, type Ending } from '../ending.js';
import { outcomeOf } from '../outcome.js';
import { quoted } from '../quoted.js';
import type { Claim } from './claim.js';

interface Run {
  readonly check: Check;
  readonly ending: Ending;
  readonly seq: number;
  readonly id: string;
  readonly result: ToolResultPart;
}

/** More are not kept; the oldest go. */
const MOST = 60;
const LINE_CHARS = 220;

/** How each check ended last, and what failed and was not made good since. */
export class RunBook {
  #asked = new Map<string, ToolCallPart>();
  /** By check; in order of their newest end. */
  readonly #last = new Map<string, Run>();
  readonly #open = new Map<string, Run>();

  read(message: LogMessage): void {
    for (const part of message.parts) {
      if (isToolCall(part)) this.#ask(part);
      else if (isToolResult(part)) this.#answer(part, message);
    }
  }

  /** The last end of every test, build and linter, oldest first. */
  get checks(): readonly Claim[] {
    return [...this.#last.values()].map((run) => claimOf('check', run));
  }

  /** Failures that no later success has made good, oldest first. */
  get errors(): readonly Claim[] {
    return [...this.#open.values()].map((run) => claimOf('error', run));
  }

  /** `npm test: passed`, for what ended after a log position, newest first. */
  since(seq: number): string[] {
    return [...this.#last.values()]
      .filter((run) => run.seq > seq)
      .map(({ check, ending }) => `${check.label}: ${ending}`)
      .reverse();
  }

  #ask(call: ToolCallPart): void {
    const verb = verbOf(call.name);
    if (verb !== 'run' && verb !== 'write') return;
    if (this.#asked.size > MOST) this.#asked = new Map([...this.#asked].slice(-MOST / 2));
    this.#asked.set(call.callId, call);
  }

  #answer(result: ToolResultPart, { seq, id }: LogMessage): void {
    const call = this.#asked.get(result.callId);
    if (!call) return;
    this.#asked.delete(result.callId);
    const text = textOf(result);
    const isRun = verbOf(call.name) === 'run';
    // What a tool says of a change is often the changed text: only its own word that it failed counts.
    const ending = isRun ? endingOf(text, result.isError) : result.isError === true ? 'failed' : 'passed';
    // To read a command line costs more than to see that nothing hangs on it.
    if (ending !== 'failed' && this.#open.size === 0 && !(isRun && mayCheck(call))) return;
    const check = isRun ? checkOf(call) : changeOf(call);
    if (!check) return;
    const key = `${check.family}\n${check.scope.join('\n')}`;
    const run = { check, ending, seq, id, result };
    if (check.known) this.#keep(this.#last, key, run);
    if (ending === 'failed') this.#keep(this.#open, key, run);
    else
      for (const [other, failed] of this.#open) if (speaksFor(check, failed.check)) this.#open.delete(other);
  }

  #keep(kept: Map<string, Run>, key: string, run: Run): void {
    for (const [other, older] of kept)
      if (other === key || (other !== key && run.ending !== 'failed' && speaksFor(run.check, older.check)))
        kept.delete(other);
    kept.set(key, run);
    if (kept.size > MOST) kept.delete(kept.keys().next().value!);
  }
}

/** A change by a tool of its own: made good by the next that succeeds on the same file. */
function changeOf(call: ToolCallPart): Check {
  const label = callLabel(call);
  return { family: label, scope: [], label, known: false };
}

/** A result never changes, and what it came to is asked for in run after run. */
const lines = new WeakMap<ToolResultPart, string>();

function claimOf(kind: 'check' | 'error', { check, ending, seq, id, result }: Run): Claim {
  let line = lines.get(result);
  if (line === undefined) {
    line = quoted(outcomeOf(textOf(result), result.isError).slice(0, LINE_CHARS));
    lines.set(result, line);
  }
  const how = kind === 'check' && ending !== 'unknown' ? `${ending}: ` : '';
  return { kind, status: 'live', text: `${check.label} → ${how}${line}`, seq, id };
}
