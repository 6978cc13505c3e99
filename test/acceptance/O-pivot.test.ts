import { createSpillway, type ConfigSources } from '../../src/index.js';
import { prose, quarter, says, step, system, user, type Chat } from '../support/chats.js';
import { engine, fill, read, sessionOf, shownText, talk, wordsOf } from './support.js';

const pivot = async (budget: number, settings: ConfigSources['settings'] = {}) =>
  (await engine(budget, settings, { profile: 'pivot' })).session();

describe('O1: overflow is read from real usage', () => {
  /** A session at 40 % by our own estimate, for which the provider reports this usage. */
  async function after(
    usage: { inputTokens: number; cacheReadTokens?: number; outputTokens?: number },
    window?: number,
  ) {
    const settings = {
      model: 'our-model',
      models: { 'our-model': { contextWindow: window ?? 40_000, outputLimit: 8_000 } },
    };
    const spillway = await createSpillway({
      counter: quarter,
      settings: { ...settings, safetyMargin: 0 },
      profile: 'pivot',
    });
    const session = spillway.session();
    session.append(...read([system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 300)]));
    expect((await session.prepare()).run.kind).toBe('below-gate');
    session.observe(usage);
    session.append(
      ...read([...talk(21, 0), says('So it is.')])
        .slice(-1)
        .map((message) => ({ ...message, id: 'newest' })),
    );
    const events: string[] = [];
    session.events.subscribe((event) => events.push(event.kind === 'triggered' ? event.reason : event.kind));
    const { run } = await session.prepare();
    return { run, events };
  }

  it('adds input, cache read and output, and compacts at one token over the limit, whatever the estimate', async () => {
    const fits = { inputTokens: 1_000, cacheReadTokens: 12_000, outputTokens: 19_000 };
    expect((await after(fits)).run.kind).toBe('below-gate');
    for (const field of ['inputTokens', 'cacheReadTokens', 'outputTokens'] as const) {
      const { run, events } = await after({ ...fits, [field]: fits[field] + 1 });
      expect([field, run.kind, run.record?.plan.trigger.kind]).toEqual([field, 'committed', 'overflow']);
      expect(events).toContain('the provider reported more than the budget');
    }
  });

  it('is handled once, and never if the model has no limit', async () => {
    expect((await after({ inputTokens: 500_000, outputTokens: 500_000 }, 0)).run.kind).toBe('below-gate');
    const session = await pivot(20_000);
    session.append(...read(talk(20, 300)));
    await session.prepare();
    session.observe({ inputTokens: 12_500, outputTokens: 8_000 });
    expect((await session.prepare()).run.kind).toBe('committed');
    expect((await session.prepare()).run.kind).toBe('below-gate');
  });
});

/** Turns with two results of 8,000 tokens each; a skill is read in the first. */
const TURNS = (turns: number, tokens = 8_000): Chat[] =>
  Array.from({ length: turns }, (_, i) => [
    user(`Turn ${i}.`),
    ...(i === 0 ? step('skill', { name: 'mill' }, `skill ${prose(tokens, 500)}`) : []),
    ...step('search', { i }, `a${i} ${prose(tokens, 2 * i)}`),
    ...step('search', { i, again: true }, `b${i} ${prose(tokens, 2 * i + 1)}`),
  ]).flat();

