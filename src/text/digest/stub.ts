import { grouped } from '../../tokens/index.js';
import { plainName } from '../reading/index.js';
import type { Handle } from '../../transcript/index.js';

/** What a stub tells of the part it stands for. */
export interface StubFacts {
  /** Name of the tool, where it is known. */
  readonly tool?: string | undefined;
  /** Size of what left the view. */
  readonly tokens: number;
  /** How it is read back: `view.mark(handle)`. */
  readonly handle: Handle;
  /** Why it could go, in a word or two: `stale`, `expired`. */
  readonly status?: string | undefined;
  /** How the call ended, in a few words of the tool: a stub alone would say that all went well. */
  readonly said?: string | undefined;
}

const STUB =
  /^\[[^\n]{0,120} result, [\d,]{1,15} tokens, compacted(?:, [^\n;:]{0,60})?(?:: [^\n]{1,160})?; [^\n]{1,200}\]$/;

/**
 * The short line that stands for a result: `[Read result, 1,234 tokens, compacted; m12#0]`. It says that the
 * call happened, so that the agent does not repeat it. May be larger than a tiny result: the caller compares.
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
