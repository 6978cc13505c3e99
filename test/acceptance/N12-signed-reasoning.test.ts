import { compactAnthropic } from '../../src/faces/adapters/index.js';
import { formats, type Session } from '../../src/index.js';
import { validateAnthropic } from '../../src/testkit/index.js';
import { SignatureBook } from '../support/signature-book.js';
import { engine, prose } from './support.js';
import { asks, loop, play, text, thinks, thoughtsIn, turn, type Wire } from './thinking.js';
import { loopOn, playOn, SIGNED_STEPS, STEPS } from './thinking-wires.js';

/** Turns of several times 4,000 tokens. */
const conversation = (): Wire[] => ['a', 'b', 'c', 'd', 'e', 'f'].flatMap((name) => turn(name, 6));

describe('N12: signed reasoning', () => {
  it('N12: through many compactions every request is legal and every signature in it holds', async () => {
    const session = (await engine(4_000, {}, { format: 'anthropic' })).session();
    const calls = await play(session, [...conversation(), asks('And now?')]);
    expect(session.operator.history.length).toBeGreaterThan(2);
    expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
    expect(calls.flatMap(({ signatures }) => signatures)).toEqual([]);
    expect(calls.some(({ messages }) => thoughtsIn(messages).length > 0)).toBe(true);
  });

  it('N12: every request is legal and every signature holds if only pruning changes earlier messages', async () => {
    const settings = {
      prune: 'always',
      stages: { snip: { protectTokens: 900, minimumSavings: 300 } },
    } as const;
    const session = (await engine(100_000, settings, { format: 'anthropic' })).session();
    const calls = await play(session, [...conversation(), asks('And now?')]);
    expect(session.operator.history).toEqual([]);
    expect(session.operator.ledger.records.length).toBeGreaterThan(2);
    expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
    expect(calls.flatMap(({ signatures }) => signatures)).toEqual([]);
    expect(calls.some(({ messages }) => thoughtsIn(messages).length > 0)).toBe(true);
  });

  it('N12: the record says that reasoning was stripped, how much and why, and nothing is stripped twice', async () => {
    const session = (await engine(4_000, {}, { format: 'anthropic' })).session();
    await play(session, [...conversation(), asks('And now?')]);
    const chosen = session.operator.ledger.records.flatMap(({ plan }) => plan.reasoning ?? []);
    expect(chosen.some(({ choice, settled: gone }) => choice === 'strip' && gone > 0)).toBe(true);
    for (const { why } of chosen) expect(why).toMatch(/signature covers/);
    const stripped = session.operator.ledger.records.flatMap(({ plan }) =>
      plan.edits.flatMap((edit) => (edit.stage === 'signatures' ? [edit] : [])),
    );
    expect(new Set(stripped.map((edit) => JSON.stringify([edit]))).size).toBe(stripped.length);
    expect(stripped.every((edit) => edit.kind === 'replace' && edit.content.length === 0)).toBe(true);
  });

  it.each([
    ['behind a finished turn', [...turn('a', 3), asks('Work on it.'), ...loop('b', 24)]],
    ['of 60 steps', [asks('Work on it.'), ...loop('b', 60)]],
  ])(
    'N12: in an open tool loop %s every signature holds, and most requests still contain reasoning',
    async (_, wire) => {
      const session = (await engine(4_000, {}, { format: 'anthropic' })).session();
      const calls = await play(session, wire);
      expect(session.operator.history.length).toBeGreaterThan(1);
      expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
      expect(calls.flatMap(({ signatures }) => signatures)).toEqual([]);
      // The model continues to think, and keeps its reasoning since the compaction.
      expect(calls.filter(({ messages }) => thoughtsIn(messages).length > 0).length).toBeGreaterThan(
        calls.length / 2,
      );
      const chosen = session.operator.ledger.records.flatMap(({ plan }) => plan.reasoning ?? []);
      expect(chosen.every(({ kept }) => kept === 0)).toBe(true);
    },
  );

  it.each([
    ['an operator queued it', (session: Session) => session.operator.queue()],
    ['the provider counted more than fits', (session: Session) => session.observe({ inputTokens: 9_000 })],
  ])('N12: a compaction within a tool loop leaves every request legal when %s', async (_, before) => {
    const session = (await engine(4_000, {}, { format: 'anthropic' })).session();
    const calls = await play(session, [...turn('a', 3), asks('Work on it.'), ...loop('b', 8)], {
      before: async (call) => call === 10 && (await before(session)),
    });
    expect(calls[10]!.committed).toBe(true);
    expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
  });

  it.each(Object.keys(STEPS))(
    'N12: on the wire %s every signature in a compacted loop holds, for a model that signs',
    async (format) => {
      const session = (await engine(4_000, {}, { format, model: 'anthropic/claude-opus-5.5' })).session();
      const requests = await playOn(session, loopOn(format, 30));
      expect(session.operator.history.length).toBeGreaterThan(1);
      expect(requests.flatMap(({ stale }) => stale)).toEqual([]);
      expect(requests.filter(({ unthinking }) => unthinking)).toEqual([]);
      expect(requests.filter(({ signed }) => signed > 0).length).toBeGreaterThan(requests.length / 2);
    },
  );

  it.each(Object.keys(STEPS))(
    'N12: on the wire %s no signed step of a compacted loop directly follows a message of the model',
    async (format) => {
      const session = (await engine(4_000, {}, { format, model: 'anthropic/claude-opus-4-6' })).session();
      const requests = await playOn(session, loopOn(format, 30));
      expect(session.operator.history.length).toBeGreaterThan(1);
      expect(requests.at(-1)!.signed).toBeGreaterThan(1);
      expect(requests.flatMap(({ merged }) => merged)).toEqual([]);
    },
  );

  it.each(['claude-opus-4-6', 'claude-sonnet-4-5-20250929'])(
    'N12: with %s every step that remains in a compacted loop keeps its reasoning, and no line is added',
    async (model) => {
      const session = (await engine(4_000, {}, { format: 'anthropic', model })).session();
      const wire = [...turn('a', 3), asks('Work on it.'), ...loop('b', 24)];
      const calls = await play(session, wire);
      expect(session.operator.history.length).toBeGreaterThan(1);
      expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
      // Each step that remains is sent with its own thinking.
      const thoughtOf = new Map(
        wire.flatMap(({ role, content }) =>
          content.flatMap((block) =>
            role === 'assistant' && block.type === 'tool_use'
              ? [[block.id, JSON.stringify(content[0])] as const]
              : [],
          ),
        ),
      );
      let standing = 0;
      for (const { messages } of calls)
        for (const { content } of messages)
          for (const block of content) {
            if (block.type !== 'tool_use') continue;
            standing++;
            expect(JSON.stringify(content[0])).toBe(thoughtOf.get(block.id));
          }
      expect(standing).toBeGreaterThan(100);
      expect(JSON.stringify(calls)).not.toContain('Go on with the task');
    },
  );

  it.each(Object.entries(SIGNED_STEPS))(
    'N12: on the wire %s a signed step is sent as it came, or not at all',
    async (format, step) => {
      const session = (await engine(4_000, {}, { format })).session();
      const { messagesField, parse } = formats.get(format)!;
      const steps = Array.from({ length: 30 }, (_, id) => step(id));
      const asks =
        format === 'gemini' ? { role: 'user', parts: [{ text: 'Go.' }] } : { role: 'user', content: 'Go.' };
      const parsed = parse({ [messagesField]: [asks, ...steps.flat()] }).messages;
      for (const message of parsed) {
        if (message.role === 'assistant') {
          const { messages } = await session.prepare();
          const sent = messages.map((item) => JSON.stringify(item));
          const known = steps.map((items) => items.slice(0, -1).map((item) => JSON.stringify(item)));
          const standing = known.filter((items) => items.some((item) => sent.includes(item)));
          for (const items of standing) expect(sent.join('\n')).toContain(items.join('\n'));
          const signatures = sent.join().match(/sig:|sealed:/g)?.length ?? 0;
          expect(signatures).toBe(standing.length);
        }
        await session.append(message);
      }
      expect(session.operator.history.length).toBeGreaterThan(1);
    },
  );

  it.each([
    ['the same at each call', () => 'Today is Friday.', true],
    ['another at each call', (call: number) => `It is ${call} o'clock.`, false],
    ['every now and then', (call: number) => (call % 5 === 0 ? 'Mind the gap.' : ''), true],
  ])(
    'N12: content that a hook adds, %s, leaves no signature that does not hold',
    async (_, content, keepsSome) => {
      const wire = [...turn('a', 4), asks('Work on it.'), ...loop('b', 6), asks('And?'), ...loop('c', 6)];
      const session = (
        await engine(100_000, { reserve: { injection: 100 } }, { format: 'anthropic' })
      ).session();
      const inject = (call: number) => (content(call) ? [{ hook: 'clock', content: content(call) }] : []);
      const calls = await play(session, wire, { inject });
      expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
      expect(calls.flatMap(({ signatures }) => signatures)).toEqual([]);
      expect(calls.some(({ messages }) => thoughtsIn(messages).length > 0)).toBe(keepsSome);
      expect(session.operator.history).toEqual([]);
    },
  );

  it('N12: every signature holds after compactions are undone, and no record is undone twice', async () => {
    const session = (await engine(4_000, {}, { format: 'anthropic' })).session();
    const wire = [...conversation(), asks('Work on it.'), ...loop('z', 12)];
    const undone: string[] = [];
    const before = async (call: number) => {
      if (call % 9 !== 8 || session.operator.history.length === 0) return;
      undone.push(...(await session.operator.undo()).map(({ id }) => id));
      await session.operator.release();
    };
    const calls = await play(session, wire, { before });
    expect(undone.length).toBeGreaterThan(2);
    expect(new Set(undone).size).toBe(undone.length);
    expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
    expect(calls.flatMap(({ signatures }) => signatures)).toEqual([]);
  });

  it('N12: every signature holds if a compaction is undone after one answer', async () => {
    const session = (await engine(100_000, {}, { format: 'anthropic' })).session();
    const before = async (call: number) => {
      if (call === 28) await session.operator.compact({ target: 0.01 });
      if (call === 29) expect(await session.operator.undo()).toHaveLength(1);
    };
    const calls = await play(session, [...conversation(), asks('And now?')], { before });
    expect(calls.length).toBeGreaterThan(32);
    expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
    expect(calls.flatMap(({ signatures }) => signatures)).toEqual([]);
  });

  it('N12: under `reasoning.signed: keep` nothing is stripped, and the record names the setting', async () => {
    const wire = conversation();
    const ai = await engine(4_000, { reasoning: { signed: 'keep' } }, { format: 'anthropic' });
    const session = ai.session();
    const calls = await play(session, [...wire, asks('And now?')]);
    const kept = session.operator.ledger.records.flatMap(({ plan }) => plan.reasoning ?? []);
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.every(({ choice, settled: gone }) => choice === 'keep' && gone === 0)).toBe(true);
    expect(kept[0]!.why).toContain('reasoning.signed: keep');
    expect(calls.flatMap(({ signatures }) => signatures).length).toBeGreaterThan(0);
  });

  it('N12: under `reasoning.signed: summarise` steps after a change are superseded, and every signature holds', async () => {
    const ai = await engine(6_000, { reasoning: { signed: 'summarise' } }, { format: 'anthropic' });
    const session = ai.session();
    const calls = await play(session, [...conversation(), asks('And now?')]);
    const chosen = session.operator.ledger.records.flatMap(({ plan }) => plan.reasoning ?? []);
    expect(chosen.some(({ choice }) => choice === 'summarise')).toBe(true);
    const edits = session.operator.ledger.records.flatMap(({ plan }) => plan.edits);
    expect(edits.some(({ stage, kind }) => stage === 'signatures' && kind === 'supersede')).toBe(true);
    expect(calls.flatMap(({ illegal }) => illegal)).toEqual([]);
    expect(calls.flatMap(({ signatures }) => signatures)).toEqual([]);
  });

  it('N12: redacted thinking counts in tokens and in bytes', async () => {
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

describe('N12: thinking of an answer that recalls', () => {
  type Block = Wire['content'][number];
  const call = (name: string, id: string): Block => ({
    type: 'tool_use',
    id,
    name,
    input: { query: 'mill' },
  });
  const recall = (id = 'r1'): Block => call('recall', id);
  const done: Block[] = [thinks('done'), text('Built.')];
  it.each<[string, number, readonly (readonly Block[])[]]>([
    ['with nothing beside the recall', 2, [[thinks('a'), recall()], done]],
    ['in two recalls', 3, [[thinks('a'), recall()], [thinks('b'), recall('r2')], done]],
    ['with words beside it', 1, [[thinks('a'), text('Let me look.'), recall()], done]],
    ['around words', 1, [[thinks('a'), text('I look.'), thinks('b'), recall()], done]],
    [
      'behind words',
      0,
      [
        [text('I look.'), thinks('b'), recall()],
        [text('So.'), ...done],
      ],
    ],
    ['beside a call of the client', 1, [[thinks('a'), recall(), call('look', 'l1')], [text('Seen.')]]],
    [
      'with words beside the second',
      2,
      [[thinks('a'), recall()], [thinks('b'), text('Hm.'), recall('r2')], done],
    ],
    [
      'with words beside the first',
      1,
      [[thinks('a'), text('Hm.'), recall()], [thinks('b'), recall('r2')], done],
    ],
  ])('N12: %s remains in its place or is removed, and every signature holds', async (_, kept, answers) => {
    const book = new SignatureBook();
    const faults: unknown[] = [];
    const rest = [...answers];
    let sent: readonly Wire[] = [];
    const create = (body: { readonly messages: readonly Wire[] }): Promise<Wire> => {
      sent = structuredClone(body.messages);
      faults.push(...validateAnthropic(body), ...book.judge(body));
      const answer = { role: 'assistant', content: rest.shift() ?? [text('Yes.')] };
      book.answered(structuredClone(body), answer);
      return Promise.resolve(answer);
    };
    const spillway = await engine(4_000, {}, { model: 'claude-opus-5-5' });
    const client = compactAnthropic({ messages: { create } }, spillway, { recall: true });
    const messages: Wire[] = [asks('Build a mill.')];
    for (let turn = 0; turn < 4; turn++) {
      const answer = await client.messages.create({ messages, tools: [{ name: 'look' }] } as never);
      messages.push(answer);
      const calls = answer.content.filter(({ type }) => type === 'tool_use');
      const results = calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'Seen.' }));
      messages.push(results.length > 0 ? { role: 'user', content: results } : asks(`And ${turn}?`));
    }
    expect(faults).toEqual([]);
    expect(thoughtsIn(sent)).toHaveLength(kept);
  });
});
