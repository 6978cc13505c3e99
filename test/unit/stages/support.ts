import { DigestIndex } from '../../../src/text/digest/index.js';
import { ReferenceIndex } from '../../../src/text/facts/index.js';
import { openaiChat } from '../../../src/formats/openai-chat/index.js';
import { buildView, createGuard, type ViewSource } from '../../../src/pipeline/index.js';
import { measureEdit } from '../../../src/pipeline/measure.js';
import type { CompactionStage, StageGoal, TranscriptView } from '../../../src/spi/index.js';
import { createMeasure } from '../../../src/tokens/measure.js';
import { Log, LogReader, Projection, atOnce, madeIn } from '../../../src/transcript/index.js';
import type { Edit, Hold, LogMessage, Message } from '../../../src/transcript/index.js';

/** A token is a word or a mark: easy to check by eye, and blind to nothing a stage writes. */
export const count = (text: string): number => text.match(/\w+|[^\w\s]/g)?.length ?? 0;
export const measure = createMeasure({ name: 'words', exact: false, count });

export type GoalInput = Partial<Omit<StageGoal, 'options' | 'budget'>> & { readonly budget?: number };

/** A log, what is shown of it, and everything a stage and the guard need to work on it. */
export class Bench {
  readonly log = new Log();
  readonly references = new ReferenceIndex(this.log);
  readonly projection: Projection;
  readonly #source: ViewSource;
  readonly #isPinned: (message: LogMessage) => boolean;

  constructor(messages: readonly Message[], holds: readonly Hold[] = []) {
    for (const message of messages) this.log.append(message, measure(message));
    const digests = new DigestIndex(this.log);
    new LogReader(this.log, this.references, digests).catchUp();
    this.#isPinned = (message) =>
      message.role === 'system' ||
      this.log.exchangeOf(message.seq).seqs.some((seq) => this.log.at(seq).pinned) ||
      message === this.log.firstUser;
    this.projection = new Projection(this.log, this.#isPinned);
    for (const message of messages) this.projection.append(this.log.find(message.id)!);
    const isPinned = this.#isPinned;
    const { log, references } = this;
    this.#source = { log, references, holds, isPinned, isPinnedByName: isPinned, digests };
  }

  static ofChat(chat: readonly unknown[]): Bench {
    return new Bench(openaiChat.parse(chat).messages);
  }

  get view(): TranscriptView {
    return buildView(this.#source, this.projection);
  }

  get tokens(): number {
    return this.projection.size.tokens;
  }

  /** What the provider would be sent. */
  get chat(): readonly unknown[] {
    return openaiChat.serialise(this.projection.view).messages;
  }

  plan<Options>(
    stage: CompactionStage<Options>,
    options: unknown = {},
    input: GoalInput = {},
  ): readonly Edit[] {
    return atOnce(madeIn(stage.plan(this.view, goalOf(stage, options, input)))).edits;
  }

  /** Judges edits as the pipeline does, applies those that pass, and returns the faults of the others. */
  apply(edits: readonly Edit[], stage: string): string[] {
    const guard = createGuard(this.view, this.log);
    const faults: string[] = [];
    const accepted = edits.flatMap((edit) => {
      const misplaced = guard.judgePlace(edit);
      const planned = misplaced ? undefined : measureEdit(edit, stage, this.log, measure);
      const fault = misplaced ?? guard.judgeGain(planned!);
      if (fault) faults.push(fault.message);
      return fault ? [] : [planned!];
    });
    this.projection.apply(accepted);
    return faults;
  }
}

export function goalOf<Options>(
  stage: CompactionStage<Options>,
  options: unknown,
  { budget = 1_000, ...input }: GoalInput,
): StageGoal<Options> {
  return {
    reclaim: 1_000_000,
    reclaimResults: 0,
    budget: { tokens: budget },
    summaryTokens: Math.floor(budget * 0.15),
    state: undefined,
    now: 0,
    count,
    ...input,
    options: stage.options.parse(options),
  } as StageGoal<Options>;
}
