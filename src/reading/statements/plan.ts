import { actionOf, isChange, isRefused, verbOf } from '../../facts/index.js';
import {
  isToolCall,
  isToolResult,
  textOf,
  type LogMessage,
  type ToolCallPart,
} from '../../transcript/index.js';
import { endingOf } from '../ending.js';
import { oneLine } from '../slices.js';
import type { CheckBook } from './check-runs.js';
import type { Claim } from './claim.js';
import { isDone, isGone } from './step-states.js';
import { checklistIn, planIn, type WrittenPlan } from './steps.js';

/** A step, its state in the agent's own word, and what was done for it by the time it was done. */
export interface PlanStep {
  readonly text: string;
  readonly state: string;
  readonly done: boolean;
  /** Given up: neither to do nor done. */
  readonly isGone: boolean;
  readonly seq: number;
  readonly id: string;
  readonly evidence?: string;
}

const STEP_CHARS = 300;
const EVIDENCE_CHARS = 160;
const EVIDENCE_FILES = 4;
/** Steps finished in earlier plans that stay known. */
const MOST_FINISHED = 40;
const MOST_STEPS = 200;
const MOST_CALLS = 200;
/** Writes of the plan that wait for their results. */
const MOST_UNSURE = 100;

/** The plan at one time, with what has been done for its next step. */
interface PlanState {
  readonly steps: Map<string, PlanStep>;
  readonly finished: Map<string, PlanStep>;
  readonly went: ToolCallPart[];
  readonly since: number;
}

/** A write of the plan by a call, and the plan before it. */
interface PlanWrite {
  readonly callId: string;
  readonly plan: WrittenPlan;
  readonly message: LogMessage;
  before: PlanState;
  isAnswered: boolean;
}

/** The plan of an agent, by whatever tool or list it keeps it, with what each finished step came to. */
export class PlanBook {
  readonly #runs: CheckBook;
  #steps = new Map<string, PlanStep>();
  #finished = new Map<string, PlanStep>();
  /** Calls that make a step of which only the result will tell the key. */
  readonly #making = new Map<string, string>();
  readonly #asked = new Map<string, ToolCallPart>();
  /** Calls that went well since the plan was last moved on; read only when a step is done. */
  #went: ToolCallPart[] = [];
  #since = -1;
  /** The last writes, from the oldest on that has no result: one that fails is no change of the plan. */
  #unsure: PlanWrite[] = [];
  /** A list in prose is only the plan where no tool keeps one. */
  #hasTool = false;

  constructor(runs: CheckBook) {
    this.#runs = runs;
  }

