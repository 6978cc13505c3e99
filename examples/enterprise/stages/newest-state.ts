import { inject, injectable } from 'inversify';
import {
  isSettled,
  isToolCall,
  resultsOf,
  stubFor,
  type CompactionStage,
  type Proposal,
  type ResultPart,
  type StageGoal,
  type TranscriptView,
} from 'spillway/spi';
import { z } from 'zod';
import { ACME, type ToolClasses } from '../services.js';
import { replaced } from './replaced.js';

const Options = z.strictObject({});
type Options = z.infer<typeof Options>;

/** Keeps only the newest answer about each subject (the same call, word for word) of tools that report a state. */
@injectable()
export class NewestState implements CompactionStage<Options> {
  readonly name = 'newest-state';
  readonly summary = 'Leaves of what was asked again only the newest answer.';
  readonly options = Options;
  readonly #classes: ToolClasses;

  constructor(@inject(ACME.ToolClasses) classes: ToolClasses) {
    this.#classes = classes;
  }

  plan(view: TranscriptView, { reclaim, count }: StageGoal<Options>): Proposal {
    const newest = new Map<string, ResultPart>();
    const states = resultsOf(view).filter(({ tool = '' }) => this.#classes.states.includes(tool));
    for (const result of states) newest.set(subjectOf(result), result);
    const edits = [];
    let left = reclaim;
    for (const result of states) {
      if (left <= 0) break;
      if (newest.get(subjectOf(result)) === result || isSettled(result)) continue;
      const { tool, tokens, handle } = result;
      const stub = stubFor({ tool, tokens, handle, status: 'asked again' });
      const made = replaced(result, stub, `${tool} was asked again`, count);
      edits.push(...made.edits);
      left -= made.saved;
    }
    return { edits };
  }
}

function subjectOf({ original, exchange, tool }: ResultPart): string {
  const calls = exchange.messages.flatMap(({ message }) => message.parts.filter(isToolCall));
  return `${tool} ${calls.find(({ callId }) => callId === original.callId)?.arguments}`;
}
