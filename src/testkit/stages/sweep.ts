import { z } from 'zod/v4';
import { StageBench, type Goal } from '../bench.js';
import { frozen, isError, isFrozenWrite } from '../frozen.js';
import { historyOf } from '../histories/index.js';
import type { EditRule } from '../../transcript/index.js';
import type { CompactionStage, Proposal } from '../../spi/index.js';

/** A stage to be judged. */
export interface StageSubject {
  readonly stage: CompactionStage;
  /** Options to try in addition to the defaults, as an operator would write them. */
  readonly options?: readonly unknown[];
}

/** An observation while a stage worked through the histories. */
export interface Sighting {
  readonly kind: 'threw' | 'wrote' | 'no-proposal' | 'refused' | 'again' | 'differs' | 'state';
  /** The rule that a refused edit breaks. */
  readonly breaks?: EditRule | undefined;
  /** The observation with its seed, so that it can be repeated. */
  readonly what: string;
}

/** The results of a stage in all histories together. */
export interface Sweep {
  readonly sightings: readonly Sighting[];
  /** The number of edits that it proposed. */
  readonly edits: number;
  /** The number of plans that returned a state. */
  readonly states: number;
}

interface Tally {
  readonly sightings: Sighting[];
  edits: number;
  states: number;
}

/** Enough histories to combine every trait with most others; each takes some ten milliseconds. */
const SEEDS = 32;

const GOALS: readonly Goal[] = [
  { reclaim: 1_000_000, budget: 1_000 },
  { reclaim: 400, budget: 8_000 },
  { reclaim: 50, reclaimResults: 80, budget: 200 },
  { reclaim: 0, budget: 1_000 },
];

/** Sweeps by subject, because every rule reads the same sweep. */
const sweeps = new WeakMap<StageSubject, Sweep>();

/** Lets a stage plan over many histories, for many goals, with all its options, and notes its faults. */
export function sweepOf(subject: StageSubject): Sweep {
  const known = sweeps.get(subject);
  if (known) return known;
  const seen: Tally = { sightings: [], edits: 0, states: 0 };
  const tries = [{}, ...(subject.options ?? [])];
  for (let seed = 1; seed <= SEEDS; seed++) {
    const wanted = GOALS[Math.floor(seed / tries.length) % GOALS.length]!;
    planOnce(subject, tries[seed % tries.length], seed, wanted, seen);
  }
  for (const options of tries) tryEdges(subject, options, seen);
  sweeps.set(subject, seen);
  return seen;
}

/** The most times that a stage is asked to take more: each step has to come nearer to its end. */
const MAX_ESCALATIONS = 100;

/** Tries an empty session, and a request that does not fit after all stages. */
function tryEdges({ stage }: StageSubject, options: unknown, { sightings }: Tally): void {
  const tried = (where: string, act: () => unknown): unknown => {
    try {
      return act();
    } catch (error) {
      const what = `${where}: ${isError(error) ? error.message : String(error)}`;
      sightings.push({ kind: isFrozenWrite(error) ? 'wrote' : 'threw', what });
      return undefined;
    }
  };
  for (const reclaim of [0, 1_000])
    tried('empty history', () => new StageBench([]).runStage(stage, options, { reclaim }));
  if (!stage.harder) return;
  let current: unknown = tried('options', () => stage.options.parse(options));
  for (let i = 0; i < MAX_ESCALATIONS && current !== undefined; i++) {
    const from = frozen(current);
    current = tried('harder', () => stage.harder!(from));
  }
  if (current !== undefined)
    sightings.push({ kind: 'threw', what: `harder: goes on after ${MAX_ESCALATIONS} times` });
}

function planOnce({ stage }: StageSubject, options: unknown, seed: number, wanted: Goal, seen: Tally): void {
  const record = (kind: Sighting['kind'], what: string, breaks?: EditRule) =>
    void seen.sightings.push({ kind, what: `history ${seed}: ${what}`, breaks });
  const messages = frozen(historyOf({ seed, length: 5 + ((seed * 7) % 40) }));
  const ask = (bench: StageBench, goal: Goal): unknown => {
    try {
      return bench.runStage(stage, options, frozen(goal));
    } catch (error) {
      record(isFrozenWrite(error) ? 'wrote' : 'threw', isError(error) ? error.message : String(error));
      return undefined;
    }
  };
  const bench = new StageBench(messages);
  const { tokens } = bench;
  const answer = ask(bench, wanted);
  if (answer === undefined) return;
  const read = proposalIn(answer);
  if (typeof read === 'string') return record('no-proposal', read);

  seen.edits += read.edits.length;
  if (read.state !== undefined) seen.states++;

  // A stage that has worked on another session in between must not remember it.
  ask(new StageBench(frozen(historyOf({ seed: seed + 1_000, length: 12 }))), wanted);
  const again = proposalIn(ask(new StageBench(messages), wanted));
  if (JSON.stringify(again) !== JSON.stringify(read))
    record('differs', 'the same view and goal gave other edits');
  if (!z.json().optional().safeParse(read.state).success)
    record('state', `state is ${String(read.state)}, which is not plain JSON`);

  for (const { message, breaks } of bench.apply(read.edits, stage.name)) record('refused', message, breaks);
  const freed = tokens - bench.tokens;
  const remainingGoal = {
    ...wanted,
    reclaim: (wanted.reclaim ?? 0) - freed,
    reclaimResults: 0,
    state: read.state,
  };
  const second = proposalIn(ask(bench, remainingGoal));
  if (typeof second !== 'string' && second.edits.length > 0)
    record('again', `${second.edits.length} more edits right behind its own`);
}

const reason = z.string().min(1);
const parts = z.array(z.looseObject({}));
const PROPOSAL = z
  .looseObject({
    edits: z.array(
      z.discriminatedUnion('kind', [
        z.object({
          kind: z.literal('replace'),
          reason,
          messageId: z.string(),
          partIndex: z.int(),
          content: parts,
        }),
        z.object({
          kind: z.literal('supersede'),
          reason,
          fromId: z.string(),
          toId: z.string(),
          replacement: z.array(z.looseObject({ parts: z.array(z.unknown()) })),
        }),
      ]),
    ),
  })
  .refine(({ then }) => typeof then !== 'function', 'plan returned a promise; it must be synchronous');

/** A stage's answer as a proposal, the very object, or the reason why it is none. Checks only the shape. */
export function proposalIn(answer: unknown): Proposal | string {
  const { error } = PROPOSAL.safeParse(answer);
  return error ? z.prettifyError(error) : (answer as Proposal);
}
