import type { PlannedEdit } from './edit.js';
import { firstAtLeast } from './first-at-least.js';
import type { ReadonlyLog } from './log.js';
import { addSizes, NO_SIZE, subtractSizes, type LogMessage, type Size } from './message.js';
import { pinWhole, type IsPinned } from './pins.js';
import { replacePart } from './replace.js';
import { atOnce, type Steps } from './steps.js';
import type { EditMark, ViewMessage } from './view.js';

type PlannedReplace = Extract<PlannedEdit, { kind: 'replace' }>;
type PlannedSupersede = Extract<PlannedEdit, { kind: 'supersede' }>;

/**
 * The messages that would be sent: the log with a list of edits applied, kept up to date as either grows. Appending
 * costs the message; an edit costs the messages that it touches. `renderAll` below defines the result.
 */
export class Projection {
  readonly #log: ReadonlyLog;
  readonly #isPinned: IsPinned;
  #view: ViewMessage[];
  #size: Size;
  #resultTokens: number;
  #changedFrom = 0;

  constructor(log: ReadonlyLog, isPinned: IsPinned, from?: Projection) {
    this.#log = log;
    this.#isPinned = from ? from.#isPinned : pinWhole(log, isPinned);
    this.#view = from ? from.#view.slice() : [];
    this.#size = from ? from.#size : NO_SIZE;
    this.#resultTokens = from ? from.#resultTokens : 0;
    this.#changedFrom = from ? from.#changedFrom : 0;
  }

  /** A copy that can be edited without changing this projection; shares every message. */
  fork(): Projection {
    return new Projection(this.#log, this.#isPinned, this);
  }

  /** In order of the log; a replacement has the place of its span. Valid until the next change. */
  get view(): readonly ViewMessage[] {
    return this.#view;
  }

  get size(): Size {
    return this.#size;
  }

  /** Tokens of tool results in view: the tier that a cap may limit. */
  get resultTokens(): number {
    return this.#resultTokens;
  }

  /** Index of the first view message that changed since the last call of `settle`. */
  get changedFrom(): number {
    return this.#changedFrom;
  }

  /** Marks the current view as written: `changedFrom` counts from its end. */
  settle(): void {
    this.#changedFrom = this.#view.length;
  }

  /** Tokens of the view before an index; walks whichever side is shorter. */
  tokensBefore(index: number): number {
    const sum = (from: number, to: number): number => {
      let tokens = 0;
      for (let i = from; i < to; i++) tokens += this.#view[i]!.size.tokens;
      return tokens;
    };
    const isNearEnd = index > this.#view.length / 2;
    return isNearEnd ? this.#size.tokens - sum(index, this.#view.length) : sum(0, index);
  }

  /** Appends a message of the log to the view, unchanged. */
  append(source: LogMessage): void {
    const shown = { message: source, size: source.size, from: source.seq, to: source.seq, source };
    atOnce(this.#insert(this.#view.length, 0, [shown]));
  }

  /** Applies edits in order; they must have passed the guard. */
  apply(edits: readonly PlannedEdit[]): void {
    for (const edit of edits) atOnce(this.applying(edit));
  }

  /** The same for one edit, in steps, because it may remove most of the view. Do not read the projection meanwhile. */
  *applying(edit: PlannedEdit): Steps<void> {
    if (edit.kind === 'replace') this.#replace(edit);
    else yield* this.#supersede(edit);
  }

  /** Index in the view of the message at a log position; undefined if the message is superseded. */
  indexOf(seq: number): number | undefined {
    // A replacement has the position of its first replaced message and comes before a pin at the same position.
    for (let i = this.#lowerBound(seq); i < this.#view.length; i++) {
      const shown = this.#view[i]!;
      if (shown.from !== seq) return undefined;
      if (shown.source) return i;
    }
    return undefined;
  }

  #replace(edit: PlannedReplace): void {
    const source = this.#log.find(edit.messageId);
    const index = source && this.indexOf(source.seq);
    if (!source || index === undefined) return; // shadowed by a supersede
    atOnce(this.#insert(index, 1, [replacePart(this.#view[index]!, source, edit)]));
  }

  *#supersede(edit: PlannedSupersede): Steps<void> {
    const from = this.#log.find(edit.fromId)!.seq;
    const to = this.#log.find(edit.toId)!.seq;
    const made: EditMark = { stage: edit.stage, reason: edit.reason };
    const replacement = edit.replacement.map((message, i): ViewMessage => ({
      message,
      size: edit.sizes[i]!,
      from,
      to,
      made,
    }));
    // A span of a single pin removes that pin.
    const pin = from === to && this.#isPinned(this.#log.at(from)) ? this.indexOf(from) : undefined;
    if (pin !== undefined) return yield* this.#insert(pin, 1, replacement);
    const start = this.#lowerBound(from);
    let end = start;
    const holes: ViewMessage[] = [];
    for (; end < this.#view.length && this.#view[end]!.from <= to; end++) {
      yield;
      const shown = this.#view[end]!;
      if (shown.source && this.#isPinned(shown.source)) holes.push(shown);
    }
    yield* this.#insert(start, end - start, [...replacement, ...holes]);
  }

  *#insert(index: number, removed: number, added: readonly ViewMessage[]): Steps<void> {
    const removedMessages = this.#view.splice(index, removed, ...added);
    for (const shown of removedMessages) {
      yield;
      this.#size = subtractSizes(this.#size, shown.size);
      this.#resultTokens -= resultTokens(shown);
    }
    for (const shown of added) {
      // Frozen, because stages receive these objects.
      Object.freeze(shown);
      this.#size = addSizes(this.#size, shown.size);
      this.#resultTokens += resultTokens(shown);
    }
    if (index < this.#changedFrom) this.#changedFrom = index;
  }

  /** First view index whose span begins at or after `seq`. */
  #lowerBound(seq: number): number {
    return firstAtLeast(this.#view, seq, ({ from }) => from);
  }
}

/** The definition that the incremental projection must always match: the whole log, then every live edit. */
export function renderAll(log: ReadonlyLog, edits: readonly PlannedEdit[], isPinned: IsPinned): Projection {
  const projection = new Projection(log, isPinned);
  for (let seq = 0; seq < log.length; seq++) projection.append(log.at(seq));
  projection.apply(edits);
  return projection;
}

function resultTokens(shown: ViewMessage): number {
  let tokens = 0;
  shown.message.parts.forEach((part, i) => {
    if (part.type === 'tool-result') tokens += shown.size.parts[i]?.tokens ?? 0;
  });
  return tokens;
}
