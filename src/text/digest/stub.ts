import { grouped } from '../../tokens/index.js';
import { plainName } from '../reading/index.js';
import type { Handle } from '../../transcript/index.js';

/** The facts in a stub about the part that it replaces. */
export interface StubFacts {
  /** Name of the tool, if known. */
  readonly tool?: string | undefined;
  /** Size of the content that left the view. */
  readonly tokens: number;
  /** The handle as texts write it: `view.mark(handle)`. */
  readonly handle: Handle;
  /** Why the result could go, in a word or two: `stale`, `expired`. */
  readonly status?: string | undefined;
  /** The call's outcome, in a few words of the tool: without it, a stub would suggest success. */
  readonly said?: string | undefined;
}

const STUB =
  /^\[[^\n]{0,120} result, [\d,]{1,15} tokens, compacted(?:, [^\n;:]{0,60})?(?:: [^\n]{1,160})?; [^\n]{1,200}\]$/;

/**
 * The short line that replaces a result: `[Read result, 1,234 tokens, compacted; m12#0]`. It states that the call
 * happened, so that the agent does not repeat it. May be larger than a tiny result: the caller compares.
 */
export function stubFor({ tool, tokens, handle, status, said }: StubFacts): string {
  const fate = status ? `compacted, ${status}` : 'compacted';
  const ending = said ? `: ${said}` : '';
  return `[${plainName(tool)} result, ${grouped(tokens)} tokens, ${fate}${ending}; ${handle}]`;
}

/** Whether a text is a stub of ours. */
export function isStub(text: string): boolean {
  return text.length < 400 && STUB.test(text);
}
