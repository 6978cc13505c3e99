import { SpillwayError } from '../errors/index.js';
import { PIPELINE_STEPS } from '../pipeline/index.js';
import type { MeasureMessage } from '../spi/index.js';
import type { Message, ViewMessage } from '../transcript/index.js';

/** Content that a hook of the host adds to one request. It is not in the log, and no compaction sees it. */
export interface Injection {
  /** Whose it is; named where it takes too much. */
  readonly hook: string;
  readonly content: string;
  /** Most tokens this hook may take; the whole reserve where absent. */
  readonly maxTokens?: number;
}

/** Throws `INJECTION_TOO_LARGE` naming the hook that goes over its reserve, or over what the others left. */
export function measuredInjections(
  injections: readonly Injection[],
  reserveTokens: number,
  measure: MeasureMessage,
): readonly Omit<ViewMessage, 'from' | 'to'>[] {
  let left = reserveTokens;
  return injections.map(({ hook, content, maxTokens = Infinity }) => {
    const message: Message = {
      id: `injected:${hook}`,
      role: 'user',
      origin: 'synthetic',
      label: 'injected',
      parts: [{ type: 'text', text: content }],
    };
    const size = measure(message);
    const allowed = Math.min(maxTokens, left);
    if (size.tokens > allowed) {
      throw new SpillwayError('INJECTION_TOO_LARGE', {
        subject: `hook ${hook}`,
        found: `${size.tokens} tokens`,
        allowed: `${allowed} tokens of reserve.injection ${reserveTokens}`,
        remedy: 'Let the hook say less, or keep more free for it.',
        facts: { hook, tokens: size.tokens, allowed },
      });
    }
    left -= size.tokens;
    return { message, size, made: { stage: PIPELINE_STEPS.addedByHook, reason: `hook ${hook}` } };
  });
}

/** Index behind the newest words of the user; the end where there are none. */
export function placeOfInjections(view: readonly ViewMessage[]): number {
  const newest = view.findLastIndex(({ source }) => source?.role === 'user' && source.origin !== 'synthetic');
  return newest < 0 ? view.length : newest + 1;
}
