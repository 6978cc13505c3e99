import { DigestIndex } from '../../src/text/digest/index.js';
import { ReferenceIndex } from '../../src/text/facts/index.js';
import { buildView, type ViewSource } from '../../src/pipeline/index.js';
import { createGuard } from '../../src/pipeline/guard.js';
import { measureEdit } from '../../src/pipeline/measure.js';
import { readEdit } from '../../src/pipeline/shape.js';
import type { TranscriptView } from '../../src/spi/index.js';
import { createMeasure } from '../../src/tokens/index.js';
import { Log, LogReader, Projection } from '../../src/transcript/index.js';
import type { Hold, LogMessage, Message, PlannedEdit } from '../../src/transcript/index.js';
import { conversation, type Draft } from './messages.js';

/** A token is a word or a mark, which is easy to count by eye. Lone surrogates are marks. */
export const count = (words: string): number => words.match(/\w+|[^\w\s]/g)?.length ?? 0;
export const measure = createMeasure({ name: 'words', exact: false, count });

export interface Rules {
  readonly isPinned?: (message: LogMessage) => boolean;
  readonly holds?: readonly Hold[];
}

/** Pins system messages and marked messages. */
export const usualPins = (message: LogMessage): boolean =>
  message.pinned === true || message.role === 'system';

/** One agent path without a session: a log, its view, and everything that a guard or a run needs. */
export class Bench {
  readonly log = new Log();
  readonly references = new ReferenceIndex(this.log);
  readonly digests = new DigestIndex(this.log);
  readonly #reader = new LogReader(this.log, this.references, this.digests);
  readonly isPinned: (message: LogMessage) => boolean;
  readonly edits: PlannedEdit[] = [];
  holds: readonly Hold[];
  projection: Projection;

  constructor(messages: readonly Message[], rules: Rules = {}) {
    this.isPinned = rules.isPinned ?? usualPins;
    this.holds = rules.holds ?? [];
    this.projection = new Projection(this.log, this.isPinned);
    this.append(...messages);
  }

  static of(...drafts: readonly Draft[]): Bench {
    return new Bench(conversation(...drafts));
  }

  append(...messages: readonly Message[]): void {
    for (const message of messages) this.projection.append(this.log.append(message, measure(message)));
  }

  get source(): ViewSource {
    this.#reader.catchUp();
    const { log, references, holds, isPinned, digests } = this;
    return {
      log,
      references,
      holds,
      isPinned,
      isPinnedByName: ({ role, pinned }) => role !== 'system' || pinned === true,
      digests,
    };
  }

  get view(): TranscriptView {
    return buildView(this.source, this.projection);
  }

  /** The view, one line for each message: `m3`, or the id of a replacement and the span that it replaces. */
  get ids(): string[] {
    return this.projection.view.map(({ message, from, to, source }) =>
      source ? message.id : `${message.id}=${from}..${to}`,
    );
  }

  /** Judges a proposal as the pipeline does. Nothing is applied. */
  judge(edits: readonly unknown[], stage = 'test'): { accepted: PlannedEdit[]; faults: string[] } {
    const guard = createGuard(this.view, this.log);
    const accepted: PlannedEdit[] = [];
    const faults: string[] = [];
    for (const value of edits) {
      const edit = readEdit(value);
      const place = edit ? guard.judgePlace(edit) : { code: 'EDIT_ILLEGAL', message: 'is no edit' };
      const planned = place ? undefined : measureEdit(edit!, stage, this.log, measure);
      const fault = place ?? guard.judgeGain(planned!);
      if (fault) faults.push(fault.message);
      else accepted.push(planned!);
    }
    return { accepted, faults };
  }

  /** Applies the edits that the guard accepts, and returns the faults of the others. */
  apply(...edits: readonly unknown[]): string[] {
    const { accepted, faults } = this.judge(edits);
    this.force(...accepted);
    return faults;
  }

  /** Applies without a guard. */
  force(...edits: readonly PlannedEdit[]): void {
    this.projection.apply(edits);
    this.edits.push(...edits);
  }
}
