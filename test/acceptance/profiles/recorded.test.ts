import { join } from 'node:path';
import { createSpillway, replaySession, type CompactionRecord, type Session } from '../../../src/index.js';
import { readSession } from '../../../src/faces/importers/index.js';
import { validateOpenAiChat } from '../../../src/testkit/index.js';
import { readJson, shownText, spillway, temporaryFolder } from '../support.js';

const SESSION = join('examples', 'sessions', 'pressure-gauge.jsonl');
const WINDOW = 32_000;
const folder = temporaryFolder();
interface Fired {
  readonly record: CompactionRecord;
  /** Pressure before and after it, and of the call before. */
  readonly from: number;
  readonly to: number;
  readonly last: number;
  /** What was sent then, as numbers of the log. A message that replaces others is undefined. */
  readonly sources: readonly (number | undefined)[];
}

interface Played {
  readonly session: Session;
  readonly fired: readonly Fired[];
  readonly highest: number;
  readonly messages: number;
}

/** Plays the recorded session as the live agent did: every request is legal, and the log is the recording. */
async function play(profile: string): Promise<Played> {
  const { parsed } = await readSession(SESSION);
  const engine = await createSpillway({ profile, inputBudget: WINDOW, settings: { counter: 'heuristic' } });
  const session = engine.session();
  const fired: Fired[] = [];
  let highest = 0;
  let last = 0;
  let known = 0;
  for await (const { prepared, pressure } of replaySession(session, parsed.messages)) {
    expect(validateOpenAiChat(prepared!.messages as never)).toEqual([]);
    const { records } = session.operator.ledger;
    for (const record of records.slice(known))
      fired.push({
        record,
        from: record.plan.inputs.pressure,
        to: pressure,
        last,
        sources: prepared!.view.map(({ source }) => source?.seq),
      });
    known = records.length;
    last = pressure;
    highest = Math.max(highest, pressure);
  }
  // Automatic recall adds messages that the recording does not hold.
  const logged = Array.from({ length: session.log.length }, (_, seq) => session.log.at(seq)).filter(
    ({ label }) => label !== 'recalled',
  );
  for (const [index, message] of parsed.messages.entries())
    expect(logged[index]).toMatchObject({ role: message.role, parts: message.parts });
  return { session, fired, highest, messages: parsed.messages.length };
}

/** The same from the command line: as many compactions, and the same highest pressure. */
async function replayed(profile: string, { session, highest }: Played): Promise<void> {
  const report = join(folder.path, `${profile}.json`);
  const args = ['replay', SESSION, '--profile', profile, '--window', String(WINDOW), '--report', report];
  expect((await spillway(args)).code).toBe(0);
  const { totals, calls } = readJson(report) as {
    totals: { compactions: number };
    calls: { pressure: number }[];
  };
  expect(totals.compactions).toBe(session.operator.history.length);
  expect(Math.max(...calls.map(({ pressure }) => pressure))).toBeCloseTo(highest, 6);
}

const compactions = ({ fired }: Played): Fired[] =>
  fired.filter(({ record }) => record.kind === 'compaction');

describe('the recorded session under each profile, and under two of them from the command line', () => {
  it('S1: staged: compacts only from 0.80 of the budget on, with stages in the order of their gates', async () => {
    const played = await play('staged');
    const runs = compactions(played);
    expect(runs.length).toBeGreaterThan(1);
    for (const { from, to, record } of runs) {
      expect(from).toBeGreaterThanOrEqual(0.8);
      expect(to).toBeLessThan(0.8);
      const gates = record.plan.stages.map(({ opensAt }) => opensAt).filter((gate) => gate > 0);
      expect(gates).toEqual(gates.toSorted((a, b) => a - b));
      expect(gates[0]).toBe(0.8);
    }
    expect(played.highest).toBeLessThanOrEqual(1);
    await replayed('staged', played);
  });

  it('K1: operator: compacts from 0.85 of the window down to 0.60', async () => {
    const played = await play('operator');
    const runs = compactions(played);
    expect(runs.length).toBeGreaterThan(1);
    for (const { from, last, to } of runs) {
      expect(from).toBeGreaterThanOrEqual(0.85);
      expect(last).toBeLessThan(0.85);
      expect(to).toBeLessThanOrEqual(0.6);
    }
    expect(played.session.reading.budget.tokens).toBe(WINDOW);
    await replayed('operator', played);
  });

  it('A4: agent: compacts from 80 % on by one summary, and keeps the last ten messages', async () => {
    const played = await play('agent');
    const runs = compactions(played);
    expect(runs.length).toBeGreaterThan(1);
    for (const { from, last, record, sources } of runs) {
      expect(from).toBeGreaterThanOrEqual(0.8);
      expect(last).toBeLessThan(0.8);
      const stages = record.plan.stages.filter(({ opensAt }) => opensAt > 0).map(({ stage }) => stage);
      expect(stages).toEqual(['partial']);
      const kept = sources.filter((seq) => seq !== undefined).slice(-10);
      const newest = kept.at(-1)!;
      expect(kept).toEqual(Array.from({ length: 10 }, (_, i) => newest - 9 + i));
    }
  });

  it('R4: reducer: results of tools expire before calls, and no text of a model is asked for this', async () => {
    const played = await play('reducer');
    const prunes = played.fired.filter(({ record }) => record.kind === 'prune');
    expect(prunes.length).toBeGreaterThan(5);
    for (const { record } of prunes)
      expect(record.plan.edits.every(({ kind, slot }) => kind === 'replace' && slot === undefined)).toBe(
        true,
      );
    const { view } = played.session;
    const results = view.filter(({ source }) => source?.role === 'tool');
    expect(results.map(shownText).filter((text) => text === '[result expired]').length).toBeGreaterThan(5);
    // A call keeps its result, whatever its text is.
    expect(results).toHaveLength(
      Array.from({ length: played.messages }, (_, i) => played.session.log.at(i)).filter(
        ({ role, seq }) => role === 'tool' && view.some(({ source }) => source?.seq === seq),
      ).length,
    );
  });

  it('O1: pivot: compacts only above the usable input, and one summary replaces what came before', async () => {
    const played = await play('pivot');
    const runs = compactions(played);
    expect(runs.length).toBeGreaterThan(0);
    for (const { from, record } of runs) {
      expect(from).toBeGreaterThan(1);
      const [pivot] = record.plan.edits.filter(({ kind }) => kind === 'supersede');
      expect(pivot).toMatchObject({ stage: 'full', replacement: [{ label: 'summary', role: 'assistant' }] });
      const { sources } = runs[0]!;
      const place = sources.indexOf(undefined);
      // Only what may not be removed is left before the pivot.
      for (const seq of sources.slice(0, place))
        expect(['system', 'user']).toContain(played.session.log.at(seq!).role);
    }
  });
});