describe('O7: tool-output pruning', () => {
  async function pruned(chat: readonly Chat[], settings: ConfigSources['settings'] = {}) {
    const session = await pivot(1_000_000, settings);
    session.append(...read(chat));
    const prepared = await session.prepare();
    return { session, ...prepared, whole: wholeOf(prepared.view) };
  }
  const wholeOf = (
    view: Parameters<typeof shownText>[0][] | readonly Parameters<typeof shownText>[0][],
  ): string[] =>
    view
      .filter(({ message }) => message.role === 'tool')
      .map(shownText)
      .filter((text) => text.length > 1_000)
      .map((text) => text.split(' ')[0]!);

  it('keeps the newest two user turns and the newest 40,000 tokens, and protects skills', async () => {
    // The newest two turns have four results of 8,000 tokens; a fifth would exceed 40,000.
    expect((await pruned(TURNS(8))).whole).toEqual(['skill', 'a6', 'b6', 'a7', 'b7']);
    // Nine results of 4,000 tokens fit, from four and a half turns.
    const nine = ['b15', 'a16', 'b16', 'a17', 'b17', 'a18', 'b18', 'a19', 'b19'];
    expect((await pruned(TURNS(20, 4_000))).whole).toEqual(['skill', ...nine]);
  });

  it('keeps two turns even if they are much larger', async () => {
    const { whole } = await pruned(TURNS(4, 30_000));
    expect(whole).toEqual(['skill', 'a2', 'b2', 'a3', 'b3']);
  });

  it('does nothing if it would save less than 20,000 tokens', async () => {
    // Only two results of 8,000 tokens are unprotected, which is too little; with two more it is enough.
    expect((await pruned(TURNS(3).filter((_, i) => i > 2))).whole).toHaveLength(6);
    expect((await pruned(TURNS(5))).whole).toEqual(['skill', 'a3', 'b3', 'a4', 'b4']);
  });

  it('replaces the text by a short notice, keeps the pair, and leaves the log unchanged', async () => {
    const chat = TURNS(8);
    const { messages, session } = await pruned(chat);
    const sent = messages as Chat[];
    expect(sent).toHaveLength(chat.length);
    expect(sent[4]).toEqual({ role: 'tool', tool_call_id: chat[4]!.tool_call_id, content: sent[6]!.content });
    expect(String(sent[4]!.content).length).toBeLessThan(60);
    expect(session.log.at(4).parts).toMatchObject([{ content: [{ text: chat[4]!.content }] }]);
  });

  it('removes the attachments of what it clears', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4_000)}` } };
    const chat = TURNS(8);
    chat[4] = { ...chat[4]!, content: [{ type: 'text', text: String(chat[4]!.content) }, image] };
    const { messages } = await pruned(chat);
    expect(wordsOf(messages)).not.toContain('base64');
  });

  it('changes nothing at the next request, and later clears only newer results', async () => {
    const { session, messages } = await pruned(TURNS(8));
    const again = await session.prepare();
    expect(again.messages).toEqual(messages);
    expect(session.operator.ledger.records).toHaveLength(1);
    session.append(...read(TURNS(12)).slice(read(TURNS(8)).length));
    const later = await session.prepare();
    expect(later.messages.slice(0, 24)).toEqual(messages.slice(0, 24));
    expect(wholeOf(later.view)).toEqual(['skill', 'a10', 'b10', 'a11', 'b11']);
  });

  it('does not change a summary again', async () => {
    const session = await pivot(100_000);
    session.append(...read([...TURNS(8), says('Done.'), user('And now?')]));
    const { run, view } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(view[0]!.message.label).toBe('summary');
    const first = wordsOf(view[0]!.message);
    session.append(
      ...read(TURNS(9))
        .slice(-4)
        .map((message, i) => ({ ...message, id: `later${i}` })),
    );
    const later = await session.prepare();
    expect(wordsOf(later.view[0]!.message)).toBe(first);
  });
});

describe('O9: automatic compaction and pruning', () => {
  const chat = [...TURNS(8), says('Done.'), ...talk(10, 300), user('And now?')];

  it('are on by default under the profile `pivot`', async () => {
    const { config } = await engine(20_000, {}, { profile: 'pivot' });
    expect(config.settings).toMatchObject({ compaction: { auto: true }, prune: 'iteration' });
    expect((await engine(20_000)).config.settings.compaction.auto).toBe(true);
  });

  it('can be switched off with `compaction.auto`, so that a session compacts only when asked', async () => {
    const session = await pivot(20_000, { compaction: { auto: false } });
    session.append(...read(chat));
    const { run, reading } = await session.prepare();
    expect([run.kind, session.operator.ledger.records.length]).toEqual(['waiting', 0]);
    expect(reading.pressure).toBeGreaterThan(1);
    expect((await session.operator.compact()).kind).toBe('committed');
  });

  it('can be switched off with `prune`, so that nothing is pruned', async () => {
    const off = await pivot(1_000_000, { prune: 'off' });
    off.append(...read(TURNS(8)));
    await off.prepare();
    expect(off.operator.ledger.records).toEqual([]);
  });

  it('measure with the counter that the host passes in', async () => {
    const dear = { name: 'dear', exact: false, count: (text: string) => text.length };
    const tokens = async (counter: typeof dear): Promise<number> => {
      const session = await sessionOf(1_000_000, [], {}, { counter });
      session.append(...read([user('x'.repeat(400))]));
      return session.reading.tokens;
    };
    expect(await tokens(quarter)).toBe(104);
    expect(await tokens(dear)).toBe(404);
    const session = await sessionOf(1_000, [user('Go.'), says('Yes.')], {}, { counter: dear });
    fill(session, 0.1);
    expect(session.reading.tokens).toBeGreaterThan(300);
  });
});
