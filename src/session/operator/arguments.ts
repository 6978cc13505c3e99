import {
  ANYTHING,
  BOOLEAN,
  fieldFaults,
  having,
  listOf,
  OBJECT,
  TEXT,
  WHOLE,
  type Fault,
  type Kind,
} from '../../errors/index.js';
import { whyNotCopyable, type Plan } from '../../transcript/index.js';
import { ABORTABLE, refuse } from '../arguments.js';
import type { RunOverrides } from '../run-overrides.js';
import type { ClaimAct } from './claims.js';
import type { UndoRequest } from './history.js';
import type { PlanChanges } from './plans.js';

/* What operators call the methods of a session with, where nothing checked types: each throws `ARGUMENT_INVALID`. */

const REMEDY = 'Pass what the method takes, each of its kind; docs/sessions.md has them.';

/** Their values are judged as settings are, by whoever reads them. */
const RUN = {
  strategy: ANYTHING,
  threshold: ANYTHING,
  target: ANYTHING,
  prompt: TEXT,
  summarize: BOOLEAN,
  signal: ABORTABLE,
} satisfies Record<keyof RunOverrides | 'signal', Kind>;

const CHANGES = {
  without: listOf(WHOLE),
  keep: listOf(TEXT),
  text: {
    is: (value) => OBJECT.is(value) && Object.values(value as object).every((one) => typeof one === 'string'),
    words: 'texts by place of the edit',
  },
} satisfies Record<keyof PlanChanges, Kind>;

const UNDO = { record: TEXT, to: TEXT } satisfies Record<keyof UndoRequest, Kind>;

const NOTES: Kind = { is: (value) => typeof value === 'string', words: 'a text' };
const CLAIM = { by: TEXT, notes: NOTES } satisfies Record<keyof ClaimAct, Kind>;

const SHAPE = having({ hash: TEXT, base: TEXT, edits: listOf(OBJECT), trigger: OBJECT });
const PLAN: Kind = {
  is: (value) => SHAPE.is(value) && whyNotCopyable(value) === undefined,
  words: 'a plan, as `plan` or `edit` gives it',
};

export const run = (method: string, overrides: unknown): void => check(method, overrides, RUN);
export const undo = (of: unknown): void => check('undo', of, UNDO);
export const queue = (options: unknown): void => check('queue', options, { auto: BOOLEAN });
export const transcript = (options: unknown): void =>
  check('transcript', options, { includeSuperseded: BOOLEAN });

export const plan = (method: string, plan: unknown): void => checkOne(method, 'plan', plan, PLAN);
export const notes = (method: string, notes: unknown): void => checkOne(method, 'notes', notes ?? '', NOTES);
export const claim = (method: string, ref: unknown, act: unknown): void => {
  checkOne(method, 'claim', ref, TEXT);
  check(method, act, CLAIM);
};
export const whole = (method: string, name: string, value: unknown): void =>
  checkOne(method, name, value, WHOLE);
export const words = (words: unknown): void => checkOne('find', 'words', words, TEXT);

/** A place that the plan does not have names no edit: left alone, the change would be lost without a word. */
export function changes({ edits }: Plan, wanted: PlanChanges): void {
  check('edit', wanted, CHANGES);
  const places = [...(wanted.without ?? []), ...Object.keys(wanted.text ?? {}).map(Number)];
  const allowed = edits.length === 0 ? 'none' : `0 to ${edits.length - 1}`;
  refuse(
    places
      .filter((place) => !(place in edits))
      .map((found): Fault => ({ subject: 'place of an edit', found, allowed, remedy: REMEDY })),
  );
}

function check(method: string, given: unknown, kinds: Readonly<Record<string, Kind>>): void {
  refuse(fieldFaults(`session.operator.${method}`, given, kinds, REMEDY));
}

function checkOne(method: string, name: string, found: unknown, { is, words }: Kind): void {
  if (is(found)) return;
  const subject = `${name} of session.operator.${method}`;
  refuse([{ subject, found: found ?? String(found), allowed: words, remedy: REMEDY }]);
}
