/** Texts that stand in a request where the wire wants a turn that the log does not hold. Plain, labelled, final. */

/** Between two turns of the model, and behind the last one. The same text in both, so that requests only grow. */
export const GOES_ON = '[Continue.]';

/** Between results and what the user said right after them: newer models take no words beside results. */
export const WAITS = '[The results are in; the user speaks first.]';

export function filesOf(callId: string, tool: string): string {
  return `[files of the result of call ${callId} to ${tool}]`;
}

/**
 * Google's own word for "this call has no signature of yours": newer models refuse a call in the current turn without
 * one. It stands on calls that another provider's model made, on the first of each step, where a signature belongs.
 */
export const NO_SIGNATURE = 'skip_thought_signature_validator';
