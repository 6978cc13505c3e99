import { SpillwayError } from '../../../errors/index.js';
import { readSession } from '../../importers/index.js';
import { DEFAULT_WINDOW, loadPrices } from '../../../tokens/index.js';
import { formats } from '../../../formats/index.js';
import { closing, openFor, type Closable, type PolicyOptions } from '../open.js';
import type { Terminal } from '../terminal.js';
import { BASELINES } from './baselines.js';
import { type Lane, type LaneCall, ownLane } from './lane.js';
import { Probes } from './probes.js';
import { chatHistoryOf } from './chat-history.js';
import { isRival, rivalNamed } from './rival.js';
import { rivalLane } from './rival-lane.js';
import { type ComparedPolicy, Tally } from './tally.js';

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
  const opened: Closable[] = [];
  return closing(opened, async () => {
    const lanes: Lane[] = [];
    const history = policies.some(isRival) ? await chatHistoryOf(messages) : undefined;
    for (const name of policies.toSorted((a, b) => Number(isRival(a)) - Number(isRival(b)))) {
      if (isRival(name)) {
        // At the budget of Spillway's own, where there is one.
        const budget = lanes[0]?.sums().budget ?? options.window ?? DEFAULT_WINDOW;
        lanes.push(rivalLane(name, await rivalNamed(name), history!, budget));
      } else {
        const one = await openFor(input, { ...options, profile: name, json: true }, terminal).catch(
          (cause: unknown) => {
            throw policyUnknown(name, cause);
          },
        );
        opened.push(one);
        lanes.push(ownLane(name, format, one.session, messages));
      }
    }
    lanes.sort((a, b) => policies.indexOf(a.name) - policies.indexOf(b.name));
    const tallies = lanes.map((lane) => new Tally({ lane, priceOf, model: options.model ?? null }));
    const probes = new Probes();
    const differences = new Map<string, Difference>();
    for (const message of messages) {
      if (message.role === 'assistant') {
        const needed = probes.of(message);
        const calls: LaneCall[] = [];
        for (const lane of lanes) calls.push((await lane.calls.next()).value as LaneCall);
        for (const [i, tally] of tallies.entries()) {
          // A recording may begin with the agent: nothing was sent for that.
          if (message !== messages[0]) tally.add(calls[i]!, needed);
          if (i === 0 || differences.has(tally.name)) continue;
          const found = differenceOf([policies[0]!, calls[0]!], [tally.name, calls[i]!]);
          if (found) differences.set(tally.name, found);
        }
      }
      probes.add(message);
    }
    // What follows the last call is appended, so that the sessions hold all of it.
    for (const lane of lanes) await lane.calls.next();
    return { file, policies: tallies.map(({ done }) => done), differences: [...differences.values()] };
  });
}

/** Where no profile has that name: what else a policy may be is named too. */
export function policyUnknown(name: string, cause: unknown): unknown {
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

/** Where two policies first sent something else. */
interface Difference {
  readonly a: string;
  readonly b: string;
  /** 0-based index of the assistant message of the call. */
  readonly index: number;
  /** Position in the request of the first message that differs. */
  readonly position: number;
  readonly messagesA: number;
  readonly messagesB: number;
  /** The beginning of that message, as each sent it; empty where it sent no more. */
  readonly wordsA: string;
  readonly wordsB: string;
}

const SHOWN_CHARS = 160;

/** Undefined where both sent the same. */
function differenceOf(
  [a, one]: readonly [name: string, call: LaneCall],
  [b, other]: readonly [name: string, call: LaneCall],
): Difference | undefined {
  const sentA = lines(one);
  const sentB = lines(other);
  const length = Math.max(sentA.length, sentB.length);
  for (let position = 0; position < length; position++) {
    if (sentA[position] === sentB[position]) continue;
    return {
      a,
      b,
      index: one.index,
      position,
      messagesA: sentA.length,
      messagesB: sentB.length,
      wordsA: (sentA[position] ?? '').slice(0, SHOWN_CHARS),
      wordsB: (sentB[position] ?? '').slice(0, SHOWN_CHARS),
    };
  }
  return undefined;
}

/** A call that could not fit sent nothing. */
const lines = ({ prepared }: LaneCall): readonly string[] =>
  prepared?.messages.map((message) => JSON.stringify(message)) ?? [];
