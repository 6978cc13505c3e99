import type { Observable } from 'rxjs';
import type { SpillwayError } from '../errors/index.js';
import { ReferenceIndex } from '../facts/index.js';
import {
  planRun,
  runIsDue,
  spentAfter,
  type Policy,
  type RunOutcome,
  type Spent,
  type ViewSource,
} from '../pipeline/index.js';
import { PressureStream, type Emit, type PressureEvent } from '../pressure/index.js';
import type { MeasureMessage, RequestWriter } from '../spi/index.js';
import type { Reading, Usage } from '../tokens/index.js';
import {
  Ledger,
  Log,
  Projection,
  renderAll,
  type CompactionRecord,
  type LogMessage,
  type Message,
  type ReadonlyLog,
  type Trigger,
} from '../transcript/index.js';
import { explainView, type Disposition } from './explain.js';
import type { Gauge } from './gauge.js';
import { pinPredicate, type PinRules } from './pins.js';
import type { Prepared, RunReport } from './prepared.js';

/** Everything a session needs and does not make itself. */
export interface SessionParts {
  readonly id: string;
  /** Which agent of the session, e.g. `primary` or `primary/reviewer`. */
  readonly agentPath: string;
  readonly policy: Policy;
  readonly pins: PinRules;
  /** Compact when pressure says so; off: only when asked. */
  readonly auto: boolean;
  readonly measure: MeasureMessage;
  readonly count: (text: string) => number;
  readonly gauge: Gauge;
  readonly writer: RequestWriter;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Monotonic milliseconds. */
  readonly timer: () => number;
}

