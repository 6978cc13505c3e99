import { BUILT_IN_STAGES } from '../../stages/index.js';
import { StageBench } from '../bench.js';
import { frozen } from '../frozen.js';
import { Dice, historyOf } from '../histories/index.js';
import { demandLegal } from '../legal.js';
import { RuleBroken } from '../rule.js';
import { proposalIn } from './proposal.js';
import type { StageSubject } from './subject.js';

const CHAINS = 16;

/** Random orders of the stage and the built-in ones over random histories, looked at after each stage. */
export function checkChains(subject: StageSubject): void {
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
      const proposal = proposalIn(bench.answer(stage, options, wanted));
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

/** No exchange is shown in part: a call loses no result that it had, a result not its call. */
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
