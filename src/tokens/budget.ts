import type { LimitSource, ModelLimits } from './limits.js';

/** Default tokens reserved for the answer: enough for a long file and its reasoning. */
const DEFAULT_OUTPUT_RESERVE = 32_000;

/** Largest share of a window for a default reserve: 32,000 would fill an 8k window. An explicit one may be larger. */
const MAX_DEFAULT_SHARE = 0.25;

export interface BudgetRequest {
  /** The limits of every model that will read the view, the agent's own first: the tightest decides. */
  readonly limits: ModelLimits | readonly ModelLimits[];
  /** Tokens kept free. `output` limits a model's answer, and is the reserve if the model's own limit is unknown. */
  readonly reserve?: {
    readonly output?: number;
    /** Source of `output`, for the derivation; a setting if absent. */
    readonly why?: string;
    /** Answer tokens that this request asks for: next to an input limit, the window has to hold them too. */
    readonly answer?: number;
    readonly injection?: number;
  };
  /** The agent's own window, in tokens; overrides the model's known window. 0: no limit. */
  readonly userWindow?: number;
  /** Most bytes of a request; 0: no limit. */
  readonly bytes?: number;
  /** Most images of a request; 0: no limit. */
  readonly images?: number;
  /** Caps as fractions of the budget. */
  readonly caps?: { readonly toolResults?: number };
  /** Fraction of the rest that stays unused, because estimates may be too low. Default 0. */
  readonly safetyMargin?: number;
}

/** The limits of one whole request: messages, tool definitions, pending injections. */
export interface Budget {
  /** Tokens; `Infinity` if there is no limit, at least 1. */
  readonly tokens: number;
  readonly bytes?: number;
  readonly images?: number;
  /** Caps in tokens. */
  readonly caps: { readonly toolResults?: number };
  /** Window of the deciding model, in tokens. */
  readonly window: number;
  /** `inputLimit ?? window - output reserve`: the provider's limit. More is an overflow; less is our own caution. */
  readonly usable: number;
  /** All subtractions, in tokens. `tokens = usable - injection - safety`. */
  readonly reserve: { readonly output: number; readonly injection: number; readonly safety: number };
  /** The source of each number, one line each, including subtractions. */
  readonly derivation: readonly string[];
  /** False if the window is a guess. */
  readonly authoritative: boolean;
}

/** A copy for code that may change it. One is made per proposal, and `structuredClone` takes 70 times as long. */
export function copyOfBudget(budget: Budget): Budget {
  const { caps, reserve, derivation } = budget;
  return { ...budget, caps: { ...caps }, reserve: { ...reserve }, derivation: [...derivation] };
}

/** Derives the budget that is valid for every model in `limits`. */
export function deriveBudget(request: BudgetRequest): Budget {
  const all: readonly ModelLimits[] = [request.limits].flat();
  const rooms = all.map((limits, index) => roomOf(limits, request, index === 0));
  const room = rooms.reduce((tightest, other) => (other.usable < tightest.usable ? other : tightest));
  const { usable, window } = room;
  const derivation = [...room.derivation];
  for (const other of rooms)
    if (other !== room) derivation.push(`${other.model} would take more: ${show(other.usable)}`);

  const injection = Number.isFinite(usable) ? (request.reserve?.injection ?? 0) : 0;
  if (injection > 0) derivation.push(`- ${show(injection)} reserved for injections`);
  const safety = Number.isFinite(usable) ? Math.ceil((usable - injection) * (request.safetyMargin ?? 0)) : 0;
  if (safety > 0) derivation.push(`- ${show(safety)} safety margin (${percent(request.safetyMargin ?? 0)})`);
  const left = usable - injection - safety;
  const tokens = Math.max(1, left);
  derivation.push(
    left < 1 ? `= nothing is left (${show(left)}): the reserves are too large` : `= budget ${show(tokens)}`,
  );

  const share = request.caps?.toolResults;
  const toolResults =
    share === undefined || !Number.isFinite(tokens) ? undefined : Math.floor(tokens * share);
  if (toolResults !== undefined)
    derivation.push(`tool results capped at ${show(toolResults)} (${percent(share!)} of the budget)`);
  if (request.bytes) derivation.push(`at most ${grouped(request.bytes)} bytes a request (setting)`);
  if (request.images) derivation.push(`at most ${request.images} images a request (setting)`);
  return {
    tokens,
    ...(request.bytes ? { bytes: request.bytes } : {}),
    ...(request.images ? { images: request.images } : {}),
    caps: toolResults === undefined ? {} : { toolResults },
    window,
    usable,
    reserve: { output: room.output, injection, safety },
    derivation,
    authoritative: room.authoritative,
  };
}

