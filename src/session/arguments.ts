import { AGENT_PATH_WORDS, isAgentPath } from '../config/index.js';
import {
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
import type { FollowOptions } from './client/client-side.js';
import type { PrepareOptions } from './requests.js';
import type { SessionMapOptions } from './session-map.js';
import type { SessionOptions } from './session-options.js';

const SUMMARY_LINES = either(listOf(TEXT), FUNCTION);
const STORE_FAILURE = oneOf('open', 'closed');

const SESSION = {
  id: TEXT,
  agentPath: { is: isAgentPath, words: AGENT_PATH_WORDS },
  format: either(TEXT, OBJECT),
  model: TEXT,
  tools: listOf(ANYTHING),
  keep: listOf(FUNCTION),
  onStoreFailure: STORE_FAILURE,
  summaryLines: SUMMARY_LINES,
  instructions: FUNCTION,
} satisfies Record<keyof SessionOptions, Kind>;

/** An `AbortSignal` of any realm. */
export const ABORTABLE = having({ addEventListener: FUNCTION });

const PREPARE = {
  signal: ABORTABLE,
  model: TEXT,
  inject: listOf(
    having({ hook: TEXT, content: { is: (value) => typeof value === 'string', words: 'a text' } }),
  ),
  maxOutputTokens: COUNT,
} satisfies Record<keyof PrepareOptions, Kind>;

const FOLLOW = { commands: BOOLEAN } satisfies Record<keyof FollowOptions, Kind>;

const COUNT_OR_NONE = either(COUNT, NULL);
const USAGE = {
  inputTokens: COUNT_OR_NONE,
  cacheReadTokens: COUNT_OR_NONE,
  cacheWriteTokens: COUNT_OR_NONE,
  outputTokens: COUNT_OR_NONE,
} satisfies Record<keyof Usage, Kind>;

/** Throws `ARGUMENT_INVALID` naming every fault. */
export function checkSessionOptions(options: SessionOptions): void {
  refuse(fieldFaults('spillway.session', options, SESSION, 'Name options of a session, each of its kind.'));
}

/** Throws `ARGUMENT_INVALID` naming every fault. */
export function checkMapOptions(options: SessionOptions & SessionMapOptions): void {
  const kinds = { ...SESSION, most: WHOLE } satisfies Record<
    keyof (SessionOptions & SessionMapOptions),
    Kind
  >;
  refuse(fieldFaults('spillway.sessionMap', options, kinds, 'Name options of a session, and `most`.'));
}

/** Throws `ARGUMENT_INVALID` where something else was given to end waits by. */
export function checkSignal(signal: unknown): void {
  refuse(
    fieldFaults('session.overflowed', { signal }, { signal: ABORTABLE }, 'Pass an AbortSignal, or none.'),
  );
}

/** Throws `ARGUMENT_INVALID`. Runs before every call: nothing is built where nothing is wrong. */
export function checkPrepareOptions(options: PrepareOptions): void {
  refuse(fieldFaults('session.prepare', options, PREPARE, 'Name options of a request, each of its kind.'));
}

/** Throws `ARGUMENT_INVALID`. */
export function checkFollowOptions(options: FollowOptions): void {
  refuse(fieldFaults('session.follow', options, FOLLOW, 'Name options of following, each of its kind.'));
}

/** `ARGUMENT_INVALID` where figures are none: a wrong one would set the scale of every reading after it. */
export function usageFault(usage: Usage): SpillwayError | undefined {
  const known = usage && typeof usage === 'object' && !Array.isArray(usage) ? onlyKnown(usage) : usage;
  const remedy = 'Pass what the provider reported, in tokens; what it did not report is left out.';
  return faultOf(fieldFaults('session.observe', known, USAGE, remedy));
}

/** Throws `ARGUMENT_INVALID` where no function was given. */
export function checkSend(send: unknown): void {
  if (FUNCTION.is(send)) return;
  const remedy = 'Pass the function that sends the request, and returns the answer.';
  refuse([{ subject: 'what session.call is given', found: send, allowed: FUNCTION.words, remedy }]);
}

/** Reports may have more in them, such as totals. */
function onlyKnown(usage: object): object {
  return Object.fromEntries(Object.entries(usage).filter(([name]) => Object.hasOwn(USAGE, name)));
}

/** Throws `ARGUMENT_INVALID` naming every fault of what a method was called with. */
export function refuse(faults: readonly Fault[]): void {
  const fault = faultOf(faults);
  if (fault) throw fault;
}

function faultOf(faults: readonly Fault[]): SpillwayError | undefined {
  const [first] = faults;
  return first && new SpillwayError('ARGUMENT_INVALID', { ...first, faults });
}
