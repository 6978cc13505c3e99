import type { ReadonlyLog, LogMessage } from '../../transcript/index.js';
import { isToolCall } from '../../transcript/index.js';
import { boundsIn, proseOf } from '../prose.js';

/** What a user said that binds beyond the moment. */
export interface Constraint {
  readonly seq: number;
  readonly id: string;
  readonly text: string;
}

/** Calls by which agents keep a plan: todo lists, plans with step states. */
const PLAN_TOOL = /todo|plan|task_?list|checklist/i;

/** A longer sentence is pasted output. */
const LONGEST_CHARS = 1_000;

/** Plans are short; a longer argument is something else. */
const LONGEST_PLAN_CHARS = 6_000;

/** Statements that hold until something newer says otherwise, read off the log as it grows. */
export class StatementLedger {
  readonly #log: ReadonlyLog;
  readonly #constraints: Constraint[] = [];
  #plan: { readonly seq: number; readonly text: string } | undefined;
  #next = 0;

  constructor(log: ReadonlyLog) {
    this.#log = log;
  }

  /** Oldest first. */
  get constraints(): readonly Constraint[] {
    return this.#constraints;
  }

  /** The newest plan, in the agent's own words. */
  get plan(): { readonly seq: number; readonly text: string } | undefined {
    return this.#plan;
  }

  catchUp(): void {
    for (; this.#next < this.#log.length; this.#next++) this.#read(this.#log.at(this.#next));
  }

  #read(message: LogMessage): void {
    if (message.role === 'user' && message.origin !== 'synthetic') {
      for (const text of boundsIn(proseOf(message).trim())) {
        if (text.length <= LONGEST_CHARS) this.#constraints.push({ seq: message.seq, id: message.id, text });
      }
    }
    for (const part of message.parts) {
      if (!isToolCall(part) || !PLAN_TOOL.test(part.name) || part.arguments.length > LONGEST_PLAN_CHARS)
        continue;
      const text = planText(part.arguments);
      if (text !== undefined) this.#plan = { seq: message.seq, text };
    }
  }
}

interface Step {
  readonly content?: unknown;
  readonly step?: unknown;
  readonly text?: unknown;
  readonly title?: unknown;
  readonly description?: unknown;
  readonly status?: unknown;
}

/** `[done] read the schema`, a line a step, from the list of steps that a plan tool was given. */
function planText(json: string): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return undefined;
  }
  const lists = Object.values((value ?? {}) as Record<string, unknown>).filter(Array.isArray) as Step[][];
  const steps = lists.find(
    (list) => list.length > 0 && list.every((step) => typeof step === 'object' && step),
  );
  const lines = steps?.flatMap((step) => {
    const text = step.content ?? step.step ?? step.text ?? step.title ?? step.description;
    return typeof text === 'string' ? [`[${String(step.status ?? 'open')}] ${text}`] : [];
  });
  return lines && lines.length > 0 ? lines.join('\n') : undefined;
}
