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
  /** Number of rewrites of the view: shows whether the calibration belongs to this view. */
  readonly generation?: number;
  /** The model's tokens per base token, from its limits. Default 1. */
  readonly ratio?: number;
}

/** The limit of a budget that is nearest to its end. */
export type Binding = 'tokens' | 'bytes' | 'images' | 'toolResults';

/** How full the next request would be. */
export interface Reading {
  /** The whole request, in the model's tokens. */
  readonly tokens: number;
  readonly bytes: number;
  readonly images: number;
  /** The largest of the three shares: 1 is full; 0 if there is no limit. */
  readonly pressure: number;
  readonly byTokens: number;
  readonly byBytes?: number | undefined;
  readonly byImages?: number | undefined;
  /** Share of the tool results' own cap. Not part of `pressure`: it requires fewer tool results, not a summary. */
  readonly byToolResults?: number | undefined;
  /** The deciding limit. `toolResults` if their cap is exceeded and no other limit is nearer to its end. */
  readonly binding: Binding;
  readonly basis: Basis;
  /** The model's tokens per base token, calibrated: converts any base figure to this reading's scale. */
  readonly scale: number;
  /** The derivation of `tokens` and `pressure`, one line each, then the budget's own lines. */
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

/** Most readings are used for their figures only, so the derivation is written on demand. */
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

/** Whether a finished request exceeded the provider's limit: input, cached input and output together. */
export function overflowed(usage: Usage, budget: Budget): boolean {
  return inputOf(usage) + (usage.outputTokens ?? 0) > budget.usable;
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}
