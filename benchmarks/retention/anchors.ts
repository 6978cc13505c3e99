import type { ChatCall, ChatMessage } from '../support/chat.js';
import { textOfCall, textOfMessage, wordsOf } from './text.js';

/** The source of a fact, and the words that tell what the fact is. */
export interface Anchors {
  /** The source's lines that hold the fact; empty if the source holds only another spelling. */
  readonly lines: readonly string[];
  /** The name of the call whose result is the source; '' if the source is no result. */
  readonly tool: string;
  readonly words: ReadonlySet<string>;
}

/** The anchors in the first of these messages that holds the fact word for word. */
export function anchorsOf(fact: string, chat: readonly ChatMessage[], sources: readonly number[]): Anchors {
  for (const index of sources) {
    const message = chat[index];
    const lines = message ? linesWith(fact, textOfMessage(message)) : [];
    if (lines.length > 0) return collect(fact, lines, callsBehind(chat, index, fact));
  }
  return collect(fact, [], callsBehind(chat, sources[0]!, fact));
}

function collect(fact: string, lines: readonly string[], calls: readonly ChatCall[]): Anchors {
  const own = new Set(wordsOf(fact));
  const texts = [...lines, ...calls.map(textOfCall)].map((text) => text.replaceAll(fact, '\n'));
  const words = new Set(texts.flatMap(wordsOf).filter((word) => !own.has(word)));
  return { lines, tool: calls[0]?.function?.name ?? '', words };
}

function linesWith(fact: string, text: string): string[] {
  return text.includes(fact) ? text.split('\n').filter((line) => line.includes(fact)) : [];
}

/** The nearest earlier call that a result answers (ids repeat in some logs); for a fact in arguments, its own call. */
function callsBehind(chat: readonly ChatMessage[], index: number, fact: string): ChatCall[] {
  const message = chat[index]!;
  if (message.role !== 'tool') {
    return (message.tool_calls ?? []).filter((call) => textOfCall(call).includes(fact)).map(nameOnly);
  }
  for (let i = index - 1; i >= 0; i--) {
    const call = chat[i]!.tool_calls?.find(({ id }) => id === message.tool_call_id);
    if (call) return [call];
  }
  return [];
}

const nameOnly = (call: ChatCall): ChatCall => ({ function: { name: call.function?.name ?? '' } });
