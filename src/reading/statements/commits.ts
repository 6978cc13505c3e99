import { statusIn, verbOf } from '../../facts/index.js';
import {
  isToolCall,
  isToolResult,
  textOf,
  type LogMessage,
  type ToolResultPart,
} from '../../transcript/index.js';
import { commitLine } from '../outcome.js';

/** A commit as git told of it: `[main 7d5db0d] fix: …`. */
export interface Commit {
  readonly line: string;
  readonly seq: number;
  readonly id: string;
}

/** Calls whose answers are waited for; more are not kept. */
const MOST_AWAITED = 20;
/** A repository that a call makes for itself is a trial, not the work. */
const TRIAL = /\bgit init\b|\bmktemp -d\b|(?:\bcd|-C) "?(?:\/private)?(?:\/tmp\/|\/var\/folders\/|\$TMP)/;
/** What makes a commit, and what takes some of them back. */
const MAKES = /\bgit\b[^\n;&|]{0,120}\b(?:commit|revert|cherry-pick|am)\b/;
const TAKES_BACK = /\bgit\b[^\n;&|]{0,60}\breset\b[^\n;&|]{0,40}\b(?:HEAD|@)(?:~(\d{1,3})?|(\^{1,9}))/;
/** So many are known to go back to. */
const MOST_COMMITS = 50;

/** Which commits calls made, as git told of them. */
export class CommitBook {
  #commits: readonly Commit[] = [];
  #usesGit = false;
  #speaksOfCommits = false;
  /** Calls that make commits, and those that take so many back. */
  readonly #asked = new Map<string, number>();

  get newest(): Commit | undefined {
    return this.#commits.at(-1);
  }

  /** Git was used, and no call as much as names a commit. */
  get madeNone(): boolean {
    return this.#usesGit && !this.#speaksOfCommits;
  }

  read(message: LogMessage): void {
    for (const part of message.parts) {
      if (isToolCall(part)) {
        if (verbOf(part.name) !== 'run' || !part.arguments.includes('git ')) continue;
        this.#usesGit = true;
        if (part.arguments.includes('commit')) this.#speaksOfCommits = true;
        const makes = MAKES.test(part.arguments);
        const back = makes ? 0 : takenBack(part.arguments);
        if ((makes || back > 0) && this.#asked.size < MOST_AWAITED && !TRIAL.test(part.arguments))
          this.#asked.set(part.callId, back);
      } else if (isToolResult(part)) this.#answer(part, message);
    }
  }

  #answer(result: ToolResultPart, { seq, id }: LogMessage): void {
    const back = this.#asked.get(result.callId);
    if (back === undefined) return;
    this.#asked.delete(result.callId);
    const text = textOf(result);
    const line = commitLine(text);
    if (back > 0 && result.isError !== true && (statusIn(text) ?? 0) === 0)
      this.#commits = this.#commits.slice(0, -back);
    else if (back === 0 && line !== undefined)
      this.#commits = [...this.#commits.slice(-MOST_COMMITS), { line, seq, id }];
  }
}

/** `git reset HEAD~2`: how many commits a line takes back. */
function takenBack(line: string): number {
  const found = TAKES_BACK.exec(line);
  return found ? (found[2]?.length ?? Number(found[1] ?? 1)) : 0;
}
