import { bareWords } from './bare-words.js';
import { keepNewest } from './keep-newest.js';
import type { Policy } from './policy.js';
import { dropOnly, spillway } from './spillway.js';

export interface Choice {
  readonly policies?: string | undefined;
  readonly profile?: string | undefined;
  readonly peers?: string | undefined;
}

export interface Chosen {
  /** Spillway first, where it is among them. */
  readonly policies: readonly Policy[];
  /** What could not be offered, and what to do about it. */
  readonly notes: readonly string[];
}

export async function choosePolicies({ policies, profile }: Choice): Promise<Chosen> {
  const known = [spillway(profile), keepNewest, dropOnly, bareWords];
  const wanted = policies?.split(',');
  const unknown = wanted?.find((name) => !known.some((policy) => policy.name === name));
  if (unknown !== undefined) {
    throw new Error(`no policy ${unknown}; there are ${known.map(({ name }) => name).join(', ')}`);
  }
  return { policies: known.filter(({ name }) => !wanted || wanted.includes(name)), notes: [] };
}