  /** In the agent's own order. */
  get steps(): readonly PlanStep[] {
    return [...this.#steps.values()];
  }

  /** Finished steps of plans that were given up for others, oldest first. */
  get finished(): readonly PlanStep[] {
    return [...this.#finished.values()];
  }

  get claims(): readonly Claim[] {
    const claimOf = ({ text, done, isGone: gone, seq, id, evidence }: PlanStep): Claim => ({
      kind: 'todo',
      status: done ? 'done' : gone ? 'superseded' : 'live',
      text,
      seq,
      id,
      ...(evidence !== undefined && { endedBy: evidence }),
    });
    return [...this.finished, ...this.steps].map(claimOf);
  }

  read(message: LogMessage): void {
    for (const part of message.parts) {
      if (isToolCall(part)) this.#call(part, message);
      else if (isToolResult(part)) this.#result(part.callId, textOf(part), part.isError === true);
      else if (part.type === 'text' && message.role === 'assistant' && !this.#hasTool) {
        const steps = checklistIn(part.text);
        if (steps) this.#write({ steps, merges: false }, message);
      }
    }
  }

  #call(call: ToolCallPart, message: LogMessage): void {
    const plan = planIn(call.name, call.arguments);
    if (plan) {
      this.#hasTool = true;
      const { callId } = call;
      this.#unsure.push({ callId, plan, message, before: this.#state, isAnswered: false });
      if (this.#unsure.length > MOST_UNSURE) this.#unsure.shift();
      this.#write(plan, message);
      const [one] = plan.steps;
      if (plan.merges && plan.steps.length === 1 && one!.key === undefined)
        this.#making.set(callId, one!.text!);
    } else if (verbOf(call.name) === 'write' || verbOf(call.name) === 'run') {
      if (this.#asked.size > MOST_STEPS) this.#asked.clear();
      this.#asked.set(call.callId, call);
    }
  }

  /** “Task #3 created”: from now on the step goes by that number. */
  #result(callId: string, text: string, isError: boolean): void {
    const isFailed = isError || isRefused(text);
    if (isFailed) this.#making.delete(callId);
    this.#settle(callId, isFailed);
    const made = this.#making.get(callId);
    if (made !== undefined) {
      this.#making.delete(callId);
      const [, key] = /#?\b(\d{1,4}|[0-9a-f]{8}[0-9a-f-]*)\b/.exec(text.slice(0, 200)) ?? [];
      const step = this.#steps.get(made);
      if (key !== undefined && step) {
        this.#steps = renamed(this.#steps, made, key);
        for (const write of this.#unsure)
          write.before = { ...write.before, steps: renamed(write.before.steps, made, key) };
      }
    }
    const call = this.#asked.get(callId);
    if (!call) return;
    this.#asked.delete(callId);
    const ending = verbOf(call.name) === 'run' ? endingOf(text, { isError, isCheck: false }) : undefined;
    if (isFailed || ending === 'failed' || ending === 'not run') return;
    if (this.#went.push(call) > MOST_CALLS) this.#went.shift();
  }

  get #state(): PlanState {
    return { steps: this.#steps, finished: new Map(this.#finished), went: this.#went, since: this.#since };
  }

  /** Takes back a write that failed; those behind it are made again. */
  #settle(callId: string, isFailed: boolean): void {
    const at = this.#unsure.findIndex((write) => write.callId === callId);
    if (at < 0) return;
    this.#unsure[at]!.isAnswered = true;
    if (isFailed) {
      const [{ before }] = this.#unsure.splice(at, 1) as [PlanWrite];
      const since = before.went === this.#went ? [] : this.#went;
      this.#steps = before.steps;
      this.#finished = new Map(before.finished);
      this.#went = [...before.went, ...since];
      this.#since = before.since;
      for (const write of this.#unsure.slice(at)) {
        write.before = this.#state;
        this.#write(write.plan, write.message);
      }
    }
    if (this.#unsure.every(({ isAnswered }) => isAnswered)) this.#unsure = [];
  }

  #write({ steps, merges }: WrittenPlan, { seq, id }: LogMessage): void {
    const before = this.#steps;
    const byText = new Map([...before.values()].map((step) => [step.text, step]));
    const after = new Map<string, PlanStep>(merges ? before : []);
    // To take the plan away moves it on as well.
    let advanced = steps.length === 0 && !merges;
    for (const step of steps.slice(0, MOST_STEPS)) {
      const key = step.key ?? step.text!;
      const known =
        before.get(key) ?? (step.text === undefined ? undefined : byText.get(oneLine(step.text, STEP_CHARS)));
      const text = step.text === undefined ? known?.text : oneLine(step.text, STEP_CHARS);
      if (text === undefined) continue;
      const state = step.state ?? known?.state ?? 'open';
      const done = isDone(state);
      // What was written of a step before is what the agent did for it: the words may have changed a little.
      const evidence = done ? (known?.done ? known.evidence : this.#evidence()) : undefined;
      advanced ||= !known || known.state !== state;
      after.set(key, {
        text,
        state,
        done,
        isGone: isGone(state),
        seq,
        id,
        ...(evidence !== undefined && { evidence }),
      });
    }
    for (const [key, step] of before) if (!after.has(key) && step.done) this.#finished.set(step.text, step);
    for (const { text } of after.values()) this.#finished.delete(text);
    while (this.#finished.size > MOST_FINISHED) this.#finished.delete(this.#finished.keys().next().value!);
    this.#steps = after;
    if (!advanced) return;
    this.#went = [];
    this.#since = seq;
  }

  /** What was changed, and how checks ended, since the plan was last moved on. */
  #evidence(): string | undefined {
    const touches = this.#went.flatMap((call) => actionOf(call).touches);
    const files = [...new Set(touches.filter(isChange).map(({ path }) => path))];
    const named = files.slice(-EVIDENCE_FILES).join(', ');
    const more = files.length > EVIDENCE_FILES ? ` and ${files.length - EVIDENCE_FILES} more` : '';
    const said = [
      ...(files.length > 0 ? [`changed ${named}${more}`] : []),
      ...this.#runs.since(this.#since).slice(0, 2),
    ].join('; ');
    return said === '' ? undefined : oneLine(said, EVIDENCE_CHARS);
  }
}

/** The same steps in the same order, one by another key. */
function renamed(steps: ReadonlyMap<string, PlanStep>, from: string, to: string): Map<string, PlanStep> {
  return new Map([...steps].map(([key, step]) => [key === from ? to : key, step]));
}
