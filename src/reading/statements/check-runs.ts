import { checksOf, mayCheck, speaksFor, tellsOf, verbOf, type Check } from '../../facts/index.js';
import {
  isToolCall,
  isToolResult,
  textOf,
  type LogMessage,
  type ToolCallPart,
  type ToolResultPart,
} from '../../transcript/index.js';
import { endingOf, tellsOfFailure } from '../ending.js';
import { withoutEnvelope } from '../envelope.js';
import { failureLine, outcomeOf, verdictLine } from '../outcome.js';
import { quoted } from '../quoted.js';
import { RunningCommands } from '../running.js';
import { oneLine } from '../slices.js';
import type { Claim } from './claim.js';

/** One command line of checks, how it ended, and which of them have not ended anew since. */
interface CheckRun {
  readonly label: string;
  readonly checks: Check[];
  readonly seq: number;
  readonly id: string;
  readonly result: ToolResultPart;
  line?: string;
  /** The message by which the same ran again, and nothing tells how that ended. */
  again?: string;
}

/** More are not kept; the oldest go. */
const MOST_RUNS = 40;
const LINE_CHARS = 220;

/** Tests, builds and linters, by how each ended when it last ran. */
export class CheckBook {
  #asked = new Map<string, ToolCallPart>();
  readonly #running = new RunningCommands<ToolCallPart>();
  /** The host has told of a failure: it tells of each. */
  #isTold = false;
  #failed: CheckRun[] = [];
  #passed: CheckRun[] = [];
  /** `npm test: passed`, newest last: what a plan's steps are proven by. */
  #ended: { readonly seq: number; readonly line: string }[] = [];

  read(message: LogMessage): void {
    for (const part of message.parts) {
      if (isToolCall(part)) this.#ask(part);
      else if (isToolResult(part)) this.#answer(part, message);
    }
  }

  /** Checks that failed when they last ran, oldest first. */
  get failing(): readonly Claim[] {
    return this.#failed.map((run) => claimOf(run, 'live', complaintOf));
  }

  /** Checks that passed when they last ran, with every part of their command line; oldest first. */
  get passing(): readonly Claim[] {
    return this.#passed.map((run) => claimOf(run, 'done', verdictOf));
  }

  /** How checks ended after a log position, newest first. */
  since(seq: number): string[] {
    return this.#ended
      .filter((run) => run.seq > seq)
      .map(({ line }) => line)
      .reverse();
  }

  #ask(call: ToolCallPart): void {
    const begun = this.#running.begunBy(call) ?? call;
    if (verbOf(begun.name) !== 'run' || !mayCheck(begun)) return;
    if (this.#asked.size > MOST_RUNS) this.#asked = new Map([...this.#asked].slice(-MOST_RUNS / 2));
    this.#asked.set(call.callId, begun);
  }

  #answer(result: ToolResultPart, { seq, id }: LogMessage): void {
    const call = this.#asked.get(result.callId);
    if (!call) return;
    this.#asked.delete(result.callId);
    const checks = checksOf(call);
    if (checks.length === 0 || this.#running.note(call, textOf(result))) return;
    const isError = result.isError === true;
    const ending = endingOf(textOf(result), { isError, tells: tellsOf(checks), isTold: this.#isTold });
    if (ending === 'not run') return;
    if (!call.arguments.includes('$?')) this.#isTold ||= tellsOfFailure(textOf(result));
    const label = checks.map((check) => check.label).join(' && ');
    if (ending !== 'unknown')
      this.#ended = [...this.#ended.slice(-MOST_RUNS), { seq, line: `${label}: ${ending}` }];
    // A new end takes the place of the old one. Only a pass of as much, or of more, ends a failure: where the same was
    // run again and nothing tells how it ended, the failure stands, and says so. A pass is doubted as soon as anything
    // in it fails.
    const ends = (older: Check) => (newer: Check) =>
      ending === 'failed' ? isSame(newer, older) : speaksFor(newer, older);
    if (ending === 'unknown') {
      for (const run of this.#failed)
        if (run.checks.some((older) => checks.some(ends(older)))) run.again = id;
      this.#passed = this.#passed.filter((run) => !run.checks.some((older) => checks.some(ends(older))));
      return;
    }
    const doubts = (older: Check) => (newer: Check) =>
      speaksFor(newer, older) || (ending === 'failed' && speaksFor(older, newer));
    for (const { checks: waiting } of this.#failed)
      waiting.splice(0, waiting.length, ...waiting.filter((older) => !checks.some(ends(older))));
    this.#failed = this.#failed.filter((run) => run.checks.length > 0);
    this.#passed = this.#passed.filter((run) => !run.checks.some((older) => checks.some(doubts(older))));
    const runs = ending === 'failed' ? this.#failed : this.#passed;
    runs.push({ label, checks: [...checks], seq, id, result });
    if (runs.length > MOST_RUNS) runs.shift();
  }
}

function isSame(newer: Check, older: Check): boolean {
  return speaksFor(newer, older) && speaksFor(older, newer);
}

function claimOf(run: CheckRun, status: 'live' | 'done', said: (result: ToolResultPart) => string): Claim {
  const { label, seq, id, result } = run;
  run.line ??= said(result);
  const kind = status === 'live' ? 'error' : 'check';
  const text = run.line === '' ? label : `${label} → ${quoted(run.line)}`;
  const again =
    run.again === undefined ? '' : `; run again in ${run.again}, which does not tell how it ended`;
  return { kind, status, text: text + again, seq, id };
}

/** The line that says why, and the verdict; where there is neither, its first words. */
function complaintOf(result: ToolResultPart): string {
  const text = withoutEnvelope(textOf(result));
  const lines = [failureLine(text, true), verdictLine(text)].filter((line) => line !== undefined);
  const said = lines.length > 0 ? [...new Set(lines)].join('; ') : outcomeOf(text, result.isError);
  return oneLine(said, LINE_CHARS);
}

/** What a check says that passed: its verdict; '' where it has none. */
function verdictOf(result: ToolResultPart): string {
  return oneLine(verdictLine(withoutEnvelope(textOf(result))) ?? '', LINE_CHARS);
}
