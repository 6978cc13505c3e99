import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';

const PLAIN = { disallowedSpecial: new Set<string>() };

interface ChatMessage {
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

const known = new WeakMap<object, number>();

/**
 * Tokens of a request, counted without any knowledge of Spillway: o200k_base of content, call names and arguments, and
 * 4 a message.
 */
export function referenceCount(messages: readonly unknown[]): number {
  let total = 0;
  for (const message of messages as readonly ChatMessage[]) {
    let tokens = known.get(message);
    if (tokens === undefined) {
      tokens = 4 + count(textOf(message.content));
      for (const call of message.tool_calls ?? []) {
        tokens += count(call.function?.name ?? '') + count(call.function?.arguments ?? '');
      }
      known.set(message, tokens);
    }
    total += tokens;
  }
  return total;
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('');
}

/** Size of the cache by text: a peer's process returns the same texts as new objects. The oldest texts leave first. */
const MOST_TEXTS = 20_000;
const counted = new Map<string, number>();

function count(text: string): number {
  if (text.length === 0) return 0;
  let tokens = counted.get(text);
  if (tokens === undefined) {
    tokens = countTokens(text, PLAIN);
    if (counted.size >= MOST_TEXTS) counted.delete(counted.keys().next().value!);
    counted.set(text, tokens);
  }
  return tokens;
}
