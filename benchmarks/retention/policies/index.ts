import { bareWords } from './bare-words.js';
import { bm25 } from './bm25.js';
import { headTail } from './head-tail.js';
import { everything, keepNewest, keepNewestInWindow } from './keep-newest.js';
import { openPeers } from './peers.js';
import type { Policy } from './policy.js';
import { randomExchanges } from './random.js';
import { dropOnly, spillway } from './spillway.js';

export interface Choice {
  readonly policies?: string | undefined;
  readonly profile?: string | undefined;
  readonly peers?: string | undefined;
}

export interface Chosen {
  /** The policies, Spillway first if it is among them. */
  readonly policies: readonly Policy[];
  /** Policies that are not available, and how to make them so. */
  readonly notes: readonly string[];
}

export async function choosePolicies({ policies: names, profile, peers: folder }: Choice): Promise<Chosen> {
  const ranked = bm25();
  const starts = names?.split(',');
  // A peer takes seconds to load, so only requested peers are loaded.
  const isWanted = (peer: string): boolean =>
    !starts || starts.some((start) => peer.startsWith(start) || start.startsWith(`${peer}+`));
  const peers = folder === undefined ? { policies: [], notes: [] } : await openPeers(folder, isWanted);
  const known = [
    spillway(profile),
    keepNewestInWindow,
    keepNewest,
    headTail,
    randomExchanges,
    bareWords,
    ...(ranked ? [ranked] : []),
    dropOnly,
    everything,
    ...peers.policies,
  ];
  const notes = ranked ? [] : ['bm25 is left out: it needs a library; npm i -D minisearch'];
  if (folder === undefined) notes.push('peers are left out: name their prepared install with --peers DIR');
  return {
    policies: starts ? chosen(known, starts) : known,
    notes: [...notes, ...peers.notes],
  };
}

/** Chooses policies by the start of their names: `peer:pi` means both of pi's rows. */
function chosen(known: readonly Policy[], starts: readonly string[]): Policy[] {
  const unknown = starts.find((start) => !known.some(({ name }) => name.startsWith(start)));
  if (unknown === undefined)
    return known.filter(({ name }) => starts.some((start) => name.startsWith(start)));
  throw new Error(`no policy ${unknown}; there are ${known.map(({ name }) => name).join('; ')}`);
}
