import { GENESIS, Ledger, partHandle, renderAll, spanHandle } from '../../../src/transcript/index.js';
import type { CompactionRecord, Plan, PlannedEdit } from '../../../src/transcript/index.js';
import { Bench } from '../../support/bench.js';
import { planned, supersede } from '../../support/edits.js';
import { look } from '../../support/looks.js';
import { says, summary, words } from '../../support/messages.js';

function recordOf(id: string, base: string, edits: readonly PlannedEdit[] = []): CompactionRecord {
  const plan = { base, edits } as Plan;
  return { id, kind: 'compaction', status: 'committed', plan, committedAt: 0, durationMs: 0, stageMs: {} };
}

const hold = () => ({ from: 0, to: 1 });

describe('the ledger', () => {
  it('takes a plan made on its head, and no other', () => {
    const ledger = new Ledger();
    expect(ledger.head).toBe(GENESIS);
    ledger.commit(recordOf('c1', GENESIS));
    const stale = recordOf('c2', GENESIS);
    expect(() => ledger.commit(stale)).toThrow(
      expect.objectContaining({ code: 'LEDGER_CONFLICT', retryable: true }),
    );
    ledger.commit(recordOf('c2', ledger.head));
    expect(ledger.records.map((record) => record.id)).toEqual(['c1', 'c2']);
  });

  it('moves its head on an undo, so that earlier plans are refused', () => {
    const ledger = new Ledger();
    ledger.commit(recordOf('c1', GENESIS));
    const before = ledger.head;
    ledger.undoTo('c1', hold);
    expect(ledger.head).not.toBe(before);
    expect(ledger.head).not.toBe(GENESIS);
    expect(() => ledger.commit(recordOf('c2', before))).toThrow(
      expect.objectContaining({ code: 'LEDGER_CONFLICT' }),
    );
    ledger.commit(recordOf('c2', ledger.head));
  });

  it('undoes newest first, deletes no record, and holds the undone spans', () => {
    const ledger = new Ledger();
    const edits = ['a', 'b'].map((id) => planned(supersede('m0', 'm1', summary(id, 'x'))));
    ledger.commit(recordOf('c1', GENESIS, [edits[0]!]));
    ledger.commit(recordOf('c2', ledger.head, [edits[1]!]));
    expect(ledger.liveEdits).toEqual(edits);
    expect(ledger.undoTo('c2', () => ({ from: 3, to: 4 }))).toMatchObject([{ id: 'c2', status: 'undone' }]);
    expect(ledger.liveEdits).toEqual([edits[0]]);
    expect(ledger.undoTo('c1', hold)).toMatchObject([{ id: 'c1' }]);
    expect(ledger.undoTo('c1', hold)).toEqual([]);
    expect(ledger.records.map(({ status }) => status)).toEqual(['undone', 'undone']);
    expect(ledger.holds).toEqual([
      { from: 3, to: 4 },
      { from: 0, to: 1 },
    ]);
    ledger.release();
    expect(ledger.holds).toEqual([]);
  });

  it('releases holds on messages that were rolled back, and keeps holds on earlier ones', () => {
    const ledger = new Ledger();
    for (const [at, span] of [
      [0, 1],
      [4, 6],
    ].entries()) {
      ledger.commit(recordOf(`c${at}`, ledger.head));
      ledger.undoTo(`c${at}`, () => ({ from: span[0]!, to: span[1]! }));
    }
    ledger.play({ kind: 'rollback', length: 7, appended: 9, records: [] });
    expect(ledger.holds.map(({ to }) => to)).toEqual([1, 6]);
    ledger.play({ kind: 'rollback', length: 6, appended: 9, records: [] });
    expect(ledger.holds.map(({ to }) => to)).toEqual([1]);
  });

  it('without live records shows the original messages', () => {
    const bench = Bench.of(says(words(9)), says(words(9)));
    const ledger = new Ledger();
    const original = look(bench.projection);
    ledger.commit(recordOf('c1', GENESIS, [planned(supersede('m0', 'm1', summary('s', 'x')))]));
    ledger.undoTo('c1', hold);
    expect(look(renderAll(bench.log, ledger.liveEdits, bench.isPinned))).toEqual(original);
  });
});

it('handles name a message, a part, a span', () => {
  expect(partHandle('m12', 0)).toBe('m12#0');
  expect(spanHandle('m3', 'm9')).toBe('m3..m9');
  expect(spanHandle('m3', 'm3')).toBe('m3');
});
