import { inject, injectable } from 'inversify';
import {
  isSettled,
  resultsOf,
  stubFor,
  type CompactionStage,
  type Proposal,
  type StageGoal,
  type TranscriptView,
} from 'spillway/spi';
import { z } from 'zod';
import { ACME, type ToolClasses } from '../services.js';
import { replaced } from './replaced.js';

const Options = z.strictObject({
  turns: z.number().int().min(1).default(1).describe('Turns for which a restricted answer may stand.'),
});
type Options = z.infer<typeof Options>;

/** Removes answers of restricted tools once their turn is over, even if little has to be freed. */
@injectable()
export class ForgetRestricted implements CompactionStage<Options> {
  readonly name = 'forget-restricted';
  readonly summary = 'Takes answers of restricted tools out once their turn is over.';
  readonly options = Options;
  readonly #classes: ToolClasses;

  constructor(@inject(ACME.ToolClasses) classes: ToolClasses) {
    this.#classes = classes;
  }

  plan(view: TranscriptView, { options, count }: StageGoal<Options>): Proposal {
    const edits = resultsOf(view).flatMap((result) => {
      const { tool, exchange, tokens, handle } = result;
      if (tool === undefined || !this.#classes.restricted.includes(tool)) return [];
      if (exchange.turnsAgo < options.turns || isSettled(result)) return [];
      const stub = stubFor({ tool, tokens, handle, status: 'restricted' });
      return replaced(result, stub, `${tool} is restricted to its own turn`, count).edits;
    });
    return { edits };
  }
}
