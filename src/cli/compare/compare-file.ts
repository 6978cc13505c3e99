import { readSession } from '../../importers/index.js';
import { replaySession, type ReplayedCall } from '../../index.js';
import { loadPrices } from '../../tokens/index.js';
import { formats } from '../../wire/index.js';
import { closing } from '../engine.js';
import { openFor, type Opened, type PolicyOptions } from '../open.js';
import type { Terminal } from '../terminal.js';
import { differenceOf, type Difference } from './difference.js';
import { Probes } from './probes.js';
import { Tally, type ComparedPolicy } from './tally.js';

/** One session under each policy. */
export interface ComparedFile {
  readonly file: string;
  readonly policies: readonly ComparedPolicy[];
  /** Where the first policy and each other one first differ; none where they never do. */
  readonly differences: readonly Difference[];
}

export interface Comparison {
  readonly policies: readonly string[];
  readonly files: readonly ComparedFile[];
}

/** Replays a session under all policies side by side: a call of each, then the next. */
export async function compareFile(
  file: string,
  policies: readonly string[],
  options: PolicyOptions,
  terminal: Terminal,
): Promise<ComparedFile> {
  const input = await readSession(file, { format: options.format });
  const { messages } = input.parsed;
  const format = options.to ?? (formats.has(input.format) ? input.format : 'openai-chat');
  const priceOf = await loadPrices();
  const opened: Opened[] = [];
  return closing(opened, async () => {
    const tallies: Tally[] = [];
    const replays: AsyncGenerator<ReplayedCall>[] = [];
    for (const name of policies) {
      const one = await openFor(input, { ...options, profile: name, json: true }, terminal);
      opened.push(one);
      const { session } = one;
      tallies.push(new Tally({ name, session, format, priceOf, model: options.model ?? null }));
      replays.push(replaySession(session, messages));
    }
    const probes = new Probes();
    const differences = new Map<string, Difference>();
    for (const message of messages) {
      if (message.role === 'assistant') {
        const needed = probes.of(message);
        const calls: ReplayedCall[] = [];
        for (const replay of replays) calls.push((await replay.next()).value as ReplayedCall);
        for (const [i, tally] of tallies.entries()) {
          tally.add(calls[i]!, needed);
          if (i === 0 || differences.has(tally.name)) continue;
          const found = differenceOf([policies[0]!, calls[0]!], [tally.name, calls[i]!]);
          if (found) differences.set(tally.name, found);
        }
      }
      probes.add(message);
    }
    // What follows the last call is appended, so that the sessions hold all of it.
    for (const replay of replays) await replay.next();
    return { file, policies: tallies.map(({ done }) => done), differences: [...differences.values()] };
  });
}
