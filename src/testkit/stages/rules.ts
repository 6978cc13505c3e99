import { BUILT_IN_STAGES } from '../../stages/index.js';
import { StageBench } from '../bench.js';
import { frozen } from '../frozen.js';
import { Dice, historyOf } from '../histories/index.js';
import { demandLegal } from '../legal.js';
import type { EditRule } from '../../transcript/index.js';
import { RuleBroken, type ContractRule, type Exercise } from '../rule.js';
import { playSession } from '../sessions.js';
import { proposalIn, sweepOf, type Sighting, type StageSubject, type Sweep } from './sweep.js';

/** One rule for a stage, with sessions to try it on. */
export type StageRule = ContractRule<StageSubject>;

/** The rules for a stage. The pipeline refuses every edit that breaks 05 to 12, so that no session is harmed. */
export const STAGE_RULES: readonly StageRule[] = [
  {
    id: 'STAGE-01',
    intent: 'has a name in lower case, a summary sentence, and options that parse from an empty object',
    check: ({ stage }) => {
      if (!/^[a-z][a-z0-9-]*$/.test(String(stage.name)))
        throw new RuleBroken(`the name is ${String(stage.name)}`);
      if (typeof stage.summary !== 'string' || stage.summary.trim() === '')
        throw new RuleBroken('there is no summary');
      if (typeof stage.options?.parse !== 'function') throw new RuleBroken('options is no schema');
      stage.options.parse({});
    },
  },
  sightingRule('STAGE-02', 'never throws, for any history and any goal', 'threw'),
  sightingRule('STAGE-03', 'returns a list of edits synchronously, each with a reason', 'no-proposal'),
  sightingRule('STAGE-04', 'changes neither view nor goal, which may be frozen', 'wrote'),
  refusalRule('STAGE-05', 'names only messages and parts that are in view', 'in-view'),
  refusalRule('STAGE-06', 'edits nothing that is pinned, held, open or not yet answered', 'protected'),
  refusalRule(
    'STAGE-07',
    'only cuts to size a result that no request has carried yet; otherwise the agent repeats the call',
    'unseen',
  ),
  refusalRule('STAGE-08', 'takes exchanges whole: a call and its results stay together', 'whole'),
  refusalRule(
    'STAGE-09',
    'replaces content only by content of the same kind: arguments stay JSON, and no message gets words that its author did not say',
    'content',
  ),
  refusalRule(
    'STAGE-10',
    'replaces a span only by messages of the assistant, without calls, under new ids',
    'replacement',
  ),
  refusalRule('STAGE-11', 'makes the view smaller with every edit', 'gain'),
  refusalRule('STAGE-12', 'edits nothing twice in one proposal', 'overlap'),
  rule(
    'STAGE-13',
    'proposes the same for the same view and goal, also after it has seen other sessions',
    ({ kind }) => kind === 'differs',
    demandEdits,
  ),
  rule(
    'STAGE-14',
    'proposes nothing more directly after its own edits',
    ({ kind }) => kind === 'again',
    demandEdits,
  ),
  rule(
    'STAGE-15',
    'keeps as state only plain JSON, which survives a restart',
    ({ kind }) => kind === 'state',
    statesIn,
  ),
  {
    id: 'STAGE-16',
    intent:
      'works in any order with the built-in stages: after each stage, calls and results are paired and every request is legal in every format',
    check: (subject) => {
      checkChains(subject);
      demandEdits(sweepOf(subject));
    },
  },
  {
    id: 'STAGE-17',
    intent:
      'lets sessions survive 1, 3, 10 and 34 compactions in a row: the log is whole, requests are legal, and no compaction makes a request grow',
    check: async (subject) => {
      await checkSessions(subject);
      demandEdits(sweepOf(subject));
    },
  },
];

