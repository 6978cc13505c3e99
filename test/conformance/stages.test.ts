import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { BUILT_IN_STAGES } from '../../src/stages/index.js';
import type { Message, Part } from '../../src/transcript/index.js';
import { Bench } from '../unit/stages/support.js';

/** What one message of a random session is: enough to meet every kind of exchange, and the untidy ones. */
type Beat =
  | { kind: 'user' | 'assistant' | 'reminder' | 'pin'; words: number }
  | { kind: 'step'; calls: number; words: number; skip: boolean; interrupted: boolean; pinned: boolean };

const words = fc.integer({ min: 1, max: 120 });
const beat: fc.Arbitrary<Beat> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('user', 'assistant', 'reminder', 'pin'), words }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      calls: fc.integer({ min: 1, max: 3 }),
      words,
      skip: fc.boolean(),
      interrupted: fc.boolean(),
      pinned: fc.integer({ max: 9, min: 0 }).map((n) => n === 0),
    }),
  },
) as fc.Arbitrary<Beat>;

const TOOLS = ['Read', 'Bash', 'skill', 'Write'];

function sessionOf(beats: readonly Beat[]): Message[] {
  const messages: Message[] = [];
  const add = (role: Message['role'], origin: Message['origin'], parts: Part[], pinned = false): void => {
    messages.push({ id: `m${messages.length}`, role, origin, parts, ...(pinned && { pinned }) });
  };
  add('system', 'system', [text('rules')]);
  beats.forEach((item, i) => {
    if (item.kind !== 'step') {
      const role = item.kind === 'assistant' ? 'assistant' : 'user';
      const origin = item.kind === 'reminder' ? 'synthetic' : role === 'user' ? 'user' : 'model';
      add(role, origin, [text(prose(item.kind === 'reminder' ? 1 : i, item.words))], item.kind === 'pin');
      return;
    }
    const calls = Array.from({ length: item.calls }, (_, c): Part => {
      const args = { file_path: `src/f${(i + c) % 5}.ts`, content: prose(i, item.words * 2) };
      return {
        type: 'tool-call',
        callId: `c${i}.${c}`,
        name: TOOLS[(i + c) % 4]!,
        arguments: JSON.stringify(args),
      };
    });
    add('assistant', 'model', [text(prose(i, 4)), ...calls], item.pinned);
    // An interrupted step misses its last result; a user may speak between a call and its results.
    const answered = item.interrupted ? calls.slice(0, -1) : calls;
    if (item.skip) add('user', 'user', [text(`wait ${i}`)]);
    for (const call of answered) {
      if (call.type !== 'tool-call') continue;
      add('tool', 'tool', [
        { type: 'tool-result', callId: call.callId, content: [text(prose(i, item.words))] },
      ]);
    }
  });
  return messages;
}

function text(value: string): { type: 'text'; text: string } {
  return { type: 'text', text: value };
}

function prose(seed: number, length: number): string {
  return Array.from({ length }, (_, i) => (i % 9 === 8 ? 'because\n' : `word${(seed * 7 + i) % 50}`)).join(
    ' ',
  );
}

const OPTIONS: Readonly<Record<string, readonly object[]>> = {
  snip: [
    {},
    { protectTokens: 0 },
    { protectTokens: 0, mode: 'remove', retention: { default: { count: 1 } } },
    {
      protectTokens: 0,
      mode: 'remove',
      dialogue: { turns: 1 },
      arguments: { minTokens: 20, protectShare: 0 },
    },
    { protectTokens: 0, notice: '[gone]', protectTurns: 1, minimumSavings: 50 },
  ],
  micro: [{}, { protectTokens: 0, minTokens: 10, maxTokens: 40 }],
  collapse: [{}],
  auto: [{}, { windowMessages: 1, preserveRecent: 0, maxSummaryTokens: 60 }],
  partial: [{}, { retainCount: 0, maxSummaryTokens: 60 }],
  full: [{}, { maxSummaryTokens: 60 }],
};

const cases = BUILT_IN_STAGES.flatMap((stage) =>
  (OPTIONS[stage.name] ?? []).map((options) => ({
    stage,
    name: stage.name,
    options,
    shown: JSON.stringify(options),
  })),
);
const session = fc.array(beat, { minLength: 1, maxLength: 30 }).map(sessionOf);
const goal = fc.record({
  reclaim: fc.constantFrom(0, 50, 400, 1_000_000),
  reclaimResults: fc.constantFrom(0, 0, 80),
  budget: fc.constantFrom(200, 1_000, 8_000),
});

describe('built-in stages on random sessions', () => {
  it.each(cases)(
    '$name $shown proposes only what the guard lets through, and then nothing more',
    ({ stage, options }) => {
      fc.assert(
        fc.property(session, goal, (messages, wanted) => {
          const bench = new Bench(messages);
          const { tokens } = bench;
          const results = bench.projection.resultTokens;
          const faults = bench.apply(bench.plan(stage, options, wanted), stage.name);
          expect(faults).toEqual([]);
          const left = {
            ...wanted,
            reclaim: wanted.reclaim - (tokens - bench.tokens),
            reclaimResults: wanted.reclaimResults - (results - bench.projection.resultTokens),
          };
          expect(bench.plan(stage, options, left)).toEqual([]);
        }),
        { numRuns: 50 },
      );
    },
  );

  it('keeps every rule when all six run in any order, again and again', () => {
    const order = fc.array(fc.constantFrom(...cases), { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(session, order, goal, (messages, chain, wanted) => {
        const bench = new Bench(messages);
        for (const { stage, options } of chain) {
          expect(bench.apply(bench.plan(stage, options, wanted), stage.name)).toEqual([]);
          expectWholePairs(bench);
        }
      }),
      { numRuns: 100 },
    );
  });

  it('plans the same edits for the same input', () => {
    fc.assert(
      fc.property(session, fc.constantFrom(...cases), (messages, { stage, options }) => {
        expect(new Bench(messages).plan(stage, options)).toEqual(new Bench(messages).plan(stage, options));
      }),
    );
  });
});

/** No call loses a result it had, no result its call, and nothing protected has changed. */
function expectWholePairs(bench: Bench): void {
  const shown = new Set(bench.projection.view.flatMap((message) => message.source?.seq ?? []));
  for (const { seqs } of bench.log.exchanges) {
    const present = seqs.filter((seq) => shown.has(seq)).length;
    expect([0, seqs.length]).toContain(present);
  }
}
