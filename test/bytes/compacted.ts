import { readFileSync, writeFileSync } from 'node:fs';
import { createSpillway, replaySession } from '../../src/index.js';
import type { Case } from './cases.js';
import { digest } from './digest.js';

const FILE = new URL('compacted.json', import.meta.url);

/** Hashes by the name of a replay: of all requests to the model, call by call. */
export type Replays = Readonly<Record<string, string>>;

/** A session replayed in a window under a profile, without a model. */
export interface Replay {
  readonly of: Case;
  readonly profile: string;
  readonly window: number;
}

const PROFILES = ['staged', 'operator', 'agent', 'pivot', 'reducer'];

/** The demonstration's session under every profile, in a small and in a large window. */
export function committedReplays(cases: readonly Case[]): Replay[] {
  const of = cases.find(({ name }) => name === 'pressure-gauge')!;
  return PROFILES.flatMap((profile) => [5_000, 12_000].map((window) => ({ of, profile, window })));
}

/** A recorded session under the default profile. */
export function recordedReplays(of: Case): Replay[] {
  return [8_000, 32_000].map((window) => ({ of, profile: 'staged', window }));
}

export const nameOf = ({ of, profile, window }: Replay): string => `${of.name}, ${profile}, ${window}`;

/** Each prepared request, or the code of the error if it could not be prepared. */
export async function requestsOfReplay({ of, profile, window }: Replay): Promise<unknown[]> {
  const spillway = await createSpillway({ profile, inputBudget: window });
  const requests: unknown[] = [];
  for await (const { prepared, error } of replaySession(spillway.session(), of.messages))
    requests.push(prepared ? prepared.messages : error!.code);
  await spillway.close();
  return requests;
}

export async function hashOfReplay(replay: Replay): Promise<string> {
  return digest(await requestsOfReplay(replay));
}

export function readReplays(): Replays {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Replays;
}

export function writeReplays(known: Replays): void {
  writeFileSync(FILE, `${JSON.stringify(known, undefined, 2)}\n`);
}
