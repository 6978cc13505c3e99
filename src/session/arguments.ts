import { AGENT_PATH_WORDS, isAgentPath } from '../config/index.js';
import {
  ANY_TEXT,
  ANYTHING,
  BOOLEAN,
  COUNT,
  either,
  fieldFaults,
  FUNCTION,
  having,
  listOf,
  NULL,
  OBJECT,
  oneOf,
  SpillwayError,
  TEXT,
  WHOLE,
  type Fault,
  type Kind,
} from '../errors/index.js';
import type { Usage } from '../tokens/index.js';
import { whyNotCopyable, type Plan } from '../transcript/index.js';
import type { FollowOptions } from './client/follow.js';
import type { GiveBackRequest } from './operator/give-back.js';
import type { UndoRequest } from './operator/history.js';
import type { PlanChanges } from './operator/plans.js';
import type { PrepareOptions } from './requests.js';
import type { RunOverrides } from './policies.js';
import type { SessionMapOptions } from './session-map.js';
import type { SessionOptions } from './session-options.js';

/* Checks of arguments at run time, for callers without types. Each check throws `ARGUMENT_INVALID` with all faults. */

type Kinds = Readonly<Record<string, Kind>>;
type Fields<Options> = Record<keyof Options, Kind>;

/** An `AbortSignal` of any realm. */
const ABORTABLE = having({ addEventListener: FUNCTION });

/** Halves of surrogate pairs are refused: no address can contain one, and each store would replace it differently. */
const NAME: Kind = {
  is: (value) => TEXT.is(value) && !/\p{Surrogate}/u.test(value as string),
  words: 'a text without halves of surrogate pairs',
};

const SESSION = {
  id: NAME,
  agentPath: { is: isAgentPath, words: AGENT_PATH_WORDS },
  format: either(TEXT, OBJECT),
  model: TEXT,
  tools: listOf(ANYTHING),
  keep: listOf(FUNCTION),
  onStoreFailure: oneOf('open', 'closed'),
  summaryLines: either(listOf(TEXT), FUNCTION),
  instructions: FUNCTION,
} satisfies Fields<SessionOptions>;

const PREPARE = {
  signal: ABORTABLE,
  model: TEXT,
  inject: listOf(having({ hook: TEXT, content: ANY_TEXT })),
  maxOutputTokens: COUNT,
} satisfies Fields<PrepareOptions>;

const COUNT_OR_NONE = either(COUNT, NULL);
const USAGE = {
  inputTokens: COUNT_OR_NONE,
  cacheReadTokens: COUNT_OR_NONE,
  cacheWriteTokens: COUNT_OR_NONE,
  outputTokens: COUNT_OR_NONE,
  isSum: BOOLEAN,
} satisfies Fields<Usage>;

/** Only the kinds are checked here. The code that reads these options checks their values, as it does for settings. */
const RUN = {
  strategy: ANYTHING,
  threshold: ANYTHING,
  target: ANYTHING,
  prompt: TEXT,
  summarize: BOOLEAN,
  settings: OBJECT,
  signal: ABORTABLE,
} satisfies Fields<RunOverrides & { signal?: AbortSignal }>;

const CHANGES = {
  without: listOf(WHOLE),
  keep: listOf(TEXT),
  text: {
    is: (value) => OBJECT.is(value) && Object.values(value as object).every((one) => typeof one === 'string'),
    words: 'texts by place of the edit',
  },
} satisfies Fields<PlanChanges>;

const REMEDY = 'Pass what the method takes, each of its kind; docs/sessions.md has them.';

/** The options that each method takes. */
const OPTIONS = {
  'spillway.session': SESSION,
  'spillway.sessionMap': { ...SESSION, most: WHOLE } satisfies Fields<SessionOptions & SessionMapOptions>,
  'session.prepare': PREPARE,
  'session.follow': { commands: BOOLEAN, forks: BOOLEAN } satisfies Fields<FollowOptions>,
  'session.overflowed': { signal: ABORTABLE },
  'session.operator.compact': RUN,
  'session.operator.plan': RUN,
  'session.operator.edit': CHANGES,
  'session.operator.undo': { record: TEXT, to: TEXT } satisfies Fields<UndoRequest>,
  'session.operator.giveBack': {
    handle: TEXT,
    query: TEXT,
    maxTokens: WHOLE,
    preview: BOOLEAN,
  } satisfies Fields<GiveBackRequest>,
  'session.operator.queue': { auto: BOOLEAN },
  'session.operator.transcript': { includeSuperseded: BOOLEAN },
} satisfies Record<string, Kinds>;

/** Also runs before every call, so an error is only built if something is wrong. */
export function checkOptions(method: keyof typeof OPTIONS, given: unknown): void {
  refuse(fieldFaults(method, given, OPTIONS[method], REMEDY));
}

const PLAN_SHAPE = having({ hash: TEXT, base: TEXT, edits: listOf(OBJECT), trigger: OBJECT });

/** Arguments of the operator's methods other than options, by name. */
const VALUES = {
  plan: {
    is: (value) => PLAN_SHAPE.is(value) && whyNotCopyable(value) === undefined,
    words: 'a plan: the field `plan` of what `plan` gives, or what `edit` gives',
  },
  notes: ANY_TEXT,
  handle: TEXT,
  length: WHOLE,
  call: WHOLE,
  words: TEXT,
  /** `record` and `to` exclude each other: with both, `to` would undo more than `record` names. */
  'record and to': { is: (value) => value === undefined, words: 'one of the two' },
} satisfies Kinds;

/** `method`: a method of `session.operator`. */
export function checkValue(method: string, name: keyof typeof VALUES, found: unknown): void {
  const { is, words } = VALUES[name];
  if (is(found)) return;
  const subject = `${name} of session.operator.${method}`;
  refuse([{ subject, found: found ?? String(found), allowed: words, remedy: REMEDY }]);
}

/** Refuses places of edits that the plan does not have. Otherwise the change would be lost silently. */
export function checkChanges({ edits }: Plan, wanted: PlanChanges): void {
  checkOptions('session.operator.edit', wanted);
  const places = [...(wanted.without ?? []), ...Object.keys(wanted.text ?? {}).map(Number)];
  const allowed = edits.length === 0 ? 'none' : `0 to ${edits.length - 1}`;
  const unknown = places.filter((place) => !(place in edits));
  const [subject, remedy] = ['place of an edit', 'Places are those of the edits in the list of the plan.'];
  refuse(unknown.map((found): Fault => ({ subject, found, allowed, remedy })));
}

/** Throws if `send` is not a function. */
export function checkSend(send: unknown): void {
  if (FUNCTION.is(send)) return;
  const remedy = 'Pass the function that sends the request, and returns the answer.';
  refuse([{ subject: 'what session.call is given', found: send, allowed: FUNCTION.words, remedy }]);
}

/** Returns `ARGUMENT_INVALID` if a figure is not a count: a wrong figure would set the scale of every later reading. */
export function usageFault(usage: Usage): SpillwayError | undefined {
  const remedy =
    'Pass what the provider reported, in tokens, under these names. Leave out what it did not report.';
  return faultOf(fieldFaults('session.observe', usage, USAGE, remedy));
}

function refuse(faults: readonly Fault[]): void {
  const fault = faultOf(faults);
  if (fault) throw fault;
}

function faultOf(faults: readonly Fault[]): SpillwayError | undefined {
  const [first] = faults;
  return first && new SpillwayError('ARGUMENT_INVALID', { ...first, faults });
}
