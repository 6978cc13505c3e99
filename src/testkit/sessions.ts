import { thrownText } from '../errors/index.js';
import {
  createSpillway,
  SpillwayError,
  type PressureEvent,
  type Session,
  type SpillwayOptions,
} from '../index.js';
import { frozen } from './frozen.js';
import { historyOf } from './histories/index.js';
import { demandLegal } from './legal.js';
import { RuleBroken } from './rule.js';

interface PlayOptions {
  readonly seed: number;
  /** The number of messages of the whole history. */
  readonly length: number;
  /** The number of compactions, one after each of as many pieces of the history. */
  readonly times: number;
  /** Options of the engine under test. */
  readonly options: SpillwayOptions;
  readonly onEvent?: (event: PressureEvent, where: string) => void;
}

/**
 * Compacts a session repeatedly as it grows. The log stays whole, each request is legal, and none grows by a
 * compaction. Throws `RuleBroken`.
 */
export async function playSession({ seed, length, times, options, onEvent }: PlayOptions): Promise<void> {
  const spillway = await createSpillway({ inputBudget: 1_500, ...options });
  let appended = 0;
  const where = (): string => `history ${seed} after ${appended} messages`;
  if (onEvent) spillway.events.subscribe((event) => onEvent(event, where()));
  try {
    const session = spillway.session();
    const messages = frozen(historyOf({ seed, length }));
    const chunk = Math.ceil(length / times);
    for (let from = 0; from < length; from += chunk) {
      const next = messages.slice(from, from + chunk);
      await session.append(...next);
      appended += next.length;
      await checkCompacted(session, where());
    }
  } finally {
    await spillway.close();
  }
}

async function checkCompacted(session: Session, where: string): Promise<void> {
  const { length } = session.log;
  const { tokens } = session.reading;
  const before = logJson(session, length);
  const sent = await requestOf(session, where);
  if (logJson(session, length) !== before) throw new RuleBroken(`${where}: the log was changed`);
  if (!sent) return;
  demandLegal(sent.view, where);
  if (sent.reading.tokens > Math.max(tokens, sent.reading.budget.tokens))
    throw new RuleBroken(`${where}: the request grew from ${tokens} to ${sent.reading.tokens} tokens`);
}

/** The request; undefined if the typed error reports that it cannot fit. Any other error breaks the rule. */
async function requestOf(session: Session, where: string) {
  try {
    await session.operator.compact({ target: 0.3 });
    return await session.prepare();
  } catch (error) {
    if (error instanceof SpillwayError && error.code === 'BUDGET_UNREACHABLE') return undefined;
    throw new RuleBroken(`${where}: ${thrownText(error)}`, { cause: error });
  }
}

const logJson = ({ log }: Session, length: number): string => JSON.stringify(log.between(0, length - 1));