/** One agent path's log, what is sent of it, and what was compacted. The boundary an agent talks to. */
export class Session {
  readonly id: string;
  readonly agentPath: string;
  readonly #parts: SessionParts;
  readonly #log = new Log();
  readonly #ledger = new Ledger();
  readonly #stream = new PressureStream<Reading, RunReport>();
  readonly #isPinned: (message: LogMessage) => boolean;
  readonly #references: ReferenceIndex;
  #projection: Projection;
  #spent: Spent | undefined;
  #appendedTokens = 0;
  #states: ReadonlyMap<string, unknown> = new Map();
  #sent: Reading | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.id = parts.id;
    this.agentPath = parts.agentPath;
    this.#isPinned = pinPredicate(parts.pins, this.#log);
    this.#references = new ReferenceIndex(this.#log);
    this.#projection = new Projection(this.#log, this.#isPinned);
  }

  get log(): ReadonlyLog {
    return this.#log;
  }

  get ledger(): Pick<Ledger, 'records' | 'holds' | 'head' | 'liveEdits'> {
    return this.#ledger;
  }

  /** Compactions so far, newest last. Prunes are not among them. */
  get history(): readonly CompactionRecord[] {
    return this.#ledger.records.filter((record) => record.kind === 'compaction');
  }

  /** Readings, firings, short-circuits, no-ops, failures: hot, and for listening only. */
  get events(): Observable<PressureEvent<Reading>> {
    return this.#stream.events;
  }

  get reading(): Reading {
    return this.#parts.gauge.read(this.#projection);
  }

  /** What would be sent now, message by message. Valid until the session changes. */
  get view(): Projection['view'] {
    return this.#projection.view;
  }

  /** What became of every message of the log, by whom and why. */
  explain(): Disposition[] {
    return explainView(this.#log, this.#projection.view, this.#isPinned);
  }

  /** Adds messages to the log; each is measured once, here. Throws `MESSAGE_ID_TAKEN`. */
  append(...messages: readonly Message[]): void {
    for (const message of messages) {
      const entry = this.#log.append(message, this.#parts.measure(message));
      this.#projection.append(entry);
      this.#appendedTokens += entry.size.tokens;
    }
  }

  /**
   * The request for the next call: compacts first where pressure says so. Rejects with `BUDGET_UNREACHABLE` where what
   * may not be removed does not fit; log and ledger are as before then.
   */
  async prepare(): Promise<Prepared> {
    const run = await this.#respond((emit) => this.#onPressure(emit));
    if (run.error) throw run.error;
    const reading = this.reading;
    const from = this.#projection.changedFrom;
    const unchangedPrefixTokens = this.#tokensBefore(from);
    const { messages, notices } = this.#parts.writer.write(this.#projection.view, from);
    this.#projection.settle();
    this.#sent = reading;
    return { messages, notices, view: this.#projection.view, reading, run, unchangedPrefixTokens };
  }

  /** Compacts now, whatever the gates say, down to `target` (a pressure; the policy's own where absent). */
  compact(options: { readonly target?: number } = {}): Promise<RunReport> {
    const target = options.target ?? this.#parts.policy.target;
    return this.#respond((emit) => {
      const trigger: Trigger = { kind: 'manual', detail: `asked for pressure ${target}` };
      return this.#run(emit, trigger, { ...this.#parts.policy, target }, true);
    });
  }

  /** What the provider reported for the newest request: calibrates the scale that readings are on. */
  observe(usage: Usage): void {
    if (this.#sent) this.#parts.gauge.observe(usage, this.#sent);
  }

  /** Takes the newest compaction back; its span is held, so that nothing compacts it again until released. */
  undo(): CompactionRecord | undefined {
    const undone = this.#ledger.undo((record) => {
      const seqs = record.plan.edits.flatMap((edit) =>
        (edit.kind === 'replace' ? [edit.messageId] : [edit.fromId, edit.toId]).map(
          (id) => this.#log.find(id)!.seq,
        ),
      );
      return { from: Math.min(...seqs), to: Math.max(...seqs) };
    });
    if (undone) this.#projection = renderAll(this.#log, this.#ledger.liveEdits, this.#isPinned);
    return undone;
  }

  async #respond(respond: (emit: Emit<Reading>) => RunReport): Promise<RunReport> {
    const settled = await this.#stream.submit(respond);
    if (!settled.ok) throw settled.error;
    return settled.outcome;
  }

  #onPressure(emit: Emit<Reading>): RunReport {
    const { policy, auto } = this.#parts;
    const reading = this.reading;
    emit({ kind: 'reading', reading });
    const freshTokens = policy.minGain * reading.budget.tokens;
    const due = runIsDue(reading.pressure, policy.stages, this.#spent, this.#appendedTokens, freshTokens);
    const overCap = (reading.byToolResults ?? 0) > 1;
    if (!auto || !(due || overCap)) {
      const belowGate = reading.pressure < (policy.stages[0]?.opensAt ?? Infinity);
      return {
        kind: belowGate ? 'below-gate' : 'waiting',
        reason: belowGate
          ? 'pressure is below the first gate'
          : 'nothing new since the last run came to nothing',
        stages: [],
        durationMs: 0,
      };
    }
    const detail = due
      ? `pressure ${reading.pressure.toFixed(3)}`
      : `tool results at ${(reading.byToolResults ?? 0).toFixed(2)} of their cap`;
    return this.#run(emit, { kind: due ? 'pressure' : 'cap', detail }, policy, false);
  }

  #run(emit: Emit<Reading>, trigger: Trigger, policy: Policy, forced: boolean): RunReport {
    const { gauge, measure, count, clock, timer } = this.#parts;
    const started = timer();
    emit({ kind: 'triggered', reading: this.reading, reason: trigger.detail });
    this.#references.catchUp();
    const source: ViewSource = {
      log: this.#log,
      references: this.#references,
      holds: this.#ledger.holds,
      isPinned: this.#isPinned,
    };
    const outcome = planRun({
      source,
      projection: this.#projection,
      base: this.#ledger.head,
      trigger,
      policy,
      forced,
      read: (projection) => gauge.read(projection),
      fixedTokens: gauge.fixedTokens,
      measure,
      count,
      clock: clock(),
      timer,
      states: this.#states,
    });
    const report = this.#settle(outcome, timer() - started);
    this.#announce(emit, report, policy);
    return report;
  }

  /** Commits what was planned, and remembers what a run that did not help would need to be worth repeating. */
  #settle(outcome: RunOutcome, durationMs: number): RunReport {
    const { policy } = this.#parts;
    if (outcome.kind === 'planned') {
      const { plan, draft, states, stageMs } = outcome;
      const record: CompactionRecord = {
        id: `c${this.#ledger.records.length + 1}`,
        kind: 'compaction',
        status: 'committed',
        plan,
        committedAt: plan.inputs.clock,
        durationMs,
        stageMs,
      };
      this.#ledger.commit(record);
      this.#projection = draft;
      this.#parts.gauge.rewritten();
      this.#states = states;
      this.#spent = spentAfter(outcome.after.pressure, policy.stages, this.#appendedTokens);
      return { kind: 'committed', reason: plan.trigger.detail, stages: plan.stages, record, durationMs };
    }
    this.#spent = spentAfter(this.reading.pressure, policy.stages, this.#appendedTokens);
    if (outcome.kind === 'noop') {
      return { kind: 'noop', reason: outcome.reason, stages: outcome.stages, durationMs };
    }
    const error: SpillwayError = outcome.error;
    return { kind: 'unreachable', reason: error.message, stages: outcome.stages, error, durationMs };
  }

  #announce(emit: Emit<Reading>, report: RunReport, policy: Policy): void {
    for (const { stage, outcome, edits, before, after } of report.stages) {
      emit({ kind: 'firing', stage, outcome, edits, tokensBefore: before.tokens, tokensAfter: after.tokens });
    }
    const opened = new Set(report.stages.map(({ stage }) => stage));
    const skipped = policy.stages.map(({ stage }) => stage).filter((stage) => !opened.has(stage));
    const last = report.stages.at(-1);
    if (last && skipped.length > 0) {
      emit({ kind: 'short-circuit', after: last.stage, pressure: this.reading.pressure, skipped });
    }
    if (report.kind === 'noop') emit({ kind: 'noop', reason: report.reason });
    else if (report.error) emit({ kind: 'failed', error: report.error });
    else if (report.record) {
      const { id, plan } = report.record;
      emit({
        kind: 'completed',
        recordId: id,
        tokensBefore: plan.before.tokens,
        tokensAfter: plan.after.tokens,
      });
    }
  }

  /** Tokens of the view before an index; walks whichever side is shorter. */
  #tokensBefore(index: number): number {
    const { view, size } = this.#projection;
    let tokens = 0;
    if (index > view.length / 2) {
      for (let i = index; i < view.length; i++) tokens += view[i]!.size.tokens;
      return size.tokens - tokens;
    }
    for (let i = 0; i < index; i++) tokens += view[i]!.size.tokens;
    return tokens;
  }
}
