import type { Observable } from 'rxjs';
import { PressureStream, type Emit, type PressureEvent } from '../pressure/index.js';
import type { BreakerState } from '../summarizers/index.js';
import { overflowed, type Reading, type Usage } from '../tokens/index.js';
import {
  renderAll,
  type CompactionRecord,
  type Hold,
  type Ledger,
  type Message,
  type Projection,
  type ReadonlyLog,
  type Trigger,
} from '../transcript/index.js';
import type { Costs } from './costs.js';
import { explainView, type Disposition } from './explain.js';
import type { Prepared, RunReport } from './prepared.js';
import { respondNow, respondToPressure, type Response } from './respond.js';
import { createState, takeIn, type AgentState, type SessionParts } from './state.js';

/** One agent path's log, what is sent of it, and what was compacted. The boundary an agent talks to. */
export class Session {
  readonly id: string;
  readonly agentPath: string;
  readonly #parts: SessionParts;
  readonly #state: AgentState;
  readonly #stream = new PressureStream<Reading, RunReport>();
  /** What the newest request was read as, and of which rewrite of the view; usage is reported for it. */
  #sent: { readonly reading: Reading; readonly generation: number } | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.agentPath = parts.agentPath;
    this.#state = createState(parts);
  }

  get log(): ReadonlyLog {
    return this.#state.log;
  }

  get ledger(): Pick<Ledger, 'records' | 'holds' | 'head' | 'liveEdits'> {
    return this.#state.ledger;
  }

  /** Compactions so far, newest last. Prunes are not among them. */
  get history(): readonly CompactionRecord[] {
    return this.#state.ledger.records.filter((record) => record.kind === 'compaction');
  }

  /** Readings, firings, short-circuits, no-ops, failures: hot, and for listening only. */
  get events(): Observable<PressureEvent<Reading>> {
    return this.#stream.events;
  }

  get reading(): Reading {
    return this.#parts.gauge.read(this.#state.projection);
  }

  /** What would be sent now, message by message. Valid until the session changes. */
  get view(): Projection['view'] {
    return this.#state.projection.view;
  }

  /** What the agent's own calls cost as they were observed, and what its compaction did. */
  get costs(): Costs {
    return this.#parts.costs.totals;
  }

  /** State of the breaker around each summarizer's endpoint; empty before the first call. */
  get breakers(): Readonly<Record<string, BreakerState>> {
    return this.#parts.filler?.breakers ?? {};
  }

  /** What became of every message of the log, by whom and why. */
  explain(): Disposition[] {
    const { log, projection, isPinned } = this.#state;
    return explainView(log, projection.view, isPinned);
  }

  /**
   * Adds messages to the log; each is measured once, here. While a compaction waits for text they are taken in right
   * after it, in order. Throws `MESSAGE_ID_TAKEN`.
   */
  append(...messages: readonly Message[]): void {
    for (const message of messages) takeIn(message, this.#state, this.#parts);
  }

  /**
   * The request for the next call: compacts first where pressure says so. Rejects with `BUDGET_UNREACHABLE` where what
   * may not be removed does not fit; log and ledger are as before then. Aborting the signal stops the waiting for text:
   * the compaction goes on with what there is.
   */
  async prepare({ signal }: { readonly signal?: AbortSignal } = {}): Promise<Prepared> {
    const run = await this.#respond((emit) => respondToPressure(this.#state, this.#parts, emit, signal));
    if (run.error) throw run.error;
    const { projection } = this.#state;
    const reading = this.reading;
    const from = projection.changedFrom;
    const unchangedPrefixTokens = projection.tokensBefore(from);
    const { messages, beside = {}, notices } = this.#parts.writer.write(projection.view, from);
    projection.settle();
    this.#sent = { reading, generation: this.#parts.gauge.generation };
    return { messages, beside, notices, view: projection.view, reading, run, unchangedPrefixTokens };
  }

  /** Compacts now, whatever the gates say, down to `target` (a pressure; the policy's own where absent). */
  compact(options: { readonly target?: number; readonly signal?: AbortSignal } = {}): Promise<RunReport> {
    const target = options.target ?? this.#parts.policy.target;
    const trigger: Trigger = { kind: 'manual', detail: `asked for pressure ${target}` };
    return this.#respond((emit) =>
      respondNow(this.#state, this.#parts, emit, trigger, { target, forced: true, signal: options.signal }),
    );
  }

  /**
   * What the provider reported for the newest request: calibrates the scale that readings are on. Where it was more
   * than the model takes, the next `prepare` compacts whatever the reading says. Nothing happens where the view was
   * rewritten since: what was reported is of a request that would no longer be sent.
   */
  observe(usage: Usage): void {
    const { gauge, costs } = this.#parts;
    costs.addPrimary(usage);
    if (this.#sent?.generation !== gauge.generation) return;
    const { reading } = this.#sent;
    gauge.observe(usage, reading);
    if (overflowed(usage, reading.budget)) this.#state.overflowed = true;
  }

  /** Takes the newest compaction back; its span is held, so that nothing compacts it again until released. */
  undo(): CompactionRecord | undefined {
    const state = this.#state;
    const undone = state.ledger.undo((record) => spanOf(record, state.log));
    if (!undone) return undefined;
    state.projection = renderAll(state.log, state.ledger.liveEdits, state.isPinned);
    this.#parts.gauge.rewritten();
    return undone;
  }

  async #respond(respond: (emit: Emit<Reading>) => Response): Promise<RunReport> {
    const settled = await this.#stream.submit(respond);
    if (!settled.ok) throw settled.error;
    return settled.outcome;
  }
}

function spanOf({ plan }: CompactionRecord, log: ReadonlyLog): Hold {
  const ids = plan.edits.flatMap((edit) =>
    edit.kind === 'replace' ? [edit.messageId] : [edit.fromId, edit.toId],
  );
  const seqs = ids.map((id) => log.find(id)!.seq);
  return { from: Math.min(...seqs), to: Math.max(...seqs) };
}
