import type { Settings } from '../config/index.js';
import type { TokenCounter } from '../spi/index.js';
import {
  deriveBudget,
  type Budget,
  type Catalogue,
  type LearnedLimits,
  type ModelLimits,
} from '../tokens/index.js';

/* The budget of a session: from settings, from what is known of its model, and from what refusals have proven of it. */

/** Without a model nobody has a ratio of their own: tokens are those of the counter. */
export function limitsFor(
  model: string | null,
  catalogue: Catalogue,
  counter: TokenCounter,
  learned: LearnedLimits,
): ModelLimits {
  const limits = catalogue.lookup(model ?? 'unnamed model', undefined, learned);
  if (model !== null) return limits;
  const exactTokenizer =
    counter.name === 'o200k_base' || counter.name === 'cl100k_base' ? counter.name : undefined;
  return { ...limits, tokenRatio: 1, ...(exactTokenizer && { exactTokenizer }) };
}

/** Ratios of the catalogue are to o200k_base; a counter that is the model's own needs none. */
export function ratioFor(limits: ModelLimits, counter: TokenCounter): number {
  return counter.exact && counter.name === limits.exactTokenizer ? 1 : limits.tokenRatio;
}

/** Room for the answer that nobody stated in the settings. Tokens. */
export interface Answer {
  /** What the request asks for, or what is reserved where it asks for none. */
  readonly tokens?: number;
  /** A refusal said so. */
  readonly isLearned?: boolean;
  /** Beside more than this, what may never be removed would not fit. */
  readonly most?: number;
}

export function budgetFor(
  settings: Settings,
  known: ModelLimits,
  counter: TokenCounter,
  { tokens: asked = 0, isLearned: isProven = false, most = Infinity }: Answer = {},
): Budget {
  const { reserve, window, caps } = settings;
  const isLearned = known.sources.contextWindow === 'learned';
  // Nothing kept back on purpose: the stated figure is the input's alone. What a refusal has proven is not.
  const isInputAlone = reserve.output === 0 && (isLearned || !isProven);
  const limits = isInputAlone
    ? besideAnswer(known, Math.min(asked, most))
    : isProven
      ? withReserved(known, asked)
      : known;
  const isExact = counter.exact && counter.name === limits.exactTokenizer;
  const deciding = windowOf(settings, limits);
  const [kept, why] = outputFor(settings, deciding, isLearned);
  const wanted = isInputAlone ? 0 : Math.min(asked, Math.floor(deciding * LARGEST_ASKED_SHARE));
  const isLarger = wanted > Math.min(kept, limits.outputLimit ?? Infinity);
  const [output, from] = isLarger
    ? [
        wanted,
        isProven ? 'what is reserved unasked, as a refusal said' : 'what this request lets the model answer',
      ]
    : [kept, why];
  const budget = deriveBudget({
    limits,
    reserve: {
      ...(most < output
        ? { output: most, why: 'what is left beside what may never be removed' }
        : { output, why: from }),
      asked: Math.min(most, wanted),
      injection: reserve.injection,
    },
    ...(window !== null && { userWindow: window }),
    ...(settings.limits.bytes !== null && { bytes: settings.limits.bytes }),
    ...(settings.limits.images !== null && { images: settings.limits.images }),
    ...(caps.toolResults !== null && { caps: { toolResults: caps.toolResults } }),
    safetyMargin: isExact ? 0 : settings.safetyMargin,
  });
  return forAbsoluteTrigger(budget, settings.trigger.maxTokens);
}

/** A trigger in tokens needs something to be a share of, where there is no limit: so many times itself. */
const ROOM_WITHOUT_LIMIT = 4;

function forAbsoluteTrigger(budget: Budget, maxTokens: number): Budget {
  if (Number.isFinite(budget.tokens) || maxTokens === 0) return budget;
  const tokens = ROOM_WITHOUT_LIMIT * maxTokens;
  const line = `no limit: pressure is read against ${tokens} tokens, for the trigger at ${maxTokens}`;
  return { ...budget, tokens, derivation: [...budget.derivation, line] };
}

/** What is left of the reserve that somebody stated where a refusal has proven a smaller window than they knew of. */
const LARGEST_OF_LEARNED = 0.5;
/** A request may ask for more than the window: then the provider decides, and something is left to be sent. */
const LARGEST_ASKED_SHARE = 0.75;

/** What the provider reserved is no more than it takes for an answer, whatever the sheets say. */
const withReserved = (known: ModelLimits, reserved: number): ModelLimits => ({
  ...known,
  outputLimit: Math.max(known.outputLimit ?? reserved, reserved),
});

/** The input that a window takes which a refusal has proven, beside an answer of so many tokens: it holds both. */
function besideAnswer(known: ModelLimits, answer: number): ModelLimits {
  const { contextWindow, outputLimit = Infinity, sources } = known;
  if (sources.contextWindow !== 'learned') return known;
  const output = Math.min(answer, outputLimit, Math.floor(contextWindow * LARGEST_ASKED_SHARE));
  const inputLimit = contextWindow - output;
  if (output === 0 || (known.inputLimit ?? Infinity) <= inputLimit) return known;
  return { ...known, inputLimit, sources: { ...sources, inputLimit: 'learned' } };
}

/** Most tokens kept for the answer, and why so many. */
function outputFor(
  { reserve, outputCap }: Settings,
  window: number,
  isLearned: boolean,
): readonly [tokens: number, why: string] {
  const share = (of: number): number => (Number.isFinite(window) ? Math.floor(window * of) : Infinity);
  const most = isLearned ? share(LARGEST_OF_LEARNED) : Infinity;
  if (reserve.output !== null)
    return reserve.output > most
      ? [most, `${percent(LARGEST_OF_LEARNED)} of the learned window`]
      : [reserve.output, 'setting'];
  const largest = share(reserve.share);
  return largest < outputCap
    ? [largest, `${percent(reserve.share)} of the window`]
    : [outputCap, 'outputCap'];
}

const percent = (share: number): string => `${100 * share} %`;

/** The window that decides: the stated one, unless a refusal has proven a smaller one. 0 on purpose is none. */
function windowOf({ window }: Settings, limits: ModelLimits): number {
  const stated = window === null ? Infinity : window || Infinity;
  const proven = limits.sources.contextWindow === 'learned' ? limits.contextWindow : Infinity;
  return window === null ? limits.contextWindow : Math.min(stated, proven);
}
