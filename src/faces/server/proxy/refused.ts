import type { Fields } from '../../../formats/index.js';

/** An answer that is no answer: as the upstream gave it, to be handed on byte for byte. */
export class Refused extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly bytes: Buffer;
  /** What it says, where a reader of refusals looks for it. */
  readonly error: unknown;

  constructor(status: number, headers: Refused['headers'], bytes: Buffer, error: unknown = parsed(bytes)) {
    super(`the upstream answered with ${status}`);
    this.status = status;
    this.headers = headers;
    this.bytes = bytes;
    this.error = error;
  }
}

function parsed(bytes: Buffer): Fields | string {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text) as Fields;
  } catch {
    return text;
  }
}
