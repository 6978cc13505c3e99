import { responseOf, type SdkAnswer, type Sent } from './sdk-answer.js';

/** What the promise of Anthropic's client can do beside resolving; the last is for its own helpers. */
export interface Answering extends SdkAnswer {
  _responseProps(): Promise<ResponseProps>;
}

interface ResponseProps {
  readonly response: Response;
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
