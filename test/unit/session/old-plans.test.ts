import { describe, expect, it } from '@jest/globals';
import { createSpillway, type Message, type Session } from '../../../src/index.js';
import { hashPlan } from '../../../src/pipeline/index.js';
import { OldPlans } from '../../../src/session/old-plans.js';
import { Ledger, type CompactionRecord } from '../../../src/transcript/index.js';

const WORDS = 'river mill wall boat rain wind hill stone oak wheel gate water'.split(' ');
const prose = (seed: number, words: number): string =>
  Array.from({ length: words }, (_, i) => WORDS[(seed * 7 + i * (1 + (seed % 5))) % 12]).join(' ');

/** A question, and what the model read and said. */
function turn(i: number): Message[] {
  const call = { type: 'tool-call' as const, callId: `c${i}`, name: 'look', arguments: `{"i":${i}}` };
  const content = [{ type: 'text' as const, text: `src/mill/wheel-${i}.ts ${prose(i, 900)}` }];
  const text = (id: string, role: 'user' | 'assistant', words: string): Message => ({
    id: `${id}${i}`,
    role,
    origin: role === 'user' ? 'user' : 'model',
    parts: [{ type: 'text', text: words }],
  });
  return [
    text('u', 'user', `Question ${i}: ${prose(i, 90)}`),
    { id: `a${i}`, role: 'assistant', origin: 'model', parts: [call] },
    {
      id: `t${i}`,
      role: 'tool',
      origin: 'tool',
      parts: [{ type: 'tool-result', callId: `c${i}`, name: 'look', content }],
    },
    text('s', 'assistant', `Answer ${i}: ${prose(i + 3, 90)}`),
  ];
}

async function played(turns: number): Promise<{ session: Session; committed: CompactionRecord[] }> {
  const spillway = await createSpillway({
    inputBudget: 6_000,
    settings: { counter: 'heuristic', safetyMargin: 0 },
  });
  const session = spillway.session();
  const committed: CompactionRecord[] = [];
  for (let i = 0; i < turns; i++) {
    for (const message of turn(i)) {
      if (message.role === 'assistant') {
        const { run } = await session.prepare();
        if (run.record) committed.push(run.record);
      }
      await session.append(message);
    }
  }
  return { session, committed };
}

const isPacked = ({ plan }: CompactionRecord): boolean =>
  Object.getOwnPropertyDescriptor(plan, 'edits')?.get !== undefined;

describe('plans of old records', () => {
  it('are held deflated, all but the newest two, and say the same to the byte', async () => {
    const { session, committed } = await played(30);
    expect(committed.length).toBeGreaterThan(5);
    const was = JSON.stringify(committed);
    const ledger = session.operator.ledger as Ledger;
    await new OldPlans(ledger).pack();
    const large = committed.map(({ plan }) => JSON.stringify(plan.edits).length >= 2_000);
    const oldest = large.slice(0, -2);
    expect(oldest.filter(Boolean).length).toBeGreaterThan(1);
    expect(ledger.records.map(isPacked)).toEqual([...oldest, false, false]);
    expect(JSON.stringify(session.operator.history)).toBe(was);
    for (const { plan } of session.operator.history) {
      const { hash, ...rest } = plan;
      expect(hashPlan(rest)).toBe(hash);
    }
    // A ledger that is read from what is stored is the same one.
    const again = Ledger.of(JSON.parse(JSON.stringify(ledger.events)));
    expect(JSON.stringify(again.records)).toBe(was);
  });

  it('are undone, gone back to and explained as they were made', async () => {
    const { session } = await played(24);
    const early = session.operator.calls.find(({ record }) => record !== undefined)!;
    const before = await session.operator.explainCall(early.call);
    await new OldPlans(session.operator.ledger as Ledger).pack();
    const after = await session.operator.explainCall(early.call);
    expect(JSON.stringify(after)).toBe(JSON.stringify(before));
    const [first, second] = session.operator.history;
    const undone = await session.operator.undo({ to: second!.id });
    expect(undone.length).toBe(session.operator.history.length - 1);
    // What is left is the view that the first one made, and all that came since.
    const shown = session.view.filter(({ source, replaced }) => !source || replaced).length;
    expect(shown).toBeGreaterThan(0);
    await session.operator.undo({ to: first!.id });
    expect(session.view.map(({ message }) => message)).toEqual(
      Array.from({ length: session.log.length }, (_, seq) => session.log.at(seq)),
    );
  });

  it('keep their flags, and take new ones', async () => {
    const { session } = await played(20);
    const [first] = session.operator.history;
    await session.operator.flag(first!.id, 'bad', 'lost the path');
    await new OldPlans(session.operator.ledger as Ledger).pack();
    expect(session.operator.history[0]).toMatchObject({
      flag: 'bad',
      notes: 'lost the path',
      status: 'committed',
    });
    await session.operator.flag(first!.id, 'good');
    expect(session.operator.history[0]).toMatchObject({ flag: 'good', plan: { hash: first!.plan.hash } });
  });
});
