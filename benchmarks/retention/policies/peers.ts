import { existsSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ChatMessage } from '../../support/chat.js';
import { referenceCount } from '../../support/reference-count.js';
import { keylessSummaries, type Rewrite } from './keyless-summary.js';
import { Peer } from '../../../src/faces/cli/bench/peer.js';
import type { Policy, Replay, SentRequest } from './policy.js';

/** Peers that take seconds for every compaction, so that a replay of the corpus would take days. */
const TOO_SLOW = new Set(['langchain-trim-o200k', 'opencode-dcp']);

const INSTALL = `cp -r ../shared/peers DIR, outside any repository, and install there as its README says (1.3 GB)`;

/** Every adapter of a prepared install twice: with the fixed stub as its summary, and with our text instead. */
export async function openPeers(
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<{ policies: Policy[]; notes: string[] }> {
  const adapters = resolve(folder, 'adapters');
  if (!existsSync(adapters) || !existsSync(resolve(folder, 'node_modules'))) {
    return { policies: [], notes: [`no prepared install of the peers in ${folder}: ${INSTALL}`] };
  }
  const names = readdirSync(adapters)
    .filter((file) => file.endsWith('.mjs') && !file.startsWith('_'))
    .map((file) => file.slice(0, -'.mjs'.length))
    .filter((name) => isWanted(`peer:${name}`));
  const policies: Policy[] = [];
  const notes: string[] = [];
  for (const name of names.sort()) {
    const refusal = TOO_SLOW.has(name)
      ? 'takes seconds a call'
      : await refusalOf(join(adapters, `${name}.mjs`));
    if (refusal !== undefined) notes.push(`peer:${name} is left out: ${refusal}`);
    else policies.push(...bothOf(name, join(adapters, `${name}.mjs`)));
  }
  return { policies, notes };
}

async function refusalOf(adapter: string): Promise<string | undefined> {
  const trial = new Peer(adapter);
  try {
    await trial.compact([{ role: 'user', content: 'hello' }], 1_000);
    return undefined;
  } catch (error) {
    return (error as Error).message.split('\n')[0]!.slice(0, 160);
  } finally {
    trial.close();
  }
}

function bothOf(name: string, adapter: string): Policy[] {
  const policy = (title: string, rewriteFor: (replay: Replay) => Promise<Rewrite>): Policy => ({
    name: title,
    allowance: 'narrowed',
    replay: (replay) => compacting(new Peer(adapter), replay, rewriteFor(replay)),
  });
  return [
    policy(`peer:${name}`, async () => (messages) => messages),
    policy(`peer:${name}+ours`, ({ session }) => keylessSummaries(session)),
  ];
}

/** Compacts before each assistant message if the messages exceed the window, as `replay.mjs` of the peers does. */
async function* compacting(
  peer: Peer,
  { session, judged, budgetAt }: Replay,
  rewriting: Promise<Rewrite>,
): AsyncIterable<SentRequest> {
  const rewrite = await rewriting;
  const last = Math.max(...judged);
  let current: readonly ChatMessage[] = [];
  try {
    for (const [index, message] of session.chat.slice(0, last + 1).entries()) {
      if (message.role === 'assistant') {
        const budget = budgetAt(index);
        if (referenceCount(current) > budget) current = await attempt(peer, current, budget, index, rewrite);
        yield { index, messages: current };
      }
      current = [...current, message];
    }
  } finally {
    peer.close();
  }
}

/** A peer that throws has not compacted: the agent would continue with its old messages. */
async function attempt(
  peer: Peer,
  current: readonly ChatMessage[],
  budget: number,
  index: number,
  rewrite: Rewrite,
): Promise<readonly ChatMessage[]> {
  try {
    return rewrite(await peer.compact(current, budget), index, budget);
  } catch {
    return current;
  }
}
