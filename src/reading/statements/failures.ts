import { checksOf, mayCheck, speaksFor, verbOf, type Check } from '../../facts/index.js';
import {
  isToolCall,
  isToolResult,
  textOf,
  type LogMessage,
  type ToolCallPart,
  type ToolResultPart,
} from '../../transcript/index.js';
import { endingOf } from '../ending.js';
import { failureLine, outcomeOf, verdictLine } from '../outcome.js';
import { quoted } from '../quoted.js';
import { oneLine } from '../slices.js';
import type { Claim } from './claim.js';

/** One command line of checks that failed, and which of them have not passed since. */
interface Failure {
  readonly label: string;
  readonly waiting: Check[];
  readonly seq: number;
  readonly id: string;
  readonly result: ToolResultPart;
  line?: string;
}

/** More are not kept; the oldest go. */
const MOST = 40;
const LINE_CHARS = 220;

/** Tests, builds and linters that failed when they last ran, and how the newest ones ended. */
export class FailureBook {
  #asked = new Map<string, ToolCallPart>();
  #failures: Failure[] = [];
  /** `npm test: passed`, newest last: what a plan's steps are proven by. */
  #ended: { readonly seq: number; readonly line: string }[] = [];

  read(message: LogMessage): void {
    for (const part of message.parts) {
      if (isToolCall(part)) this.#ask(part);
      else if (isToolResult(part)) this.#answer(part, message);
    }
  }

  /** Oldest first. */
  get claims(): readonly Claim[] {
    return this.#failures.map((failure): Claim => {
      const { label, seq, id, result } = failure;
      failure.line ??= quoted(saidOf(result));
      return { kind: 'error', status: 'live', text: `${label} → ${failure.line}`, seq, id };
    });
  }

  /** How checks ended after a log position, newest first. */
  since(seq: number): string[] {
    return this.#ended
      .filter((run) => run.seq > seq)
      .map(({ line }) => line)
      .reverse();
  }

  #ask(call: ToolCallPart): void {
    if (verbOf(call.name) !== 'run' || !mayCheck(call)) return;
    if (this.#asked.size > MOST) this.#asked = new Map([...this.#asked].slice(-MOST / 2));
    this.#asked.set(call.callId, call);
  }

  #answer(result: ToolResultPart, { seq, id }: LogMessage): void {
    const call = this.#asked.get(result.callId);
    if (!call) return;
    this.#asked.delete(result.callId);
    const checks = checksOf(call);
    if (checks.length === 0) return;
    const piped = checks.some((check) => check.piped);
    const ending = endingOf(textOf(result), { isError: result.isError === true, piped });
    const label = checks.map((check) => check.label).join(' && ');
    if (ending !== 'unknown')
      this.#ended = [...this.#ended.slice(-MOST), { seq, line: `${label}: ${ending}` }];
    // A new end takes the place of the old one: a failure of the same check, and a pass, or an end that says nothing, of
    // one that contains it.
    for (const failure of this.#failures) {
      const left = failure.waiting.filter(
        (older) =>
          !checks.some((newer) => (ending === 'failed' ? isSame(newer, older) : speaksFor(newer, older))),
      );
      failure.waiting.splice(0, failure.waiting.length, ...left);
    }
    this.#failures = this.#failures.filter(({ waiting }) => waiting.length > 0);
    if (ending === 'failed') this.#failures.push({ label, waiting: [...checks], seq, id, result });
    if (this.#failures.length > MOST) this.#failures.shift();
  }
}

function isSame(newer: Check, older: Check): boolean {
  return speaksFor(newer, older) && speaksFor(older, newer);
}

/** The line that says why, and the verdict; where there is neither, its first words. */
function saidOf(result: ToolResultPart): string {
  const text = textOf(result);
  const lines = [failureLine(text), verdictLine(text)].filter((line) => line !== undefined);
  const said = lines.length > 0 ? [...new Set(lines)].join('; ') : outcomeOf(text, result.isError);
  return oneLine(said, LINE_CHARS);
}
