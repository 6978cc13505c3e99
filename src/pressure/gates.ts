import type { Reading } from '../tokens/index.js';
import type { Trigger } from '../transcript/index.js';

/* Which reading fires: pure functions of pressure, gates and what the last run achieved. */

export interface Gate {
  readonly stage: string;
  /** Pressure at which it opens. */
  readonly opensAt: number;
}

/**
 * What a run left behind that did not bring pressure below the first gate: how far the gates had opened, and how many
 * tokens the log had ever taken in. Running again before either grows would find the same nothing.
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
 * Whether a run should start. After one that could not help it re-arms when `freshTokens` have come in: another gate
 * alone would find the same nothing (three of four such runs did). Near the brim a quarter of that is enough, or another
 * gate: what opens there takes what nothing before it may.
 */
export function runIsDue(
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

/** What to remember after a run that left this pressure. */
export function spentAfter(pressure: number, gates: readonly Gate[], appended: number): Spent | undefined {
  const gate = highestGate(pressure, gates);
  return gate < 0 ? undefined : { gate, appended };
}

/** What a session sees before a call, when its turn has come. */
export interface Sighting {
  readonly reading: Reading;
  /** Tokens ever appended. */
  readonly appended: number;
  readonly gates: readonly Gate[];
  /** Tokens that have to come in before a run is worth another that did not help. */
  readonly freshTokens: number;
  /** Whether pressure may start a run. */
  readonly isArmed: boolean;
  /** Why a run is due whatever the pressure. */
  readonly asked?: Trigger | undefined;
}

/** Why a run is due; undefined where none is. */
export function dueAt(
  spent: Spent | undefined,
  { reading, appended, gates, freshTokens, isArmed, asked }: Sighting,
): Trigger | undefined {
  if (asked || !isArmed) return asked;
  const { pressure, byToolResults: results = 0 } = reading;
  if (runIsDue(pressure, gates, spent, appended, freshTokens))
    return { kind: 'pressure', detail: `pressure ${pressure.toFixed(3)}` };
  const isFresh = !spent || appended - spent.appended >= freshTokens;
  return results > 1 && isFresh
    ? { kind: 'cap', detail: `tool results at ${results.toFixed(2)} of their cap` }
    : undefined;
}