interface Room {
  readonly model: string;
  readonly window: number;
  readonly usable: number;
  readonly output: number;
  readonly authoritative: boolean;
  readonly derivation: readonly string[];
}

/** The limits of one model: its input limit, or its window minus the room for its answer. */
function roomOf(limits: ModelLimits, request: BudgetRequest, isAgentsOwn: boolean): Room {
  const own =
    isAgentsOwn && request.userWindow !== undefined ? withUserWindow(limits, request.userWindow) : limits;
  const { model, contextWindow: window, inputLimit, authoritative, sources } = own;
  const answer = Math.min(request.reserve?.answer ?? 0, own.outputLimit ?? Infinity);
  const lines = [`${model}: window ${show(window)} ${origin(sources.contextWindow ?? own.source)}`];
  // A window that was set to unlimited on purpose has no limit, except one that a refusal has proven.
  const isUnlimited = !Number.isFinite(window) && sources.inputLimit !== 'learned';
  if (inputLimit !== undefined && !isUnlimited) {
    lines.push(
      `input limit ${show(inputLimit)} ${origin(sources.inputLimit)}; no output reserve is taken from it`,
    );
    const usable = Math.min(inputLimit, window - answer);
    if (usable < inputLimit)
      lines.push(`- ${show(inputLimit - usable)}: the window has to hold ${show(answer)} of answer as well`);
    return { model, window, usable, output: 0, authoritative, derivation: lines };
  }
  if (!Number.isFinite(window))
    return { model, window, usable: Infinity, output: 0, authoritative, derivation: lines };
  const [wanted, reason] = outputReserve(own, request.reserve);
  // A reserve as large as the window would leave no room for a request.
  const share = Math.floor(window * MAX_DEFAULT_SHARE);
  const [output, why] =
    wanted < window
      ? [wanted, reason]
      : answer > share
        ? [answer, 'what this request lets the model answer']
        : [share, `${percent(MAX_DEFAULT_SHARE)} of the window`];
  lines.push(output > 0 ? `- ${show(output)} output reserve: ${why}` : `no output reserve: ${why}`);
  return { model, window, usable: window - output, output, authoritative, derivation: lines };
}

/** The smaller of the model's output limit and the cap; the cap if no limit is known. */
function outputReserve(
  { outputLimit, contextWindow, sources }: ModelLimits,
  { output: cap, why = 'setting' }: NonNullable<BudgetRequest['reserve']> = {},
): [number, string] {
  const share = Math.floor(contextWindow * MAX_DEFAULT_SHARE);
  const limit = cap ?? Math.min(DEFAULT_OUTPUT_RESERVE, share);
  if (outputLimit !== undefined && outputLimit <= limit)
    return [outputLimit, `output limit ${origin(sources.outputLimit)}`];
  if (cap !== undefined) return [cap, why];
  return [limit, limit === share ? `${percent(MAX_DEFAULT_SHARE)} of the window (default)` : 'default'];
}

/** The agent's window instead of the model's; only a limit that a refusal has proven still lowers it. */
function withUserWindow(limits: ModelLimits, userWindow: number): ModelLimits {
  const { inputLimit, ...rest } = limits;
  const proven = limits.sources.contextWindow === 'learned' ? limits.contextWindow : Infinity;
  const wanted = userWindow === 0 ? Infinity : userWindow;
  const source: LimitSource = proven < wanted ? 'learned' : 'user';
  const { inputLimit: inputSource, ...sources } = limits.sources;
  // The input limit belongs to the model's usual window; with a larger window it need not apply.
  const isUsual = inputSource === 'learned' || wanted <= limits.contextWindow;
  const keepsInput = inputLimit !== undefined && isUsual && inputLimit < wanted;
  return {
    ...rest,
    contextWindow: Math.min(wanted, proven),
    ...(keepsInput ? { inputLimit } : {}),
    source: keepsInput ? inputSource! : source,
    sources: { ...sources, contextWindow: source, ...(keepsInput ? { inputLimit: inputSource } : {}) },
    authoritative: true,
  };
}

const ORIGINS: Readonly<Record<LimitSource, string>> = {
  user: '(setting)',
  learned: '(learned from a refused request)',
  provider: '(reported by the provider)',
  catalogue: '(catalogue)',
  default: '(default; this model is not known)',
};

const origin = (source: LimitSource = 'default'): string => ORIGINS[source];

/** 1234567 as 1,234,567. `toLocaleString` would load locales: 30 ms at start. */
export function grouped(figure: number): string {
  return String(Math.round(figure)).replace(/\B(?=(\d{3})+$)/g, ',');
}

function show(tokens: number): string {
  return Number.isFinite(tokens) ? `${grouped(tokens)} tokens` : 'no limit';
}

function percent(fraction: number): string {
  return `${Math.round(fraction * 1_000) / 10} %`;
}
