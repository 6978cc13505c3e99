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

export function budgetFor(settings: Settings, limits: ModelLimits, counter: TokenCounter, asked = 0): Budget {
  const isExact = counter.exact && counter.name === limits.exactTokenizer;
  const { reserve, window, caps } = settings;
  const isLearned = limits.sources.contextWindow === 'learned';
  const deciding = windowOf(settings, limits);
  const [kept, why] = outputFor(settings, deciding, isLearned);
  // Nothing kept back on purpose: the stated figure is the input's alone.
  const wanted = reserve.output === 0 ? 0 : Math.min(asked, Math.floor(deciding * LARGEST_ASKED_SHARE));
  const isLarger = wanted > Math.min(kept, limits.outputLimit ?? Infinity);
  const budget = deriveBudget({
    limits,
    reserve: {
      ...(isLarger
        ? { output: wanted, why: 'what this request lets the model answer' }
        : { output: kept, why }),
      ...(isLarger && { asked: wanted }),
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
