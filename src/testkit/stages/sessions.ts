import { createSpillway, SpillwayError, type Session } from '../../index.js';
import { frozen } from '../frozen.js';
import { historyOf } from '../histories/index.js';
import { demandLegal } from '../legal.js';
import { RuleBroken } from '../rule.js';
import type { StageSubject } from './subject.js';

const TIMES = [1, 3, 10, 34] as const;

/** Whole sessions with the stage in the roster, compacted again and again as they grow. */
export async function checkSessions({ stage, options }: StageSubject): Promise<void> {
  for (const [index, times] of TIMES.entries()) {
    const given = options?.[index % Math.max(1, options.length)] ?? {};
    const builtIn = ['snip', 'micro', 'collapse', 'auto', 'partial', 'full'].filter(
      (name) => name !== stage.name,
    );
    const spillway = await createSpillway({
      inputBudget: 1_500,
      stages: builtIn.length === 6 ? [stage] : [],
      settings: {
        roster: [{ stage: stage.name, opensAt: 0.7 }, ...builtIn],
        stages: { [stage.name]: given },
      },
    });
    const session = spillway.session();
    const messages = frozen(historyOf({ seed: 9_000 + times, length: 34 + 3 * times }));
    const chunk = Math.ceil(messages.length / times);
    for (let from = 0; from < messages.length; from += chunk) {
      session.append(...messages.slice(from, from + chunk));
      const where = `history ${9_000 + times} after ${Math.min(from + chunk, messages.length)} messages`;
      const tokens = session.reading.tokens;
      const view = await sent(session, where);
      if (!view) continue;
      demandLegal(view.view, where);
      if (view.reading.tokens > Math.max(tokens, view.reading.budget.tokens))
        throw new RuleBroken(`${where}: the request grew from ${tokens} to ${view.reading.tokens} tokens`);
    }
  }
}

/** What would be sent; undefined where the typed error says that it cannot fit. Any other error breaks the rule. */
async function sent(session: Session, where: string) {
  try {
    await session.operator.compact({ target: 0.3 });
    return await session.prepare();
  } catch (error) {
    if (error instanceof SpillwayError && error.code === 'BUDGET_UNREACHABLE') return undefined;
    throw new RuleBroken(`${where}: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
