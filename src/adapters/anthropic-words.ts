import type { Fields } from '../wire/index.js';
import { responseOf, streamOf, type SdkAnswer, type Sent } from './sdk-answer.js';

/** What the promise of Anthropic's client can do beside resolving; the last is for its own helpers. */
export interface Answering extends SdkAnswer {
  _responseProps(): Promise<ResponseProps>;
}

interface ResponseProps {
  readonly response: Response;
}

const NO_USAGE = { input_tokens: 0, output_tokens: 0 };

/** An answer in the model's place. */
export function messageOf(text: string, { model }: Fields): Fields {
  const content = [{ type: 'text', text, citations: null }];
  const about = { id: 'msg_spillway', type: 'message', role: 'assistant', model };
  return { ...about, content, stop_reason: 'end_turn', stop_sequence: null, usage: NO_USAGE };
}

/** The same as a stream that no server sent. */
export function streamed(
  text: string,
  body: Fields,
): AsyncIterable<Fields> & { readonly controller: AbortController } {
  const message = { ...messageOf(text, body), content: [], stop_reason: null };
  const events: readonly Fields[] = [
    { type: 'message_start', message },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: NO_USAGE },
    { type: 'message_stop' },
  ];
  return streamOf(events);
}

/**
 * What the client's helpers build one request on another with. The body was read here to learn the usage, so it is
 * written out again; an answer that no server gave gets a response of its own.
 */
export async function propsOf(sent: Sent, isStreamed: boolean): Promise<ResponseProps> {
  const given = await (sent.answer as Answering | undefined)?._responseProps();
  const own = { options: { stream: isStreamed }, controller: new AbortController(), startTime: Date.now() };
  return { ...(given ?? own), response: await responseOf(sent) };
}
