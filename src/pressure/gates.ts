import type { Reading } from '../tokens/index.js';
import type { Trigger } from '../transcript/index.js';

/* Decides which reading starts a run: pure functions of pressure, gates and the result of the last run. */

export interface Gate {
  readonly stage: string;
  /** Pressure at which it opens. */
  readonly opensAt: number;
}

/**
 * The state after a run that left pressure above the first gate: the highest open gate, and the tokens that were ever
 * appended to the log. Until one of them grows, another run would gain nothing either.
 */
export interface Spent {
  readonly gate: number;
  readonly appended: number;
}

/** Index of the highest open gate; -1 below the first. */
export function highestGate(pressure: number, gates: readonly Gate[]): number {
  return gates.findLastIndex((gate) => pressure >= gate.opensAt);
}

/**
 * Whether a run should start. After a run that left pressure high, a new run needs `freshTokens` of new content:
 * another gate alone would gain nothing (in three of four such runs). From `LAST_CALL` on a quarter of that is enough,
 * or another gate, because its stage may remove what earlier stages may not.
 */
export function isRunDue(
  pressure: number,
  gates: readonly Gate[],
  spent: Spent | undefined,
  appended: number,
  freshTokens: number,
): boolean {
  const gate = highestGate(pressure, gates);
  if (gate < 0) return false;
  if (!spent || pressure > 1) return true;
  if (pressure >= LAST_CALL && gate > spent.gate) return true;
  const needed = pressure >= LAST_CALL ? freshTokens / 4 : freshTokens;
  return appended - spent.appended >= needed;
}

/** From this pressure on a run cannot wait for the next gate. */
export const LAST_CALL = 0.95;

/** The state to remember after a run that left this pressure. */
export function spentAfter(pressure: number, gates: readonly Gate[], appended: number): Spent | undefined {
  const gate = highestGate(pressure, gates);
  return gate < 0 ? undefined : { gate, appended };
}

/** The inputs of a session's decision before a call. */
export interface GateInputs {
  readonly reading: Reading;
  /** Tokens ever appended. */
  readonly appended: number;
  readonly gates: readonly Gate[];
  /** Tokens of new content that justify another run after a run that did not help. */
  readonly freshTokens: number;
  /** Whether pressure may start a run. */
  readonly isArmed: boolean;
  /** The reason for a run at any pressure. */
  readonly requested?: Trigger | undefined;
}

/** The reason for a run; undefined if no run is due. */
export function dueTrigger(
  spent: Spent | undefined,
  { reading, appended, gates, freshTokens, isArmed, requested }: GateInputs,
): Trigger | undefined {
  if (requested || !isArmed) return requested;
  const { pressure, byToolResults: results = 0 } = reading;
  if (isRunDue(pressure, gates, spent, appended, freshTokens))
    return { kind: 'pressure', detail: `pressure ${pressure.toFixed(3)}` };
  const isFresh = !spent || appended - spent.appended >= freshTokens;
  return results > 1 && isFresh
    ? { kind: 'cap', detail: `tool results at ${results.toFixed(2)} of their cap` }
    : undefined;
}
