import type { Call, ReplayedGates } from '../data/shapes.js';

/** What is drawn above the budget, as a part of it: a request may be many times as large. */
export const TOP = 1.3;

/** Calls before which something was taken out. */
export const firedIn = ({ calls }: ReplayedGates): readonly number[] =>
  calls.flatMap(({ steps }, at) => (steps.length > 0 ? [at] : []));

/** How many gates opened before a call. */
export const openedIn = ({ steps }: Call, { gates }: ReplayedGates): number =>
  gates.filter(({ name }) => steps.some(({ stage }) => stage === name)).length;

/** The first call at which every gate opened; else the first at which one did. */
export function mostOpenedIn(replayed: ReplayedGates): number {
  const fired = firedIn(replayed);
  const all = fired.find((at) => openedIn(replayed.calls[at]!, replayed) === replayed.gates.length);
  return all ?? fired[0] ?? 0;
}

/** One column: the level before it and after it, as parts of the budget. */
export interface Column {
  readonly name: string;
  readonly opensAt?: number;
  readonly from: number;
  readonly to: number;
  readonly isShut: boolean;
  /** Where the level is above what is drawn. */
  readonly over?: string;
  readonly said: string;
}

/** From the request as it would have been, by each gate, to the request as it was sent. */
export function cascadeOf(call: Call, { gates, budget }: ReplayedGates): readonly Column[] {
  const share = (tokens: number): number => tokens / budget;
  const ofGates = call.steps.filter(({ stage }) => gates.some(({ name }) => name === stage));
  const reached = ofGates[0]?.before ?? call.after;
  const cut = call.before - reached;
  const columns: Column[] = [
    {
      name: 'request',
      from: share(call.before),
      to: share(reached),
      isShut: false,
      ...(share(call.before) > TOP && { over: percentOf(share(call.before)) }),
      said: cut > 0 ? `−${countOf(cut)}: a result cut to size` : percentOf(share(call.before)),
    },
  ];
  let level = reached;
  for (const { name, opensAt } of gates) {
    const steps = ofGates.filter(({ stage }) => stage === name);
    const [first, last] = [steps[0], steps.at(-1)];
    const isShut = first === undefined;
    const taken = isShut ? 0 : first.before - last!.after;
    columns.push({
      name,
      opensAt,
      from: share(isShut ? level : first.before),
      to: share(isShut ? level : last!.after),
      isShut,
      said: isShut ? `opens at ${percentOf(opensAt)}` : taken > 0 ? `−${countOf(taken)}` : 'nothing to take',
    });
    if (!isShut) level = last!.after;
  }
  const sent = call.fault === undefined ? share(call.after) : 0;
  const said = call.fault === undefined ? percentOf(sent) : 'nothing';
  return [...columns, { name: 'sent', from: sent, to: sent, isShut: false, said }];
}

export const countOf = (tokens: number): string => tokens.toLocaleString('en');
export const percentOf = (share: number): string => `${Math.round(share * 100)} %`;
