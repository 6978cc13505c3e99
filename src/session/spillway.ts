import type { EffectiveConfig } from '../config/index.js';
import { redactFor, type Redact } from '../facts/index.js';
import { withAbsoluteTrigger, type Policy } from '../pipeline/index.js';
import type { CompactionStage, TokenCounter, WireFormat } from '../spi/index.js';
import type { OpenFiller } from '../summarizers/index.js';
import { countTools, createMeasure, memoised, type Catalogue, type PriceOf } from '../tokens/index.js';
import { CostBook } from './costs.js';
import type { LogMessage } from '../transcript/index.js';
import { createGauge } from './gauge.js';
import { Session } from './session.js';

/** The outside world as the engine sees it; replaced in tests and replays. */
export interface Effects {
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
  /** Monotonic milliseconds. */
  readonly timer: () => number;
}

export interface SpillwayParts {
  readonly config: EffectiveConfig;
  readonly policy: Policy;
  readonly stages: readonly CompactionStage[];
  readonly catalogue: Catalogue;
  readonly counter: TokenCounter;
  readonly format: WireFormat;
  readonly effects: Effects;
  readonly priceOf: PriceOf;
  /** Absent where no summarizer is configured. */
  readonly openFiller?: OpenFiller | undefined;
}

export interface SessionOptions {
  readonly id?: string;
  /** Which agent of the session; `primary` where absent. */
  readonly agentPath?: string;
  /** Tool definitions of the requests; counted once. */
  readonly tools?: readonly unknown[];
  /** Messages that are never compacted, beside what the settings pin. A predicate must not change its mind about one. */
  readonly keep?: readonly ((message: LogMessage) => boolean)[];
}

/** A provided stage as operators see it; `opensAt` is absent where the roster leaves it out. */
export interface ListedStage {
  readonly name: string;
  readonly opensAt?: number;
  readonly summary: string;
  readonly options: unknown;
}

/** The engine: one configuration, many sessions. */
export class Spillway {
  readonly config: EffectiveConfig;
  readonly #parts: SpillwayParts;
  readonly #redact: Redact;
  #opened = 0;

  constructor(parts: SpillwayParts) {
    this.#parts = parts;
    this.config = parts.config;
    this.#redact = redactFor(parts.config.settings.redact);
  }

  /** The roster in order, then what is provided and switched off. */
  get stages(): readonly ListedStage[] {
    const { policy, stages, config } = this.#parts;
    const open = policy.stages.map(({ stage, opensAt, plugin, options }) => ({
      name: stage,
      opensAt,
      summary: plugin.summary,
      options,
    }));
    const named = new Set(open.map(({ name }) => name));
    const off = stages.filter(({ name }) => !named.has(name));
    return [...open, ...off.map(({ name, summary }) => ({ name, summary, options: config.stages[name] }))];
  }

  /** Opens a session for one agent path. */
  session(options: SessionOptions = {}): Session {
    const { config, policy, catalogue, counter, format, effects, priceOf, openFiller } = this.#parts;
    const { settings } = config;
    const drafts = memoised(counter);
    const gauge = createGauge({
      settings,
      catalogue,
      counter,
      toolsTokens: countTools(counter, options.tools ?? []),
    });
    const costs = new CostBook(settings.model, priceOf);
    const filler = openFiller?.({
      // Not the memo: whole sources would push the drafts out of it.
      count: (text) => counter.count(text),
      timer: effects.timer,
      stopped: () => costs.stopped(settings.fill),
    });
    return new Session({
      id: options.id ?? `s${++this.#opened}`,
      agentPath: options.agentPath ?? 'primary',
      policy: withAbsoluteTrigger(policy, gauge.budget.tokens),
      pins: { system: settings.pins.system, firstUser: settings.pins.firstUser, also: options.keep ?? [] },
      auto: settings.compaction.auto,
      measure: createMeasure(counter),
      measureDraft: createMeasure(drafts),
      count: drafts.count,
      redact: this.#redact,
      gauge,
      writer: format.createWriter(),
      costs,
      ...(filler && { filler }),
      ...effects,
    });
  }
}
