import { describe, expect, it } from '@jest/globals';
import { engine, prose } from './support.js';
import { asks, loop, play, text, thoughtsIn, turn, type Wire } from './thinking.js';

const settled = (faults: readonly { readonly inOpenLoop: boolean }[]) =>
  faults.filter(({ inOpenLoop }) => !inOpenLoop);

/** Turns that fill 4,000 tokens several times over. */
const conversation = (): Wire[] => ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => turn(name, 6));

describe('N12: signed reasoning', () => {
  it('N12: after a change, what it invalidates is gone in the same step, and no request is refused', async () => {
    const session = (await engine(4_000, {}, { format: 'anthropic' })).session();
    const calls = await play(session, [...conversation(), asks('And now?')]);
    expect(session.operator.history.length).toBeGreaterThan(2);
    expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
    expect(calls.flatMap(({ signatures }) => settled(signatures))).toEqual([]);
    expect(calls.some(({ messages }) => thoughtsIn(messages).length > 0)).toBe(true);
  });

  it('N12: the record says what was chosen, for how many thoughts, and why', async () => {
    const session = (await engine(4_000, {}, { format: 'anthropic' })).session();
    await play(session, [...conversation(), asks('And now?')]);
    const chosen = session.operator.ledger.records.flatMap(({ plan }) => plan.reasoning ?? []);
    expect(chosen.some(({ choice, settled: gone }) => choice === 'strip' && gone > 0)).toBe(true);
    for (const { why } of chosen) expect(why).toMatch(/signature vouches/);
    const stripped = session.operator.ledger.records.flatMap(({ plan }) =>
      plan.edits.flatMap((edit) => (edit.stage === 'signatures' ? [edit] : [])),
    );
    expect(new Set(stripped.map((edit) => JSON.stringify([edit]))).size).toBe(stripped.length);
    expect(stripped.every((edit) => edit.kind === 'replace' && edit.content.length === 0)).toBe(true);
  });

  it('N12: the reasoning of an open tool loop is never touched: it stays verbatim or its whole step goes', async () => {
    const wire = [...turn('a', 3), asks('Work on it.'), ...loop('b', 24)];
    const session = (await engine(4_000, {}, { format: 'anthropic' })).session();
    const calls = await play(session, wire);
    expect(session.operator.history.length).toBeGreaterThan(1);
    for (const { messages, illegal } of calls) {
      expect(illegal).toEqual([]);
      for (const { role, content } of messages) {
        const ofLoop = content.some(({ id }) => String(id).startsWith('toolu_b_'));
        if (role === 'assistant' && ofLoop) expect(content.map(({ type }) => type)).toContain('thinking');
      }
    }
    const [last] = session.operator.ledger.records.slice(-1);
    expect(last!.plan.reasoning?.why).toContain('the open tool loop keeps its reasoning');
  });

  it('N12: told to keep, nothing is stripped, and the record says that it is the settings’ wish', async () => {
    const wire = conversation();
    const ai = await engine(4_000, { reasoning: { signed: 'keep' } }, { format: 'anthropic' });
    const session = ai.session();
    const calls = await play(session, [...wire, asks('And now?')]);
    const kept = session.operator.ledger.records.flatMap(({ plan }) => plan.reasoning ?? []);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.every(({ choice, settled: gone }) => choice === 'keep' && gone === 0)).toBe(true);
    expect(kept[0]!.why).toContain('reasoning.signed: keep');
    expect(calls.flatMap(({ signatures }) => settled(signatures)).length).toBeGreaterThan(0);
  });

  it('N12: asked to summarise, the steps behind a change give way whole', async () => {
    const ai = await engine(6_000, { reasoning: { signed: 'summarise' } }, { format: 'anthropic' });
    const session = ai.session();
    const calls = await play(session, [...conversation(), asks('And now?')]);
    const chosen = session.operator.ledger.records.flatMap(({ plan }) => plan.reasoning ?? []);
    expect(chosen.some(({ choice }) => choice === 'summarise')).toBe(true);
    const edits = session.operator.ledger.records.flatMap(({ plan }) => plan.edits);
    expect(edits.some(({ stage, kind }) => stage === 'signatures' && kind === 'supersede')).toBe(true);
    expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
    expect(calls.flatMap(({ signatures }) => settled(signatures))).toEqual([]);
  });

  it('N12: a signature counts in bytes, so a batch that only strips frees something', async () => {
    const session = (await engine(100_000, {}, { format: 'anthropic' })).session();
    await play(session, [
      asks('Go.'),
      {
        role: 'assistant',
        content: [{ type: 'redacted_thinking', data: 'x'.repeat(1_600) }, text(prose(10))],
      },
      asks('And?'),
    ]);
    expect(session.reading.tokens).toBeGreaterThan(300);
    expect(session.reading.bytes).toBeGreaterThan(1_600);
  });
});
