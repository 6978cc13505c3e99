import { existsSync, readFileSync, statSync } from 'node:fs';
import { SpillwayError } from '../../../errors/index.js';
import { formats } from '../../../formats/index.js';
import { openFor, type PolicyOptions } from '../open.js';
import type { Terminal } from '../terminal.js';
import { ownLane, rivalLane, type Lane } from './lane.js';
import { Peer } from './peer.js';
import { BASELINES, isRival, rivalNamed } from './rival.js';
import { hashOf } from './state.js';
import type { Subject } from './subject.js';

/** One policy of the bench. */
export interface BenchPolicy {
  readonly name: string;
  /** Identifies the policy's results, together with the session and the budget. */
  readonly identity: string;
  /** Package and version of an adapter. */
  readonly package?: string;
  /** Reads the session in the lane's form before memory is measured, because this data is not the policy's. */
  load(subject: Subject): Promise<unknown>;
  lane(subject: Subject, budget: number): Promise<Lane>;
  close?(): void;
}

/** Throws `CONFIG_INVALID` if an adapter cannot be loaded or two policies have the same name. */
export async function openPolicies(
  names: readonly string[],
  peers: readonly string[],
  options: PolicyOptions & { readonly memory?: boolean },
  terminal: Terminal,
): Promise<BenchPolicy[]> {
  const opened: BenchPolicy[] = [];
  try {
    for (const name of names)
      opened.push(isRival(name) ? await rivalPolicy(name) : spillwayPolicy(name, options, terminal));
    for (const adapter of peers) opened.push(await peerPolicy(new Peer(adapter, options.memory), adapter));
    const duplicate = opened.find(({ name }, at) => opened.findIndex((one) => one.name === name) !== at);
    if (duplicate) throw duplicateName(duplicate.name);
    return opened;
  } catch (error) {
    for (const one of opened) one.close?.();
    throw error;
  }
}

const textOf = (file = ''): string =>
  existsSync(file) && statSync(file).isFile() ? readFileSync(file, 'utf8') : '';

const spillwayPolicy = (name: string, options: PolicyOptions, terminal: Terminal): BenchPolicy => ({
  name,
  identity: hashOf('own', name, textOf(name), textOf(options.config)),
  load: (subject) => subject.input,
  async lane(subject, window) {
    const input = await subject.input;
    const to = subject.isRead || !formats.has(input.format) ? 'openai-chat' : input.format;
    const own = { ...options, window, to, profile: name, json: true };
    const opened = await openFor(input, own, terminal).catch((cause: unknown) => {
      throw policyUnknown(name, cause);
    });
    return ownLane(to, opened, input.parsed.messages);
  },
});

async function rivalPolicy(name: string): Promise<BenchPolicy> {
  const rival = await rivalNamed(name);
  return {
    name,
    identity: hashOf('rival', name, textOf(name)),
    load: (subject) => subject.history,
    lane: async (subject, budget) => rivalLane(rival, await subject.history, budget),
  };
}

async function peerPolicy(peer: Peer, adapter: string): Promise<BenchPolicy> {
  const described = await peer.describe();
  return {
    name: peer.name,
    package: described,
    identity: hashOf('peer', peer.name, described, textOf(adapter)),
    load: (subject) => subject.history,
    lane: async (subject, budget) =>
      rivalLane((messages, tokens) => peer.compact(messages, tokens), await subject.history, budget, {
        work: () => peer.work,
      }),
    close: () => peer.close(),
  };
}

/** The error for an unknown profile name, with the other kinds of policies added. */
function policyUnknown(name: string, cause: unknown): unknown {
  if (!(cause instanceof SpillwayError) || cause.code !== 'PROFILE_UNKNOWN') return cause;
  const known = [...((cause.facts['known'] as readonly string[] | undefined) ?? []), ...BASELINES.keys()];
  return new SpillwayError('PROFILE_UNKNOWN', {
    subject: 'policy',
    found: name,
    allowed: known.join(', '),
    remedy: 'Name one of these, a file of settings, or a module (.js, .mjs, .cjs) that exports `compact`.',
    facts: { known },
    cause,
  });
}

const duplicateName = (name: string): SpillwayError =>
  new SpillwayError('CONFIG_INVALID', {
    subject: 'policies',
    found: `two of the name ${name}`,
    allowed: 'each name once',
    remedy: 'Name it once, or give an adapter another file name.',
  });
