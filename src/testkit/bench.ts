import { DigestIndex } from '../text/digest/index.js';
import { ReferenceIndex } from '../text/facts/index.js';
import { buildView, createGuard, measureEdit, type ViewSource } from '../pipeline/index.js';
import type { CompactionStage, StageGoal, TranscriptView } from '../spi/index.js';
import { createMeasure } from '../tokens/index.js';
import { frozen } from './frozen.js';
import {
  Log,
  LogReader,
  Projection,
  atOnce,
  madeIn,
  type Edit,
  type EditFault,
  type LogMessage,
  type Message,
  type ViewMessage,
} from '../transcript/index.js';

/** A token is a mark, or a word of at most this many characters: easy to check by eye, and counts all text. */
const count = (text: string): number => text.match(/\w{1,16}|[^\w\s]/g)?.length ?? 0;
const measure = createMeasure({ name: 'words', exact: false, count });

/** The goal of a stage; the bench fills in the rest. */
export type Goal = Partial<Omit<StageGoal, 'options' | 'budget'>> & { readonly budget?: number };

/** A log, its view, and the pipeline's treatment of a stage's edits: everything except the choice of stages. */
export class StageBench {
  readonly log = new Log();
  readonly #projection: Projection;
  readonly #source: ViewSource;

  constructor(messages: readonly Message[]) {
    for (const message of messages) this.log.append(message, measure(message));
    const references = new ReferenceIndex(this.log);
    const digests = new DigestIndex(this.log);
    new LogReader(this.log, references, digests).catchUp();
    const isPinned = (message: LogMessage): boolean =>
      message.role === 'system' ||
      this.log.exchangeOf(message.seq).seqs.some((seq) => this.log.at(seq).pinned) ||
      message === this.log.firstUser;
    this.#projection = new Projection(this.log, isPinned);
    for (const message of messages) this.#projection.append(this.log.find(message.id)!);
    this.#source = { log: this.log, references, holds: [], isPinned, isPinnedByName: isPinned, digests };
  }

  get view(): TranscriptView {
    return buildView(this.#source, this.#projection);
  }

  /** The view that would be serialised. */
  get shown(): readonly ViewMessage[] {
    return this.#projection.view;
  }

  get tokens(): number {
    return this.#projection.size.tokens;
  }

  /** Exactly what the stage returns, of any type. */
  runStage<Options>(stage: CompactionStage<Options>, options: unknown, wanted: Goal): unknown {
    return atOnce(madeIn(stage.plan(this.view, frozen(goalOf(stage, options, wanted)))));
  }

  /** Judges edits as the pipeline does and applies those that pass; returns the faults of the others. */
  apply(edits: readonly Edit[], stage: string): EditFault[] {
    const guard = createGuard(this.view, this.log);
    const faults: EditFault[] = [];
    const accepted = edits.flatMap((edit) => {
      const misplaced = guard.judgePlace(edit);
      const planned = misplaced ? undefined : measureEdit(edit, stage, this.log, measure);
      const fault = misplaced ?? guard.judgeGain(planned!);
      if (fault) faults.push(fault);
      return fault ? [] : [planned!];
    });
    this.#projection.apply(accepted);
    return faults;
  }
}

function goalOf<Options>(
  stage: CompactionStage<Options>,
  options: unknown,
  { budget = 1_000, ...wanted }: Goal,
): StageGoal<Options> {
  return {
    reclaim: 1_000_000,
    reclaimResults: 0,
    reclaimBytes: 0,
    reclaimImages: 0,
    budget: { tokens: budget } as StageGoal['budget'],
    summaryTokens: Math.floor(budget * 0.15),
    state: undefined,
    now: 0,
    count,
    ...wanted,
    options: stage.options.parse(options),
  };
}
