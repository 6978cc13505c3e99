import { verbOf } from '../../facts/index.js';
import { isToolCall, isToolResult, textOf, type LogMessage } from '../../transcript/index.js';
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
const TRIAL = /\bgit init\b|\bmktemp\b|\/tmp\//;

/** Which commits calls made, as git told of them. */
export class CommitBook {
  #newest: Commit | undefined;
  #usesGit = false;
  #speaksOfCommits = false;
  readonly #asked = new Set<string>();

  get newest(): Commit | undefined {
    return this.#newest;
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
        if (!part.arguments.includes('commit')) continue;
        this.#speaksOfCommits = true;
        if (this.#asked.size < MOST_AWAITED && !TRIAL.test(part.arguments)) this.#asked.add(part.callId);
      } else if (isToolResult(part) && this.#asked.delete(part.callId)) {
        const line = commitLine(textOf(part));
        if (line !== undefined) this.#newest = { line, seq: message.seq, id: message.id };
      }
    }
  }
}