/** Whole sessions with the stage in the roster, in place of the built-in one of its name or in addition to all six. */
async function checkSessions({ stage, options = [] }: StageSubject): Promise<void> {
  const builtIn = BUILT_IN_STAGES.map(({ name }) => name).filter((name) => name !== stage.name);
  for (const [index, times] of [1, 3, 10, 34].entries())
    await playSession({
      seed: 9_000 + times,
      length: 34 + 3 * times,
      times,
      options: {
        stages: builtIn.length === BUILT_IN_STAGES.length ? [stage] : [],
        settings: {
          roster: [{ stage: stage.name, opensAt: 0.7 }, ...builtIn],
          stages: { [stage.name]: options[index % Math.max(1, options.length)] ?? {} },
        },
      },
    });
}

const NO_EDITS =
  'the stage proposed no edit in any history; give options under which it does (`conform.options`)';

function sightingRule(id: string, intent: string, kind: Sighting['kind']): StageRule {
  return rule(id, intent, (one) => one.kind === kind);
}

/** A rule about edits: a stage that proposes none does not pass it. */
function refusalRule(id: string, intent: string, breaks: EditRule): StageRule {
  return rule(id, intent, (one) => one.kind === 'refused' && one.breaks === breaks, demandEdits);
}

function rule(
  id: string,
  intent: string,
  breaks: (sighting: Sighting) => boolean,
  exercise: (sweep: Sweep, subject: StageSubject) => Exercise = () => undefined,
): StageRule {
  return {
    id,
    intent,
    check: (subject) => {
      const sweep = sweepOf(subject);
      const broken = sweep.sightings.filter(breaks);
      if (broken.length > 0) throw new RuleBroken(`${broken.length} times, first: ${broken[0]!.what}`);
      return exercise(sweep, subject);
    },
  };
}

function demandEdits({ edits }: Sweep): void {
  if (edits === 0) throw new RuleBroken(NO_EDITS);
}

function statesIn({ states }: Sweep): Exercise {
  return states > 0 ? undefined : { notExercised: 'the stage returned no state in any history' };
}

const CHAINS = 16;

/** Random orders of the stage and the built-in stages over random histories, checked after each stage. */
function checkChains(subject: StageSubject): void {
  const choices = [subject.stage, ...BUILT_IN_STAGES];
  const tries = [{}, ...(subject.options ?? [])];
  for (let seed = 1; seed <= CHAINS; seed++) {
    const dice = new Dice(seed);
    const bench = new StageBench(frozen(historyOf({ seed: 5_000 + seed, length: dice.whole(8, 40) })));
    const names: string[] = [];
    for (let step = 0; step < 5; step++) {
      const stage = step === 0 ? subject.stage : dice.pick(choices);
      const options = stage === subject.stage ? dice.pick(tries) : {};
      const wanted = { reclaim: dice.pick([100, 1_000, 1_000_000]), budget: dice.pick([300, 1_000, 8_000]) };
      names.push(stage.name);
      const proposal = proposalIn(bench.runStage(stage, options, wanted));
      if (typeof proposal === 'string') throw new RuleBroken(`history ${seed}, ${stage.name}: ${proposal}`);
      const before = bench.tokens;
      bench.apply(proposal.edits, stage.name);
      const where = `history ${5_000 + seed} after ${names.join(', ')}`;
      if (bench.tokens > before)
        throw new RuleBroken(`${where}: the view grew from ${before} to ${bench.tokens}`);
      demandWholePairs(bench, where);
      demandLegal(bench.shown, where);
    }
  }
}

/** No exchange is shown in part: no call loses its results, and no result its call. */
function demandWholePairs(bench: StageBench, where: string): void {
  const shown = new Set(bench.shown.flatMap((message) => message.source?.seq ?? []));
  for (const { seqs } of bench.log.exchanges) {
    const present = seqs.filter((seq) => shown.has(seq)).length;
    if (present > 0 && present < seqs.length)
      throw new RuleBroken(
        `${where}: of the exchange at ${bench.log.at(seqs[0]!).id} ${present} of ${seqs.length} are left`,
      );
  }
}
