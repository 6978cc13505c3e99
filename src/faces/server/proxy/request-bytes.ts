import { jsonText, sameItem, type Fields } from '../../../formats/index.js';

/** A client's request: its bytes and the parsed body. */
export interface SentRequest {
  readonly raw: Buffer;
  readonly body: Fields;
}

const CLOSING_BRACE = 0x7d;

/**
 * The bytes of a request with the content `own`. If it equals the client's body, these are the client's bytes, so that
 * nothing is altered or written again. `asksUsage` adds the field that makes a stream of OpenAI chat report usage.
 */
export function requestBytes(own: Fields, { raw, body }: SentRequest, asksUsage: boolean): Buffer {
  const isUnchanged = isSameBody(own, body);
  if (isUnchanged && !asksUsage) return raw;
  const usage = { stream_options: { ...(own.stream_options as object), include_usage: true } };
  const end = raw.lastIndexOf(CLOSING_BRACE);
  if (isUnchanged && own.stream_options === undefined && end > 0)
    return Buffer.concat([raw.subarray(0, end), Buffer.from(`,${jsonText(usage).slice(1)}`)]);
  return Buffer.from(jsonText(asksUsage ? { ...own, ...usage } : own));
}

function isSameBody(own: Fields, body: Fields): boolean {
  const names = Object.keys(own);
  return (
    names.length === Object.keys(body).length &&
    names.every((name) => Object.hasOwn(body, name) && sameItem(own[name], body[name]))
  );
}
