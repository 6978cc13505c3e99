import { isRecord } from '../../transcript/index.js';
import { parseArguments } from '../facts/index.js';

/** One step of a plan as an agent wrote it. */
export interface WrittenStep {
  /** The agent's key of the step, if there is one. */
  readonly key?: string;
  /** Absent if only a state was changed. */
  readonly text?: string;
  /** The agent's own word: `completed`, `in_progress`, `x`. */
  readonly state?: string;
}

export interface WrittenPlan {
  readonly steps: readonly WrittenStep[];
  /** If true, steps that are not named stay unchanged; otherwise the list is complete. */
  readonly merges: boolean;
}

/** Tools by which agents keep a plan: todo lists, plans with step states, task lists. */
const PLAN_TOOL = /todo|\bplans?\b|\btask (?:list|create|update)\b|checklist/i;
/** Plans are short; a longer argument is something else. */
const LONGEST_CHARS = 20_000;

const TEXTS = ['content', 'step', 'text', 'title', 'subject', 'task', 'name', 'description'];
const STATES = ['status', 'state', 'done', 'completed', 'checked'];
/** Tools that only look at plans of any kind: `get_subscription_plans`. */
const READ_ONLY_TOOL = /^(?:get|list|read|show|view|fetch|search|find|query|compare|describe|check)\b/i;
/** Names of a call's whole list: an empty list removes the plan. */
const LISTS = /^(?:todos?|todo_?list|plan|steps|items|tasks|task_?list|checklist)$/i;
const KEYS = ['id', 'taskId', 'task_id', 'todoId'];

/** The plan that a call writes; undefined if it writes none. */
export function planIn(tool: string, json: string): WrittenPlan | undefined {
  if (json.length > LONGEST_CHARS || !keepsPlan(tool)) return undefined;
  const { fields } = parseArguments(json);
  for (const [name, value] of Object.entries(fields)) {
    const steps = stepsOf(value) ?? (LISTS.test(name) ? textsOf(value) : undefined);
    if (steps) return { steps, merges: fields.merge === true };
  }
  for (const value of Object.values(fields)) {
    const steps = typeof value === 'string' ? checklistIn(value) : undefined;
    if (steps) return { steps, merges: false };
  }
  if (Object.entries(fields).some(([name, value]) => LISTS.test(name) && isEmptyList(value)))
    return { steps: [], merges: fields.merge === true };
  // One step per call: created, or given another state.
  const one = stepOf(fields);
  return one && (one.text !== undefined || one.key !== undefined)
    ? { steps: [one], merges: true }
    : undefined;
}

/** By the words of the tool's name: `TaskUpdate`, `update_plan`. */
function keepsPlan(tool: string): boolean {
  const words = tool.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ');
  return PLAN_TOOL.test(words) && !READ_ONLY_TOOL.test(words);
}

/** A list of plain texts has no states. */
function textsOf(value: unknown): WrittenStep[] | undefined {
  if (!Array.isArray(value) || value.length === 0) return undefined;
  return value.every(isText) ? value.map((text) => stepOf({ text })!) : undefined;
}

function stepsOf(value: unknown): WrittenStep[] | undefined {
  const list = typeof value === 'string' && value.startsWith('[') ? listIn(value) : value;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isRecord)) return undefined;
  const steps = list.map(stepOf);
  return steps.every((step) => step?.text !== undefined || step?.key !== undefined)
    ? (steps as WrittenStep[])
    : undefined;
}

function isEmptyList(value: unknown): boolean {
  if (typeof value === 'string') return /^\s{0,8}\[\s{0,8}\]\s{0,8}$/.test(value);
  return Array.isArray(value) && value.length === 0;
}

/** Some models write the list as a text. */
function listIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function stepOf(fields: Readonly<Record<string, unknown>>): WrittenStep | undefined {
  const firstOf = <T>(names: readonly string[], is: (value: unknown) => value is T): T | undefined =>
    names.map((name) => fields[name]).find(is);
  const text = firstOf(TEXTS, isText);
  const key = firstOf(KEYS, (value) => typeof value === 'string' || typeof value === 'number');
  const rawState = firstOf(STATES, (value) => typeof value === 'string' || typeof value === 'boolean');
  if (text === undefined && key === undefined) return undefined;
  const state = rawState === true ? 'completed' : rawState === false ? 'pending' : rawState;
  return {
    ...(key !== undefined && { key: String(key) }),
    ...(text !== undefined && { text: text.replace(/\s+/g, ' ').trim() }),
    ...(state !== undefined && { state }),
  };
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

const BOX = /^\s{0,12}(?:[-*+]|\d{1,3}[.)])\s{1,8}\[([ xX✓✔✅~/-])\]\s{1,8}(\S.*)$/;

/** Steps of a checklist in Markdown; undefined if the text has fewer than two. */
export function checklistIn(text: string): WrittenStep[] | undefined {
  if (!text.includes('[')) return undefined;
  const steps = text.split('\n').flatMap((line): WrittenStep[] => {
    const [, mark, words] = BOX.exec(line) ?? [];
    if (words === undefined) return [];
    const state = mark === ' ' ? 'pending' : /[xX✓✔✅]/.test(mark!) ? 'completed' : 'in_progress';
    return [{ text: words.trim(), state }];
  });
  return steps.length >= 2 ? steps : undefined;
}
