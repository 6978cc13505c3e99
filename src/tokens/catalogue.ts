import { SpillwayError, type Fault } from '../errors/index.js';
import { familyOf, namesOf, providerIn } from './family.js';
import {
  DEFAULT_WINDOW,
  type LimitOverride,
  type Limits,
  type LimitSource,
  type ModelLimits,
} from './limits.js';
import { loadPublishedLimits, type PublishedLimits } from './published.js';

/** Limits that are learned of a model in use. */
export interface LearnedLimits {
  /** The limits in the provider's model list or response. */
  readonly reported?: Limits;
  /** Limits from a refused request: proven ceilings that lower other figures, also the operator's, and raise none. */
  readonly learned?: Limits;
}

/** The known limits of models: window, input and output. */
export interface Catalogue {
  /**
   * Limits of a model: each field from the operator's override, the provider's report, the published sheets, or the
   * default, in this order. `model` may carry vendor, gateway or date: `openrouter/anthropic/claude-opus-4`.
   */
  lookup(model: string, provider?: string, learned?: LearnedLimits): ModelLimits;
  /** Loads the published sheets if they are loaded on demand; undefined if they are loaded. */
  load?(): Promise<void> | undefined;
}

const FIELDS = ['contextWindow', 'inputLimit', 'outputLimit'] as const;

/**
 * A catalogue whose `load` loads the published sheets, and runs `extra` with it; before that, only families,
 * overrides and the default count. `overrides` are by model name; with or without the vendor, `*` for any characters
 * (`llama-*`, `copilot/*`). The longest matching name wins. A limit of 0 is no limit.
 * @throws SpillwayError CONFIG_INVALID naming every override that is no number of tokens
 */
export function createCatalogue(
  overrides: Readonly<Record<string, LimitOverride>> = {},
  extra: () => Promise<unknown> = () => Promise.resolve(),
): Required<Catalogue> {
  checkOverrides(overrides);
  const byLength = Object.entries(overrides).sort(([a], [b]) => b.length - a.length);
  const patterns = byLength.map(([name, override]) => ({ fits: matcherOf(name), override }));
  let published: PublishedLimits | undefined;
  let loading: Promise<void> | undefined;

  return {
    lookup(model, provider = providerIn(model), learned = {}) {
      const names = namesOf(model);
      const override: LimitOverride =
        patterns.find(({ fits }) =>
          fits(provider === undefined ? names : [...names, `${provider}/${names.at(-1)}`]),
        )?.override ?? {};
      const family = familyOf(names.at(-1) ?? '');
      const sheets: Limits[] = names.flatMap((name) => published?.(name, provider) ?? []);
      // Claude Code's suffix for the long window of a model with two windows.
      if (/\[1m\]$/i.test(model)) sheets.unshift({ contextWindow: 1_000_000 });

      const layers: readonly (readonly [LimitSource, Limits | undefined])[] = [
        ['user', override],
        ['provider', learned.reported],
        ...[...sheets, family].map((sheet) => ['catalogue', sheet] as const),
        ['default', { contextWindow: DEFAULT_WINDOW }],
      ];
      const found = lowerLimits(merged(layers), learned.learned);
      const tokenizer = override.tokenizer ?? family.tokenizer;
      const source = found.sources.inputLimit ?? found.sources.contextWindow ?? 'default';
      return {
        model,
        ...found.limits,
        contextWindow: found.limits.contextWindow ?? DEFAULT_WINDOW,
        source,
        sources: found.sources,
        authoritative: source !== 'default',
        ...(tokenizer === undefined ? {} : { exactTokenizer: tokenizer }),
        tokenRatio: override.tokenRatio ?? family.tokenRatio,
      };
    },
    load() {
      if (published) return undefined;
      loading ??= Promise.all([loadPublishedLimits(), extra()]).then(([sheets]) => void (published = sheets));
      return loading;
    },
  };
}

interface MergedLimits {
  readonly limits: Limits;
  readonly sources: ModelLimits['sources'];
}

/** Each field from the first layer that states it; 0 becomes `Infinity`. */
function merged(layers: readonly (readonly [LimitSource, Limits | undefined])[]): MergedLimits {
  const limits: Partial<Record<keyof Limits, number>> = {};
  const sources: Partial<Record<keyof Limits, LimitSource>> = {};
  for (const field of FIELDS) {
    const layer = layers.find(([, stated]) => stated?.[field] !== undefined);
    const value = layer?.[1]?.[field];
    if (layer === undefined || value === undefined) continue;
    // A published input limit belongs to the model's usual window and would undo a window from a higher layer.
    if (field === 'inputLimit' && outranks(sources.contextWindow, layer[0])) continue;
    limits[field] = value === 0 ? Infinity : value;
    sources[field] = layer[0];
  }
  return { limits, sources };
}

const RANK: readonly LimitSource[] = ['default', 'catalogue', 'provider', 'user'];

function outranks(one: LimitSource | undefined, other: LimitSource): boolean {
  return one !== undefined && RANK.indexOf(one) > RANK.indexOf(other);
}

function lowerLimits({ limits, sources }: MergedLimits, learned: Limits = {}): MergedLimits {
  const tighter = FIELDS.filter((field) => (learned[field] || Infinity) < (limits[field] ?? Infinity));
  return {
    limits: { ...limits, ...Object.fromEntries(tighter.map((field) => [field, learned[field]])) },
    sources: { ...sources, ...Object.fromEntries(tighter.map((field) => [field, 'learned' as const])) },
  };
}

function matcherOf(pattern: string): (names: readonly string[]) => boolean {
  const [head = '', ...rest] = pattern.toLowerCase().split('*');
  const tail = rest.pop();
  if (tail === undefined) return (names) => names.includes(head);
  return (names) => names.some((name) => matches(name, head, rest, tail));
}

/** Searches each piece once: a regular expression with hundreds of stars would never finish. */
function matches(name: string, head: string, between: readonly string[], tail: string): boolean {
  const end = name.length - tail.length;
  if (!name.startsWith(head) || !name.endsWith(tail)) return false;
  let at = head.length;
  for (const piece of between) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= end;
}

const TOKENS = ['0 (no limit) or more', 'State the limit in tokens, or leave it out.'] as const;
const RATIO = ['more than 0', "Use 1 for OpenAI's own tokens."] as const;

function checkOverrides(overrides: Readonly<Record<string, LimitOverride>>): void {
  const faults = Object.entries(overrides).flatMap(([model, override]) =>
    [...FIELDS, 'tokenRatio' as const].flatMap((field): Fault[] => {
      const found = override[field];
      const isRatio = field === 'tokenRatio';
      if (found === undefined || (Number.isFinite(found) && (isRatio ? found > 0 : found >= 0))) return [];
      const [allowed, remedy] = isRatio ? RATIO : TOKENS;
      return [{ subject: `models.${model}.${field}`, found, allowed, remedy }];
    }),
  );
  if (faults.length > 0) throw new SpillwayError('CONFIG_INVALID', { ...faults[0]!, faults });
}
