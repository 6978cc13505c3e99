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

/** A figure in a wording: behind a blank or a bracket, with separators. */
export const N = String.raw`[ (]*([\d][\d,._]*)`;

/** A wording without regard to case. */
export function wording(source: string, ...figures: (keyof Overflow)[]): OverflowWording {
  return [new RegExp(source, 'i'), ...figures];
}

/** A field that asks for cutting by being there. */
export function fieldAway(field: string): TruncationSwitch {
  return { field, off: (value) => (value === undefined ? undefined : { value: undefined, was: field }) };
}

/** A count by its field; 0 where the provider says nothing, or what is no count. */
export function countIn(fields: unknown, name: string): number {
  const value = numberIn(fieldsOf(fields)[name]);
  return value !== undefined && COUNT.is(value) ? value : 0;
}

/** Usage where the input is given as one figure, cache included; or, as gateways give Anthropic's, beside it. */
export function usageFrom(input: number, cached: number, written: number, output: number): Usage {
  return {
    inputTokens: input < cached + written ? input : input - cached - written,
    cacheReadTokens: cached,
    cacheWriteTokens: written,
    outputTokens: output,
  };
}

/** Usage of an answer for which the provider may have run tools of its own, and read its own words again for each. */
export const usageOfLoop = (usage: Usage, ranTools: boolean): Usage =>
  ranTools ? { ...usage, isSum: true } : usage;

/** How usage is read that stands under a field of an answer, where that is an object. */
export function usageUnder(
  field: string,
  read: (usage: Fields, answer: Fields) => Usage,
): NonNullable<Provider['usageOf']> {
  return (answer) => {
    const usage = fieldsOf(answer)[field];
    return isFields(usage) ? read(usage, fieldsOf(answer)) : undefined;
  };
}

/**
 * Whose models they are, by name; the first that fits decides. Anthropic, “Prefix checks on thinking blocks” and “Preserved
 * thinking”: the check of what stood before a thought begins with Claude Fable and Mythos 5.1 and Opus, Sonnet and Haiku 5.5
 * (on accounts of before August 31, 2026 not with all of them, which no request tells). Models before these check the
 * thought alone (“Thinking in tool and multi-turn workflows”: back complete and unmodified); later ones are taken to check it.
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

/** What signatures of a model vouch for; undefined where its name says nothing. */
export function signaturesByModel(model: string | null): SignatureBinding | undefined {
  return BY_MODEL.find(([pattern]) => model !== null && pattern.test(model))?.[1];
}
