import type { Settings } from '../config/index.js';
import type { TokenCounter } from '../spi/index.js';
import {
  deriveBudget,
  type Budget,
  type Catalogue,
  type LearnedLimits,
  type ModelLimits,
} from '../tokens/index.js';

/* The budget of a session: from its settings, the known limits of its model, and the limits that refusals proved. */

/** If no model is named, the ratio is 1: tokens are counted as the counter counts them. */
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

/** Ratios in the catalogue are relative to o200k_base. The model's own tokenizer needs no ratio. */
export function ratioFor(limits: ModelLimits, counter: TokenCounter): number {
  return counter.exact && counter.name === limits.exactTokenizer ? 1 : limits.tokenRatio;
}

/** Room for the answer that the settings do not state, in tokens. */
export interface AnswerRoom {
  /** The output that the request asks for, or that is reserved if the request asks for none. */
  readonly tokens?: number;
  /** A refusal named the figure. */
  readonly isLearned?: boolean;
  /** The most that can be kept for the answer: with more, the floor would not fit. */
  readonly most?: number;
}

export function budgetFor(
  settings: Settings,
  known: ModelLimits,
  counter: TokenCounter,
  { tokens: asked = 0, isLearned: isProven = false, most = Infinity }: AnswerRoom = {},
): Budget {
  const { reserve, window, caps } = settings;
  const isLearned = known.sources.contextWindow === 'learned';
  // A reserve of 0 means that the stated window is for the input alone. A window that a refusal has proven is not.
  const isInputAlone = reserve.output === 0 && (isLearned || !isProven);
  const limits = isInputAlone
    ? withAnswerInWindow(known, Math.min(asked, most))
    : isProven
      ? withReserved(known, asked)
      : known;
  const isExact = counter.exact && counter.name === limits.exactTokenizer;
  const deciding = windowOf(settings, limits);
  const [kept, why] = outputFor(settings, deciding, isLearned);
  const wanted = isInputAlone ? 0 : Math.min(asked, Math.floor(deciding * MAX_REQUESTED_SHARE));
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
        ? { output: most, why: 'what the content that may never be removed leaves free' }
        : { output, why: from }),
      answer: Math.min(most, wanted),
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

/** Without a limit, a trigger in tokens needs a budget to be a share of. The budget is this multiple of the trigger. */
const ROOM_WITHOUT_LIMIT = 4;

function forAbsoluteTrigger(budget: Budget, maxTokens: number): Budget {
  if (Number.isFinite(budget.tokens) || maxTokens === 0) return budget;
  const tokens = ROOM_WITHOUT_LIMIT * maxTokens;
  const line = `no limit: pressure is read against ${tokens} tokens, for the trigger at ${maxTokens}`;
  return { ...budget, tokens, derivation: [...budget.derivation, line] };
}

/** If a refusal has proven a smaller window, the reserve from the settings is at most this share of that window. */
const MAX_SHARE_OF_LEARNED = 0.5;
/** A request may ask for more output than the window. This cap leaves room for input, and the provider decides. */
const MAX_REQUESTED_SHARE = 0.75;

/** The output limit is at least what the provider reserved, even if the catalogue names less. */
const withReserved = (known: ModelLimits, reserved: number): ModelLimits => ({
  ...known,
  outputLimit: Math.max(known.outputLimit ?? reserved, reserved),
});

/** Adds an input limit: a window that a refusal has proven holds both the input and an answer of so many tokens. */
function withAnswerInWindow(known: ModelLimits, answer: number): ModelLimits {
  const { contextWindow, outputLimit = Infinity, sources } = known;
  if (sources.contextWindow !== 'learned') return known;
  const output = Math.min(answer, outputLimit, Math.floor(contextWindow * MAX_REQUESTED_SHARE));
  const inputLimit = contextWindow - output;
  if (output === 0 || (known.inputLimit ?? Infinity) <= inputLimit) return known;
  return { ...known, inputLimit, sources: { ...sources, inputLimit: 'learned' } };
}

/** The most tokens kept for the answer, and the reason for that figure. */
function outputFor(
  { reserve, outputCap }: Settings,
  window: number,
  isLearned: boolean,
): readonly [tokens: number, why: string] {
  const share = (part: number): number => (Number.isFinite(window) ? Math.floor(window * part) : Infinity);
  const most = isLearned ? share(MAX_SHARE_OF_LEARNED) : Infinity;
  if (reserve.output !== null)
    return reserve.output > most
      ? [most, `${percent(MAX_SHARE_OF_LEARNED)} of the learned window`]
      : [reserve.output, 'setting'];
  const largest = share(reserve.share);
  return largest < outputCap
    ? [largest, `${percent(reserve.share)} of the window`]
    : [outputCap, 'outputCap'];
}

const percent = (share: number): string => `${100 * share} %`;

/** The window in force: the stated one, unless a refusal has proven a smaller one. A stated 0 means no limit. */
function windowOf({ window }: Settings, limits: ModelLimits): number {
  const stated = window === null ? Infinity : window || Infinity;
  const proven = limits.sources.contextWindow === 'learned' ? limits.contextWindow : Infinity;
  return window === null ? limits.contextWindow : Math.min(stated, proven);
}
