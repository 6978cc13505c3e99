import type { ModelCall } from '../transcript/index.js';
import { callOnce, type CallParts } from './call.js';
import { Refused } from './fault.js';
import { Limit } from './limit.js';
import type { Prompts } from './prompts.js';
import { escaped } from './quote.js';

/** Text that is wanted of a summarizer outside a slot. */
export interface WrittenRequest {
  readonly instruction: string;
  readonly source: readonly string[];
  readonly maxTokens: number;
}

export interface WriteParts {
  readonly signal: AbortSignal;
  readonly redact: (text: string) => string;
  readonly onCall: (call: ModelCall) => void;
}

interface FillerParts extends Omit<CallParts, 'onCall'> {
  readonly prompts: Prompts;
  readonly redact: (text: string) => { readonly text: string };
  readonly stopped: () => string | undefined;
}

/** One call under the limits of all others; its source is quoted, and no secret goes in or comes out. */
export async function writeFor(
  plugin: string,
  parts: FillerParts,
  { instruction, source, maxTokens }: WrittenRequest,
  { signal, redact, onCall }: WriteParts,
): Promise<string> {
  const stopped = parts.stopped();
  if (stopped !== undefined) throw new Refused(stopped);
  const clean = (text: string): string => redact(parts.redact(text).text);
  const quoted = source.map((text) => escaped(clean(String(text))));
  const limit = new Limit(parts.deadlineMs, signal);
  try {
    const { text } = await callOnce(
      { ...parts, onCall },
      {
        request: { prompt: parts.prompts.of('auto').system, instruction, source: quoted, maxTokens },
        sourceTokens: Infinity,
        signal: limit.signal,
        about: { prompt: 'plugin', handle: plugin, chunk: 1, attempt: 1 },
      },
    );
    return clean(text);
  } finally {
    limit.end();
  }
}
