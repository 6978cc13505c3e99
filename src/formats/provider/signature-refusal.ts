import { REFUSAL_STATUSES, readRefusal } from './overflow.js';

/**
 * How providers refuse a thought's signature: Anthropic (also if what precedes the thought has changed), and OpenAI for
 * encrypted reasoning. Gemini signs calls, which cannot be removed, so Gemini's wording is not read.
 */
const WORDINGS: readonly RegExp[] = [
  /invalid \W?signature\W? in \W?(?:redacted_)?thinking/i,
  /thinking\W{1,3} (?:or \W?redacted_thinking\W? )?blocks in the latest assistant message cannot be modified/i,
  /thinking.{0,20} block is bound to a different/i,
  /invalid_encrypted_content|encrypted content .{0,120}could not be verified/i,
];

/** Whether a refusal is about the signatures of thoughts: an error of any client, or its body. */
export function isSignatureRefusal(error: unknown): boolean {
  const { texts, codes, statuses, echoes } = readRefusal(error);
  if (echoes || ![...statuses].every((status) => REFUSAL_STATUSES.has(status))) return false;
  const text = [...texts, ...codes].join('\n');
  return WORDINGS.some((pattern) => pattern.test(text));
}
