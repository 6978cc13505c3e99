import type { LimitSource, ModelLimits } from './limits.js';

/** Tokens kept for the answer where nobody says otherwise: enough for a long file and its reasoning. */
const DEFAULT_OUTPUT_RESERVE = 32_000;

/** A default reserve takes no more of a window than this; of an 8k model it would take all. An explicit one may. */
const MAX_DEFAULT_SHARE = 0.25;

export interface BudgetRequest {
  /** Of every model that will read the view, the agent's own first: the tightest decides. */
  readonly limits: ModelLimits | readonly ModelLimits[];
  /** Tokens kept free. `output` caps what a model may answer, and stands alone where its own limit is unknown. */
  readonly reserve?: {
    readonly output?: number;
    /** Where `output` is from, for the derivation; a setting where absent. */
    readonly why?: string;
    /** Tokens that this one request lets the model answer: beside an input limit the window has to hold them too. */
    readonly asked?: number;
    readonly injection?: number;
  };
  /** The agent's own window, in tokens; beats what is known of its model. 0: no limit. */
  readonly userWindow?: number;
  /** Most bytes of a request; 0: no limit. */
  readonly bytes?: number;
  /** Most images of a request; 0: no limit. */
  readonly images?: number;
  /** Caps as fractions of the budget. */
  readonly caps?: { readonly toolResults?: number };
  /** Fraction of what is left that is not used, against estimates that are too low. Default 0. */
  readonly safetyMargin?: number;
}

/** What one request may hold, all of it: messages, tool definitions, pending injections. */
export interface Budget {
  /** Tokens; `Infinity` where there is no limit, at least 1. */
  readonly tokens: number;
  readonly bytes?: number;
  readonly images?: number;
  /** Caps in tokens. */
  readonly caps: { readonly toolResults?: number };
  /** Window of the model that decides, in tokens. */
  readonly window: number;
  /** `inputLimit ?? window - output reserve`: what the provider takes. More is an overflow; less is our own caution. */
  readonly usable: number;
  /** Each thing that was taken off, in tokens; nothing else was. `tokens = usable - injection - safety`. */
  readonly reserve: { readonly output: number; readonly injection: number; readonly safety: number };
  /** Which number came from where, a line for each, subtractions included. */
  readonly derivation: readonly string[];
  /** False where the window is a guess. */
  readonly authoritative: boolean;
}

/** To be handed to code that may write to it. Field by field: made for every proposal, `structuredClone` takes 70 times as long. */
export function copyOfBudget(budget: Budget): Budget {
  const { caps, reserve, derivation } = budget;
  return { ...budget, caps: { ...caps }, reserve: { ...reserve }, derivation: [...derivation] };
}

/** Derives the budget that holds for every model in `limits`. */
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

/** What one model takes: its input limit, or its window less the room for its answer. */
function roomOf(limits: ModelLimits, request: BudgetRequest, isAgents: boolean): Room {
  const own =
    isAgents && request.userWindow !== undefined ? withUserWindow(limits, request.userWindow) : limits;
  const { model, contextWindow: window, inputLimit, authoritative, sources } = own;
  const asked = Math.min(request.reserve?.asked ?? 0, own.outputLimit ?? Infinity);
  const lines = [`${model}: window ${show(window)} ${origin(sources.contextWindow ?? own.source)}`];
  // No window, stated on purpose, is no limit at all; only one that a refusal has proven stands against that.
  const isUnlimited = !Number.isFinite(window) && sources.inputLimit !== 'learned';
  if (inputLimit !== undefined && !isUnlimited) {
    lines.push(
      `input limit ${show(inputLimit)} ${origin(sources.inputLimit)}; no output reserve is taken from it`,
    );
    const usable = Math.min(inputLimit, window - asked);
    if (usable < inputLimit)
      lines.push(`- ${show(inputLimit - usable)}: the window has to hold ${show(asked)} of answer as well`);
    return { model, window, usable, output: 0, authoritative, derivation: lines };
  }
  if (!Number.isFinite(window))
    return { model, window, usable: Infinity, output: 0, authoritative, derivation: lines };
  const [wanted, reason] = outputReserve(own, request.reserve);
  // A reserve as large as the window would leave nothing to be sent.
  const share = Math.floor(window * MAX_DEFAULT_SHARE);
  const [output, why] =
    wanted < window
      ? [wanted, reason]
      : asked > share
        ? [asked, 'what this request lets the model answer']
        : [share, `${percent(MAX_DEFAULT_SHARE)} of the window`];
  lines.push(output > 0 ? `- ${show(output)} output reserve: ${why}` : `no output reserve: ${why}`);
  return { model, window, usable: window - output, output, authoritative, derivation: lines };
}

/** The smaller of the model's output limit and the cap; the cap where no limit is known. */
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

/** The agent's window in place of the model's; only a limit that a refusal proved still lowers it. */
function withUserWindow(limits: ModelLimits, userWindow: number): ModelLimits {
  const { inputLimit, ...rest } = limits;
  const proven = limits.sources.contextWindow === 'learned' ? limits.contextWindow : Infinity;
  const wanted = userWindow === 0 ? Infinity : userWindow;
  const source: LimitSource = proven < wanted ? 'learned' : 'user';
  const { inputLimit: inputSource, ...sources } = limits.sources;
  // Of the model's usual window: with a larger one than that it need not hold.
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
  default: '(default; nobody knows this model)',
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
