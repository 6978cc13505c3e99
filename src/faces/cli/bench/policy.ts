import { existsSync, readFileSync } from 'node:fs';
import { SpillwayError } from '../../../errors/index.js';
import { formats } from '../../../formats/index.js';
import { policyUnknown } from '../compare/compare-file.js';
import { type Lane, ownLane } from '../compare/lane.js';
import { Peer } from '../compare/peer.js';
import { isRival, rivalNamed } from '../compare/rival.js';
import { rivalLane } from '../compare/rival-lane.js';
import { openFor, type PolicyOptions } from '../open.js';
import type { Terminal } from '../terminal.js';
import { hashOf } from './state.js';
import type { Subject } from './subject.js';

/** One policy of the bench. */
export interface BenchPolicy {
  readonly name: string;
  /** What its results are known by beside the session and the budget. */
  readonly identity: string;
  /** Package and version, of an adapter. */
  readonly package?: string;
  /** Has the session read as its lane wants it: that is nothing that the policy holds. */
  reads(subject: Subject): Promise<unknown>;
  lane(subject: Subject, budget: number): Promise<OpenLane>;
  close(): void;
}

export interface OpenLane {
  readonly lane: Lane;
  /** Of a process of its own, where it has one. */
  readonly heapBytes?: () => number;
  close(): Promise<void>;
}

/** Throws `CONFIG_INVALID` where an adapter cannot be loaded, or two carry one name. */
export async function openPolicies(
  names: readonly string[],
  peers: readonly string[],
  options: PolicyOptions & { readonly memory?: boolean },
  terminal: Terminal,
): Promise<BenchPolicy[]> {
  const opened: BenchPolicy[] = [];
  try {
    for (const name of names)
      opened.push(isRival(name) ? await rivalOf(name) : ownOf(name, options, terminal));
    for (const adapter of peers) opened.push(await peerOf(new Peer(adapter, options.memory), adapter));
    const twice = opened.find(({ name }, at) => opened.findIndex((one) => one.name === name) !== at);
    if (twice) throw namedTwice(twice.name);
    return opened;
  } catch (error) {
    for (const one of opened) one.close();
    throw error;
  }
}

const nothing = (): void => undefined;
const textOf = (file: string | undefined): string =>
  file !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '';

function ownOf(name: string, options: PolicyOptions, terminal: Terminal): BenchPolicy {
  return {
    name,
    identity: hashOf('own', name, textOf(name), textOf(options.config)),
    close: nothing,
    reads: (subject) => subject.input,
    async lane(subject, window) {
      const input = await subject.input;
      const to = subject.isRead || !formats.has(input.format) ? 'openai-chat' : input.format;
      const opened = await openFor(
        input,
        { ...options, window, to, profile: name, json: true },
        terminal,
      ).catch((cause: unknown) => {
        throw policyUnknown(name, cause);
      });
      const lane = ownLane(name, to, opened.session, input.parsed.messages);
      return { lane, close: () => opened.close() };
    },
  };
}

async function rivalOf(name: string): Promise<BenchPolicy> {
  const rival = await rivalNamed(name);
  return {
    name,
    identity: hashOf('rival', name, textOf(name)),
    close: nothing,
    reads: (subject) => subject.history,
    lane: async (subject, budget) => ({
      lane: rivalLane(name, rival, await subject.history, budget),
      close: () => Promise.resolve(),
    }),
  };
}

async function peerOf(peer: Peer, adapter: string): Promise<BenchPolicy> {
  const described = await peer.describe();
  return {
    name: peer.name,
    package: described,
    identity: hashOf('peer', peer.name, described, textOf(adapter)),
    close: () => peer.close(),
    reads: (subject) => subject.history,
    lane: async (subject, budget) => ({
      lane: rivalLane(
        peer.name,
        (messages, tokens) => peer.compact(messages, tokens),
        await subject.history,
        budget,
        {
          ownMs: () => peer.work.ms,
        },
      ),
      heapBytes: () => peer.work.heapBytes,
      close: () => Promise.resolve(),
    }),
  };
}

function namedTwice(name: string): SpillwayError {
  return new SpillwayError('CONFIG_INVALID', {
    subject: 'policies',
    found: `two of the name ${name}`,
    allowed: 'each name once',
    remedy: 'Name it once, or give an adapter another file name.',
  });
}
