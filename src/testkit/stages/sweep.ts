import { isLoose } from '../wire/loose.js';
import { StageBench, type Wanted } from '../bench.js';
import { frozen, isError, isWrite } from '../frozen.js';
import { historyOf } from '../histories/index.js';
import type { EditRule } from '../../transcript/index.js';
import type { CompactionStage, Proposal } from '../../spi/index.js';

/** A stage as it is judged. */
export interface StageSubject {
  readonly stage: CompactionStage;
  /** Options to try beside the defaults, as an operator would write them. */
  readonly options?: readonly unknown[];
}

/** Something that was seen while a stage worked through the histories. */
export interface Sighting {
  readonly kind: 'threw' | 'wrote' | 'no-proposal' | 'refused' | 'again' | 'differs' | 'state';
  /** Of a refused edit: what it breaks. */
  readonly breaks?: EditRule | undefined;
  /** What, and for which seed, so that it can be looked at again. */
  readonly what: string;
}

/** What a stage did in all histories together. */
export interface Sweep {
  readonly sightings: readonly Sighting[];
  /** Edits that it proposed. */
  readonly edits: number;
  /** Plans that came with a state to carry. */
  readonly states: number;
}

interface Seen {
  readonly sightings: Sighting[];
  edits: number;
  states: number;
}

/** Enough histories that every trait meets most others; some ten milliseconds each. */
const SEEDS = 32;

const WANTED: readonly Wanted[] = [
  { reclaim: 1_000_000, budget: 1_000 },
  { reclaim: 400, budget: 8_000 },
  { reclaim: 50, reclaimResults: 80, budget: 200 },
  { reclaim: 0, budget: 1_000 },
];

/** By the subject: every rule reads the same sweep. */
const sweeps = new WeakMap<StageSubject, Sweep>();

/** Lets a stage plan over many histories, for many goals, with all its options, and notes what goes wrong. */
export function sweepOf(subject: StageSubject): Sweep {
  const known = sweeps.get(subject);
  if (known) return known;
  const seen: Seen = { sightings: [], edits: 0, states: 0 };
  const tries = [{}, ...(subject.options ?? [])];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const wanted = WANTED[Math.floor(seed / tries.length) % WANTED.length]!;
    planOnce(subject, tries[seed % tries.length], seed, wanted, seen);
  }
  for (const options of tries) tryEdges(subject, options, seen);
  sweeps.set(subject, seen);
  return seen;
}

/** Most times that a stage is asked to take more: each step has to come nearer to its end. */
const MOST_ESCALATIONS = 100;

/** A session in which nothing was said yet, and a request that does not fit after all stages. */
function tryEdges({ stage }: StageSubject, options: unknown, { sightings }: Seen): void {
  const tried = (where: string, act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      const what = `${where}: ${isError(error) ? error.message : String(error)}`;
      sightings.push({ kind: isWrite(error) ? 'wrote' : 'threw', what });
      return undefined;
    }
  };
  for (const reclaim of [0, 1_000])
    tried('empty history', () => new StageBench([]).answer(stage, options, { reclaim }));
  if (!stage.harder) return;
  let current: unknown = tried('options', () => stage.options.parse(options));
  for (let i = 0; i < MOST_ESCALATIONS && current !== undefined; i++) {
    const from = frozen(current);
    current = tried('harder', () => stage.harder!(from));
  }
  if (current !== undefined)
    sightings.push({ kind: 'threw', what: `harder: goes on after ${MOST_ESCALATIONS} times` });
}

function planOnce({ stage }: StageSubject, options: unknown, seed: number, wanted: Wanted, seen: Seen): void {
  const see = (kind: Sighting['kind'], what: string, breaks?: EditRule) =>
    void seen.sightings.push({ kind, what: `history ${seed}: ${what}`, breaks });
  const messages = frozen(historyOf({ seed, length: 5 + ((seed * 7) % 40) }));
  const ask = (bench: StageBench, goal: Wanted): unknown => {
    try {
      return bench.answer(stage, options, frozen(goal));
    } catch (error) {
      see(isWrite(error) ? 'wrote' : 'threw', isError(error) ? error.message : String(error));
      return undefined;
    }
  };
  const bench = new StageBench(messages);
  const { tokens } = bench;
  const answer = ask(bench, wanted);
  if (answer === undefined) return;
  const read = proposalIn(answer);
  if (typeof read === 'string') return see('no-proposal', read);

  seen.edits += read.edits.length;
  if (read.state !== undefined) seen.states++;

  // A stage that has met another session in between must not remember it.
  ask(new StageBench(frozen(historyOf({ seed: seed + 1_000, length: 12 }))), wanted);
  const again = proposalIn(ask(new StageBench(messages), wanted));
  if (JSON.stringify(again) !== JSON.stringify(read))
    see('differs', 'the same view and goal gave other edits');
  const state = JSON.stringify(read.state);
  if (
    read.state !== undefined &&
    (state === undefined || JSON.stringify(JSON.parse(state)) !== state || !isPlain(read.state))
  )
    see('state', `state is ${String(read.state)}, which is not plain JSON`);

  for (const { message, breaks } of bench.apply(read.edits, stage.name)) see('refused', message, breaks);
  const freed = tokens - bench.tokens;
  const left = {
    ...wanted,
    reclaim: (wanted.reclaim ?? 0) - freed,
    reclaimResults: 0,
    state: read.state,
  };
  const second = proposalIn(ask(bench, left));
  if (typeof second !== 'string' && second.edits.length > 0)
    see('again', `${second.edits.length} more edits right behind its own`);
}

/** Whether a value survives being written as JSON and read again. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value)) return value.every(isPlain);
  if (prototype !== Object.prototype && prototype !== null) return false;
  return Object.values(value).every((one) => one === undefined || isPlain(one));
}

/** What a stage answered as a proposal, or in words why it is none. Looks at the shape alone. */
export function proposalIn(answer: unknown): Proposal | string {
  if (!isLoose(answer)) return `plan returned ${answer === null ? 'null' : typeof answer}`;
  if (typeof answer.then === 'function') return 'plan returned a promise; it must be synchronous';
  if (!Array.isArray(answer.edits)) return 'the answer has no list of edits';
  for (const edit of answer.edits as unknown[]) {
    const fault = faultOf(edit);
    if (fault !== undefined) return fault;
  }
  return answer as unknown as Proposal;
}

function faultOf(edit: unknown): string | undefined {
  if (!isLoose(edit)) return 'an edit is no object';
  if (typeof edit.reason !== 'string' || edit.reason === '') return 'an edit gives no reason';
  if (edit.kind === 'replace') {
    if (typeof edit.messageId !== 'string' || !Number.isInteger(edit.partIndex))
      return 'a replace names no part';
    return Array.isArray(edit.content) && edit.content.every(isLoose)
      ? undefined
      : 'a replace has no list of parts';
  }
  if (edit.kind !== 'supersede') return `an edit is of kind ${String(edit.kind)}`;
  if (typeof edit.fromId !== 'string' || typeof edit.toId !== 'string') return 'a supersede names no span';
  const { replacement } = edit;
  const whole =
    Array.isArray(replacement) && replacement.every((one) => isLoose(one) && Array.isArray(one.parts));
  return whole ? undefined : 'a supersede has no list of messages';
}
