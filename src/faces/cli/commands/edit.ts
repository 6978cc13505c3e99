import { readFile } from 'node:fs/promises';
import { SpillwayError } from '../../../errors/index.js';
import { amount, counted } from '../report/numbers.js';
import { editLines, type Output, type Scope } from './session-action.js';

/** Changes the pending plan. The plan is judged and measured again, and remains pending under another hash. */
export async function edit({ session, options }: Scope, hash?: string): Promise<Output> {
  const { drop = [], keep = [], text = [] } = options;
  await session.load();
  const { pending } = session.operator;
  if (!pending || (hash !== undefined && !pending.plan.hash.startsWith(hash))) {
    throw new SpillwayError('PLAN_UNKNOWN', {
      ...(hash === undefined ? { subject: 'no plan waits' } : { subject: 'plan', found: hash }),
      ...(pending && { allowed: pending.plan.hash }),
      remedy: '`spillway plan SESSION --propose` makes a plan; `spillway history` shows what waits.',
    });
  }
  const words = Object.fromEntries(await Promise.all(text.map(editTextAt)));
  const plan = await session.operator.edit(pending.plan, { without: drop, keep, text: words });
  return {
    value: plan,
    lines: () => [
      `plan ${plan.hash}`,
      `${amount(plan.before.tokens)} -> ${amount(plan.after.tokens)} tokens`,
      ...editLines(plan),
      'waits for approve or reject',
    ],
  };
}

/** Releases the spans that undo holds, so that later compactions may compact them again. */
export async function release({ session }: Scope): Promise<Output> {
  await session.load();
  const released = session.operator.ledger.holds.length;
  if (released > 0) await session.operator.release();
  const line = released > 0 ? `released: ${counted(released, 'span')}` : 'nothing is held';
  return { value: { released }, lines: () => [line] };
}

async function editTextAt(given: string): Promise<readonly [number, string]> {
  const [, place, file = ''] = /^(\d+)=(.+)$/s.exec(given) ?? [];
  try {
    return [Number(place), await readFile(file, 'utf8')];
  } catch (cause) {
    throw new SpillwayError('INPUT_UNREADABLE', {
      subject: '--text',
      found: given,
      allowed: 'PLACE=FILE',
      remedy: 'Name the place of an edit and a file that can be read.',
      cause,
    });
  }
}
