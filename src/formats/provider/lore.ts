import { COUNT } from '../../errors/index.js';
import type {
  Overflow,
  OverflowWording,
  Provider,
  SignatureBinding,
  TruncationSwitch,
} from '../../spi/index.js';
import type { Usage } from '../../tokens/index.js';
import { type Fields, fieldsOf, isFields, numberIn } from '../record.js';

/** The pattern of a figure in a wording: after blanks or brackets, with separators. */
export const N = String.raw`[ (]*([\d][\d,._]*)`;

/** A wording that is matched without regard to case. */
export function wording(source: string, ...figures: (keyof Overflow)[]): OverflowWording {
  return [new RegExp(source, 'i'), ...figures];
}

/** The switch for a field whose presence alone asks the host to cut a request. */
export function switchOffField(field: string): TruncationSwitch {
  return { field, off: (value) => (value === undefined ? undefined : { value: undefined, was: field }) };
}

/** The count in a field; 0 if the provider sends none, or a value that is no count. */
export function countIn(fields: unknown, name: string): number {
  const value = numberIn(fieldsOf(fields)[name]);
  return value !== undefined && COUNT.is(value) ? value : 0;
}

/** Usage from an input figure that includes the cached tokens or, as gateways report Anthropic's, excludes them. */
export function usageFrom(input: number, cached: number, written: number, output: number): Usage {
  return {
    inputTokens: input < cached + written ? input : input - cached - written,
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    outputTokens: output,
  };
}

/** Usage of an answer. If the provider ran tools of its own, it may have read its own words again for each: a sum. */
export const usageOfLoop = (usage: Usage, ranTools: boolean): Usage =>
  ranTools ? { ...usage, isSum: true } : usage;

/** Reads the usage in a field of an answer, if that field is an object. */
export function usageInField(
  field: string,
  read: (usage: Fields, answer: Fields) => Usage,
): NonNullable<Provider['usageOf']> {
  return (answer) => {
    const usage = fieldsOf(answer)[field];
    return isFields(usage) ? read(usage, fieldsOf(answer)) : undefined;
  };
}

/**
 * Models by name; the first match decides. Anthropic, “Prefix checks on thinking blocks” and “Preserved thinking”: the
 * check of what precedes a thought begins with Claude Fable and Mythos 5.1 and Opus, Sonnet and Haiku 5.5 (for accounts
 * from before August 31, 2026 not with all, which no request shows). Earlier models check the thought alone (“Thinking
 * in tool and multi-turn workflows”: back complete and unmodified); later ones presumably check the prefix.
 */
const BY_MODEL: readonly (readonly [RegExp, SignatureBinding])[] = [
  [
    /(^|[/.])claude-(?:[1-4]\b|instant|(?:opus|sonnet|haiku)-4\b|[a-z]{1,9}-5(?![.-]\d{1,2}(?!\d))|mythos-preview)/i,
    'step',
  ],
  [/(^|[/.])claude/i, 'prefix'],
  [/(^|[/.])(gemini|gemma)/i, 'step'],
  [/(^|[/.])(gpt-|chatgpt|codex|o\d)/i, 'step'],
  [/(^|[/.])(deepseek|qwen|qwq|kimi|glm)/i, 'nothing'],
];

/** What the signatures of a model vouch for; undefined if the name matches no known model. */
export function signaturesByModel(model: string | null): SignatureBinding | undefined {
  return BY_MODEL.find(([pattern]) => model !== null && pattern.test(model))?.[1];
}
