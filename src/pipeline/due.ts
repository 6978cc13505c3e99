/** Which stage is due: pure functions of pressure, gates and what the last run achieved. */

export interface Gate {
  readonly stage: string;
  /** Pressure at which it opens. */
  readonly opensAt: number;
}

/** `gates`: a later stage needs pressure at its own gate. `target`: stages go on until the target is met. */
export type Escalation = 'gates' | 'target';

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

/** Whether a stage opens at this point of a run. */
export function stageOpens(
  pressure: number,
  gate: Gate,
  rule: { readonly escalation: Escalation; readonly target: number; readonly first: boolean },
): boolean {
  if (rule.first) return pressure > rule.target;
  return rule.escalation === 'gates' ? pressure >= gate.opensAt : pressure > rule.target;
}

/** What to remember after a run that left this pressure. */
export function spentAfter(pressure: number, gates: readonly Gate[], appended: number): Spent | undefined {
  const gate = highestGate(pressure, gates);
  return gate < 0 ? undefined : { gate, appended };
}
