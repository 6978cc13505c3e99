import fc from 'fast-check';
import { createSpillway, recallTool, type SpillwayError } from '../../src/index.js';
import { textOf } from '../../src/transcript/index.js';
import { histories } from '../support/histories.js';

const MARK = /\[[^[\]\n]*recall [^\]\n]+\]|\(compacted [^\s;]+; recall by handle\)/g;

const counter = {
  name: 'quarter',
  exact: false,
  count: (text: string): number => Math.ceil(text.length / 4),
};

it('N11: every mark that compaction writes is a handle, as it stands', async () => {
  let marks = 0;
  await fc.assert(
    fc.asyncProperty(histories(), fc.double({ min: 1.1, max: 5, noNaN: true }), async (history, full) => {
      const measuring = (await createSpillway({ counter })).session();
      await measuring.append(...history);
      const inputBudget = Math.max(200, Math.ceil(measuring.reading.tokens / full));
      const session = (await createSpillway({ counter, inputBudget, settings: { safetyMargin: 0 } })).session(
        { tools: [recallTool] },
      );
      await session.append(...history);
      try {
        await session.prepare();
      } catch (error) {
        expect((error as SpillwayError).code).toBe('BUDGET_UNREACHABLE');
        return;
      }
      const said = history.flatMap(({ parts }) => parts.map((part) => JSON.stringify(part))).join('\n');
      const shown = session.view.flatMap(({ message }) =>
        message.parts.map((part) => (part.type === 'tool-call' ? part.arguments : textOf(part))),
      );
      for (const [mark] of shown.join('\n').matchAll(MARK)) {
        // What somebody said themselves names what they like.
        if (said.includes(mark)) continue;
        const found = await session.recall({ handle: mark });
        expect({ mark, pieces: found.length > 0 }).toEqual({ mark, pieces: true });
        marks++;
      }
    }),
    { numRuns: 60 },
  );
  expect(marks).toBeGreaterThan(10);
});

it('N11: every recall is answered, or refused with a code', async () => {
  const field = fc.oneof(
    fc.string(),
    fc.constantFrom('m0', 'm1..m3', 'm1, m2', '[recall m1]', 'm1#0', 'm0@3', 'm9..m1', '…', '#0', '@'),
    fc.integer(),
    fc.constant(null),
    fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 4 }),
    fc.jsonValue(),
  );
  const request = fc.oneof(
    fc.record({ handle: field, query: field, limit: field, maxTokens: field }, { requiredKeys: [] }),
    fc.jsonValue(),
  );
  await fc.assert(
    fc.asyncProperty(
      histories(),
      fc.array(request, { minLength: 5, maxLength: 20 }),
      async (history, requests) => {
        const session = (await createSpillway({ counter })).session();
        await session.append(...history);
        for (const one of requests) {
          try {
            expect(Array.isArray(await session.recall(one as never))).toBe(true);
          } catch (error) {
            expect(['RECALL_INVALID', 'MESSAGE_UNKNOWN']).toContain((error as SpillwayError).code);
          }
        }
      },
    ),
    { numRuns: 60 },
  );
});
