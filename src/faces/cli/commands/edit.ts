import { readFile } from 'node:fs/promises';
import { SpillwayError } from '../../../errors/index.js';
import type { PlannedEdit } from '../../../transcript/index.js';
import { amount } from '../report/numbers.js';
import { editLines, type Said, type Within } from './within.js';

/** Changes the plan that waits; it is judged and measured again, and waits on under another hash. */
export async function edit({ session, options }: Within, hash?: string): Promise<Said> {
  const { drop = [], keep = [], text = [] } = options;
  await session.load();
  const { pending } = session.operator;
  if (!pending || (hash !== undefined && !pending.plan.hash.startsWith(hash))) {
    throw new SpillwayError('PLAN_UNKNOWN', {
      subject: 'plan',
      found: hash ?? 'none waits',
      ...(pending && { allowed: pending.plan.hash }),
      remedy: '`spillway plan SESSION --propose` makes one; `spillway history` says what waits.',
    });
  }
  const words = await Promise.all(text.map((one) => wordsAt(one, pending.plan.edits)));
  for (const place of drop) checkPlace('--drop', String(place), pending.plan.edits);
  const plan = await session.operator.edit(pending.plan, {
    without: drop,
    keep,
    text: Object.fromEntries(words),
  });
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

/** Lets go of what undoing holds: later compactions may take it again. */
export async function release({ session }: Within): Promise<Said> {
  await session.load();
  const released = session.operator.ledger.holds.length;
  if (released > 0) await session.operator.release();
  const spans = released === 1 ? '1 span' : `${released} spans`;
  return { value: { released }, lines: () => [released > 0 ? `released: ${spans}` : 'nothing is held'] };
}

async function wordsAt(given: string, edits: readonly PlannedEdit[]): Promise<readonly [number, string]> {
  const [place = '', file = ''] = given.split(/=(.*)/s);
  checkPlace('--text', place, edits);
  try {
    return [Number(place), await readFile(file, 'utf8')];
  } catch (cause) {
    throw new SpillwayError('INPUT_UNREADABLE', {
      subject: '--text',
      found: file,
      allowed: 'PLACE=FILE',
      remedy: 'Name the place of an edit and a file that can be read.',
      cause,
    });
  }
}

function checkPlace(option: string, place: string, edits: readonly PlannedEdit[]): void {
  if (/^\d+$/.test(place) && Number(place) < edits.length) return;
  throw new SpillwayError('CONFIG_INVALID', {
    subject: option,
    found: place,
    allowed: `0 to ${edits.length - 1}`,
    remedy: 'Places are the numbers in front of the edits of the plan.',
  });
}
