import { isRefused } from '../facts/index.js';
import { textOf, type LogMessage, type ToolCallPart, type ToolResultPart } from '../../transcript/index.js';
import { planIn, type WrittenPlan } from './plan-steps.js';
import { oneLine } from './slices.js';

/** A step of a plan, with its state in the agent's own word. */
export interface PlanStep {
  readonly text: string;
  readonly state: string;
}

/** The plan as a plan tool last wrote it, and the id of the message. */
export interface Plan {
  readonly id: string;
  readonly steps: readonly PlanStep[];
}

interface PlanWrite extends WrittenPlan {
  readonly seq: number;
  readonly id: string;
  readonly callId: string;
  /** The key of a created step, which only the result names: “Task #3 created”. */
  createdKey?: string;
  hasFailed: boolean;
}

const STEP_CHARS = 300;
const MAX_STEPS = 200;
/** At least this many of the newest writes are kept: what older writes say of a plan, newer ones have changed. */
const MAX_WRITES = 1_000;

/** The plans that calls of plan tools wrote, with any tool. */
export class PlanBook {
  #writes: PlanWrite[] = [];

  addCall({ name, arguments: json, callId }: ToolCallPart, { seq, id }: LogMessage): void {
    const plan = planIn(name, json);
    if (!plan) return;
    this.#writes.push({ ...plan, seq, id, callId, hasFailed: false });
    if (this.#writes.length > 2 * MAX_WRITES) this.#writes = this.#writes.slice(-MAX_WRITES);
  }

  addAnswer(result: ToolResultPart): void {
    const write = this.#writes.findLast(({ callId }) => callId === result.callId);
    if (!write) return;
    const text = textOf(result);
    write.hasFailed = result.isError === true || isRefused(text);
    const [, key] = /#?\b(\d{1,4}|[0-9a-f]{8}[0-9a-f-]*)\b/.exec(text.slice(0, 200)) ?? [];
    if (write.merges && key !== undefined) write.createdKey = key;
  }

  /**
   * The plan at the end of a span of the log, if a call of the span wrote it and no later call wrote a whole plan.
   * `isNewest`: only if no later call wrote to the plan at all.
   */
  planWithin(from: number, to: number, isNewest: boolean): Plan | undefined {
    const writes = this.#writes.filter(({ hasFailed }) => !hasFailed);
    const last = writes.findLast(({ seq }) => seq <= to);
    if (!last || last.seq < from) return undefined;
    if (writes.some(({ seq, merges }) => seq > to && (isNewest || !merges))) return undefined;
    const lastComplete = writes.findLastIndex(({ seq, merges }) => seq <= to && !merges);
    const steps = new Map<string, PlanStep>();
    for (const write of writes.slice(Math.max(0, lastComplete))) if (write.seq <= to) apply(write, steps);
    return { id: last.id, steps: [...steps.values()] };
  }
}

function apply({ steps: written, createdKey }: PlanWrite, steps: Map<string, PlanStep>): void {
  for (const { key = createdKey, text, state } of written.slice(0, MAX_STEPS)) {
    const name = key ?? text!;
    const known = steps.get(name);
    const stepText = text === undefined ? known?.text : oneLine(text, STEP_CHARS);
    if (stepText !== undefined) steps.set(name, { text: stepText, state: state ?? known?.state ?? 'open' });
  }
}
