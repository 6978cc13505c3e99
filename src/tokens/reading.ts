import { NO_SIZE, type Size } from '../transcript/index.js';
import type { Budget } from './budget.js';
import { basisOf, inputOf, UNCALIBRATED, type Basis, type Calibration, type Usage } from './calibration.js';

export interface ReadingRequest {
  /** The rendered view, in base tokens (o200k or the heuristic, as counted once at append). */
  readonly view: Size;
  /** Tool definitions, in base tokens. */
  readonly tools?: Size;
  /** Tool results within the view, in base tokens; only for their cap. */
  readonly toolResultTokens?: number;
  readonly budget: Budget;
  readonly calibration?: Calibration;
  /** How often the view has been rewritten: says whether the calibration is of this view. */
  readonly generation?: number;
  /** The model's tokens for one base token, from its limits. Default 1. */
  readonly ratio?: number;
}

/** Which limit of a budget is nearest its end. */
export type Binding = 'tokens' | 'bytes' | 'images' | 'toolResults';

/** How full the next request would be. */
export interface Reading {
  /** The whole request, in the model's tokens. */
  readonly tokens: number;
  readonly bytes: number;
  readonly images: number;
  /** The largest of the three shares: 1 is full; 0 where there is no limit. */
  readonly pressure: number;
  readonly byTokens: number;
  readonly byBytes?: number | undefined;
  readonly byImages?: number | undefined;
  /** Share of the tool results' own cap. No part of `pressure`: it asks for fewer tool results, not for a summary. */
  readonly byToolResults?: number | undefined;
  /** What decides. `toolResults` where their cap is passed and nothing else is nearer its end. */
  readonly binding: Binding;
  readonly basis: Basis;
  /** The model's tokens for one base token, calibrated: turns any other base figure into this reading's scale. */
  readonly scale: number;
  /** How `tokens` and `pressure` were got, a line for each, then the budget's own lines. */
  readonly derivation: readonly string[];
  readonly budget: Budget;
}

/** Reads the pressure of a request. Every token figure in it is on one scale: base tokens × ratio × calibration. */
export function readPressure(request: ReadingRequest): Reading {
  const { view, budget, tools = NO_SIZE, calibration = UNCALIBRATED, ratio = 1 } = request;
  const scale = ratio * calibration.ratio;
  const basis = basisOf(calibration, request.generation ?? calibration.generation);
  const base = view.tokens + tools.tokens;
  const tokens = Math.ceil(base * scale);
  const bytes = view.bytes + tools.bytes;
  const results = (request.toolResultTokens ?? 0) * scale;

  const byTokens = tokens / budget.tokens;
  const byBytes = budget.bytes === undefined ? undefined : bytes / budget.bytes;
  const byImages = budget.images === undefined ? undefined : view.images / budget.images;
  const cap = budget.caps.toolResults;
  const byToolResults = cap === undefined ? undefined : results / Math.max(1, cap);
  const pressure = Math.max(byTokens, byBytes ?? 0, byImages ?? 0);
  const byOthers = byBytes === pressure ? 'bytes' : 'images';
  const fullest = pressure > byTokens ? byOthers : 'tokens';
  const isByResults = byToolResults !== undefined && byToolResults > Math.max(1, pressure);
  const binding = isByResults ? 'toolResults' : fullest;
  const derive = (): readonly string[] => [
    `${view.tokens} view + ${tools.tokens} tools = ${base} base tokens`,
    `× ${round(ratio)} model × ${round(calibration.ratio)} ${basis} = ${tokens} tokens`,
    `pressure ${round(pressure)}, bound by ${binding}`,
    ...budget.derivation,
  ];
  const shares = [byTokens, byBytes, byImages, byToolResults] as const;
  return new Figures(tokens, bytes, view.images, pressure, ...shares, binding, basis, scale, budget, derive);
}

/** Most readings are asked for their figures alone: how they were got is said when it is asked for. */
class Figures implements Reading {
  readonly #derive: () => readonly string[];

  constructor(
    readonly tokens: number,
    readonly bytes: number,
    readonly images: number,
    readonly pressure: number,
    readonly byTokens: number,
    readonly byBytes: number | undefined,
    readonly byImages: number | undefined,
    readonly byToolResults: number | undefined,
    readonly binding: Binding,
    readonly basis: Basis,
    readonly scale: number,
    readonly budget: Budget,
    derive: () => readonly string[],
  ) {
    this.#derive = derive;
  }

  get derivation(): readonly string[] {
    return this.#derive();
  }

  toJSON(): Reading {
    return { ...this, derivation: this.derivation };
  }
}

/** Whether a finished request was over what the provider takes: input, cached input and output together. */
export function overflowed(usage: Usage, budget: Budget): boolean {
  return inputOf(usage) + (usage.outputTokens ?? 0) > budget.usable;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
