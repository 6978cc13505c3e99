import type { SignatureBinding } from '../../spi/index.js';

/** Whose models they are, by name: for formats that carry any provider's reasoning. */
const BY_MODEL: readonly (readonly [RegExp, SignatureBinding])[] = [
  [/(^|[/.])claude/i, 'prefix'],
  [/(^|[/.])(gemini|gemma)/i, 'step'],
  [/(^|[/.])(gpt-|chatgpt|codex|o\d)/i, 'step'],
  [/(^|[/.])(deepseek|qwen|qwq|kimi|glm)/i, 'nothing'],
];

/** What signatures of a model vouch for; undefined where its name says nothing. */
export function signaturesByModel(model: string | null): SignatureBinding | undefined {
  return BY_MODEL.find(([pattern]) => model !== null && pattern.test(model))?.[1];
}
