/** A chat message as the sessions and the requests hold it; read only, so that counts can be kept by message. */
export interface ChatCall {
  readonly id?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

export interface ChatMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool';
  readonly content?: unknown;
  readonly tool_calls?: readonly ChatCall[];
  readonly tool_call_id?: string;
}

export function contentOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part: { text?: string }) => part.text ?? '').join('\n');
}

/** Every string or number in a call's arguments; the text itself if it is not JSON. */
export function argumentLeaves(call: ChatCall): string[] {
  const written = call.function?.arguments ?? '';
  try {
    return leavesOf(JSON.parse(written));
  } catch {
    return [written];
  }
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(leavesOf);
}
