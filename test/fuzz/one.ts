import { createSpillway, SpillwayError, type Spillway } from '../../src/index.js';
import { formats } from '../../src/formats/index.js';
import { Dice, historyOf, TRAITS, validators, type Trait } from '../../src/testkit/index.js';

/** A request that its provider would refuse, or a session that ended in a forbidden way. */
export interface Found {
  /** The seed that repeats the run. */
  readonly seed: number;
  readonly where: string;
  readonly what: string;
}

export interface Fuzzed {
  readonly requests: number;
  readonly found: readonly Found[];
}

const PROFILES = ['staged', 'agent', 'operator', 'pivot', 'reducer'] as const;
const BUDGETS = [700, 1_500, 4_000] as const;
const CHAINS = [1, 3, 10, 34] as const;

const engines = new Map<string, Promise<Spillway>>();

function engineOf(profile: string, inputBudget: number): Promise<Spillway> {
  const key = `${profile} ${inputBudget}`;
  const known = engines.get(key) ?? createSpillway({ profile, inputBudget });
  engines.set(key, known);
  return known;
}

/** One generated session with forced compactions; after each, its request is written and judged in every format. */
export async function fuzzOne(seed: number): Promise<Fuzzed> {
  const dice = new Dice(seed);
  const traits: readonly Trait[] = dice.hits(0.5) ? TRAITS : TRAITS.filter(() => dice.hits(0.4));
  const messages = historyOf({ seed, length: dice.whole(4, 50), traits });
  const [profile, budget, times] = [dice.pick(PROFILES), dice.pick(BUDGETS), dice.pick(CHAINS)];
  const session = (await engineOf(profile, budget)).session();
  const found: Found[] = [];
  let requests = 0;
  const chunk = Math.ceil(messages.length / times);
  for (let from = 0; from < messages.length; from += chunk) {
    const where = `${profile} at ${budget}, message ${from + chunk} of ${messages.length}, chain of ${times}`;
    session.append(...messages.slice(from, from + chunk));
    try {
      if (from > 0 || times === 1) await session.operator.compact({ target: dice.pick([0.2, 0.5]) });
      const { view } = await session.prepare();
      for (const format of formats.values()) {
        requests += 1;
        const { messages: sent, beside } = format.serialise(view);
        const body = JSON.parse(JSON.stringify({ ...beside, [format.messagesField]: sent })) as unknown;
        const fault = validators.get(format.name)!(body)[0];
        if (fault)
          found.push({
            seed,
            where: `${where}, ${format.name}`,
            what: `${fault.rule} at message ${fault.at}: ${fault.what}`,
          });
      }
    } catch (error) {
      if (error instanceof SpillwayError && error.code === 'BUDGET_UNREACHABLE') continue;
      found.push({
        seed,
        where,
        what: error instanceof Error ? (error.stack ?? error.message) : String(error),
      });
    }
  }
  return { requests, found };
}
