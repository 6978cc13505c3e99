import { injectable } from 'inversify';
import {
  isSettled,
  oneLine,
  outcomeOf,
  resultsOf,
  textOf,
  type CompactionStage,
  type Proposal,
  type StageGoal,
  type TranscriptView,
} from 'spillway/spi';
import { z } from 'zod';
import { replaced } from './replaced.js';

const Options = z.strictObject({
  minTokens: z.number().int().min(30).default(150).describe('Smaller results stay.'),
});
type Options = z.infer<typeof Options>;

/** Replaces `micro`: one line for each large result, in the words of Acme's own run books. */
@injectable()
export class AcmeLines implements CompactionStage<Options> {
  readonly name = 'acme-lines';
  readonly summary = 'Puts one line in the place of each large result.';
  readonly options = Options;

  plan(view: TranscriptView, { reclaim, options, count }: StageGoal<Options>): Proposal {
    const edits = [];
    let left = reclaim;
    for (const result of resultsOf(view)) {
      if (left <= 0) break;
      const { original, tool = 'tool', tokens, handle } = result;
      if (tokens < options.minTokens || isSettled(result) || result.mark) continue;
      const outcome = oneLine(outcomeOf(textOf(original), original.isError), 80);
      const line = `(${tool} answered ${tokens} tokens: ${outcome}; read it again by ${handle})`;
      const made = replaced(result, line, `${tool} in a line`, count);
      edits.push(...made.edits);
      left -= made.saved;
    }
    return { edits };
  }
}
