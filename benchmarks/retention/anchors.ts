import type { ChatCall, ChatMessage } from '../support/chat.js';
import { textOfCall, textOfMessage, wordsOf } from './text.js';

/** Where a fact came from, and the words that tell what it is. */
export interface Anchors {
  /** The source's lines that hold the fact; none where only another spelling of it stood there. */
  readonly lines: readonly string[];
  /** Name of the call whose result the source is; '' for what no call brought. */
  readonly tool: string;
  readonly words: ReadonlySet<string>;
}

/** From the first of these messages that holds the fact word for word. */
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

/** The call that a result answers, the nearest before it (ids repeat in some logs); a fact in arguments has its call. */
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
