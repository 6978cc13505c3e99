import { readSession } from '../../src/faces/importers/index.js';
import { createSpillway, type Message } from '../../src/index.js';
import { validateOpenAiChat } from '../../src/testkit/index.js';
import { prose, quarter, says, step, system, user, callOf, resultOf, type Chat } from '../support/chats.js';
import {
  answered,
  engine,
  fill,
  jsonLines,
  opened,
  preparedAt,
  read,
  sessionOf,
  shownText,
  spillway,
  talk,
  temporaryFolder,
  wordsOf,
} from './support.js';

const folder = temporaryFolder();
const TALK = [system('Be brief.'), user('Build a mill.'), says('Gladly.'), ...talk(20, 300)];

/** A session under the profile `operator`, with a budget of exactly this many tokens. */
const operated = async (budget: number, settings = {}) =>
  (await engine(budget, settings, { profile: 'operator' })).session();

describe('K1: the check before every call', () => {
  it('opens stage after stage under `target`, whatever their thresholds, and only snip under `gates`', async () => {
    const settings = {
      compaction: { strategy: null },
      roster: ['snip', 'collapse', 'auto'],
      thresholds: { collapseThreshold: 0.9, autoThreshold: 0.95 },
    };
    const toTarget = await operated(20_000, settings);
    const byGates = await operated(20_000, { ...settings, escalation: 'gates' });
    for (const session of [toTarget, byGates]) {
      session.append(...read(TALK));
      fill(session, 0.86);
    }
    expect(opened((await toTarget.prepare()).run)).toEqual(['snip', 'collapse', 'auto']);
    // Only the gate of snip is reached, and snip finds nothing worth removing.
    expect(opened((await byGates.prepare()).run)).toEqual(['snip']);
  });

  it('compacts nothing at the next call', async () => {
    const session = await operated(20_000);
    session.append(...read(TALK));
    const first = await preparedAt(session, 0.86);
    const second = await session.prepare();
    expect(second.run.kind).toBe('below-gate');
    expect(second.messages).toEqual(first.messages);
  });

  it('uses the thresholds and the target of each session’s own settings', async () => {
    const sessions = await Promise.all([
      operated(20_000),
      operated(20_000, {
        thresholds: { snipThreshold: 0.5, microThreshold: 0.5, collapseThreshold: 0.5, autoThreshold: 0.5 },
        target: 0.3,
      }),
    ]);
    for (const session of sessions) {
      session.append(...read(TALK));
      fill(session, 0.7);
    }
    const runs = await Promise.all(sessions.map((session) => session.prepare()));
    expect(runs.map(({ run }) => run.kind)).toEqual(['below-gate', 'committed']);
    expect(runs[1]!.reading.pressure).toBeLessThanOrEqual(0.3);
  });
});

/** Parallel calls, a user message between call and result, a step with text: everything that could be split. */
const PAIRS: Chat[] = [
  user('Build a mill.'),
  ...Array.from({ length: 12 }, (_, i) => [
    callOf(
      [
        [`a${i}`, 'Read', { path: `src/wheel${i}.ts` }],
        [`b${i}`, 'Bash', { command: `make part${i}`, note: prose(300, i) }],
      ],
      `Now part ${i}.`,
    ),
    resultOf(`b${i}`, prose(400, 50 + i)),
    ...(i % 3 === 0 ? [user(`Mind the weather. ${prose(20, i)}`)] : []),
    resultOf(`a${i}`, `wheelSize${i}\n${prose(400, 70 + i)}`),
    ...(i % 4 === 0 ? [says(`wheelSize${i} it is. ${prose(100, i)}`)] : []),
  ]).flat(),
];

describe('K8: a call and its result are never split', () => {
  const strategies = ['staged', 'agent', 'operator', 'pivot', 'reducer'].flatMap((profile) =>
    [0.86, 1.3].map((pressure) => ({ profile, pressure })),
  );
  it.each(strategies)('under the profile $profile at $pressure', async ({ profile, pressure }) => {
    const all = read(PAIRS);
    const tokens = (await sessionOf(1_000_000, PAIRS)).reading.tokens;
    const session = (await engine(Math.round(tokens / pressure), {}, { profile })).session();
    session.append(...all);
    const { messages, notices } = await session.prepare();
    expect(validateOpenAiChat(messages)).toEqual([]);
    // No result is sent as text and no call gets a substitute result; a result that is late in the log moves up.
    expect(notices.filter(({ kind }) => kind !== 'displaced-result')).toEqual([]);
    // The same without the validator: each result has its call before it, and each call its result after it.
    const open = new Set<unknown>();
    for (const message of messages as Chat[]) {
      if (message.role === 'tool') expect(open.delete(message.tool_call_id)).toBe(true);
      else expect(open.size).toBe(0);
      for (const call of (message.tool_calls ?? []) as { id: string }[]) open.add(call.id);
    }
  });

  it.each(['snip', 'micro', 'collapse', 'auto', 'partial', 'full'])(
    'by the stage %s alone',
    async (stage) => {
      const session = await sessionOf(8_000, PAIRS, {
        roster: [{ stage, opensAt: 0.7 }],
        minGain: 0,
        stages: { snip: { mode: 'remove', protectTokens: 0 }, micro: { protectTokens: 0 }, collapse: {} },
      });
      const { messages, notices, run } = await session.prepare();
      expect(run.kind).toBe('committed');
      expect(notices.filter(({ kind }) => kind !== 'displaced-result')).toEqual([]);
      expect(validateOpenAiChat(messages)).toEqual([]);
    },
  );
});

describe('K9: the always-keep set', () => {
  const chat = [...TALK.slice(0, 10), ...step('Note', {}, prose(300, 7)), ...TALK.slice(10)];

  async function kept(settings: object, mark: (message: Message, i: number) => boolean = () => false) {
    const session = await sessionOf(8_000, [], {
      roster: ['full'],
      thresholds: { fullThreshold: 0.8 },
      ...settings,
    });
    session.append(
      ...read(chat).map((message, i) => (mark(message, i) ? { ...message, pinned: true } : message)),
    );
    const { messages } = await session.prepare();
    expect(session.operator.explain().some(({ status }) => status === 'superseded')).toBe(true);
    return { sent: messages.map(wordsOf), session };
  }

  it('keeps the system prompt and the first user message', async () => {
    const { sent } = await kept({});
    expect(sent.slice(0, 2)).toEqual([wordsOf(chat[0]), wordsOf(chat[1])]);
  });

  it('keeps the exchange of a message that the operator’s predicate matches', async () => {
    const spillway = await engine(8_000, { roster: ['full'], thresholds: { fullThreshold: 0.8 } });
    const isNote = (message: Message): boolean =>
      message.parts.some((part) => part.type === 'tool-call' && part.name === 'Note');
    const session = spillway.session({ keep: [isNote] });
    session.append(...read(chat));
    const { messages } = await session.prepare();
    const sent = messages.map(wordsOf);
    const status = session.operator.explain().map((one) => one.status);
    expect(status).toContain('superseded');
    expect(status.slice(10, 12)).toEqual(['pinned', 'kept']);
    expect(sent).toContain(wordsOf(chat[11]));
  });

  it('does without the first user message if the operator wishes', async () => {
    const { sent } = await kept({ pins: { firstUser: false } });
    expect(sent[0]).toBe(wordsOf(chat[0]));
    expect(sent).not.toContain(wordsOf(chat[1]));
  });

  it('keeps the exchange of a pinned message', async () => {
    const { sent, session } = await kept({}, ({ role }) => role === 'tool');
    for (const message of chat.slice(10, 12)) expect(sent).toContain(wordsOf(message));
    expect(session.operator.explain()[11]!.status).toBe('pinned');
  });

  it('keeps the system prompt and a pinned message under three profiles, through many compactions', async () => {
    for (const profile of ['staged', 'operator', 'reducer']) {
      const session = (await engine(8_000, {}, { profile })).session();
      session.append(...read(chat).map((message, i) => (i === 6 ? { ...message, pinned: true } : message)));
      for (let i = 0; i < 5; i++) {
        const { messages } = await session.prepare();
        const sent = messages.map(wordsOf);
        expect(sent).toContain(wordsOf(chat[0]));
        expect(sent).toContain(wordsOf(chat[6]));
        session.append(answered(`more${i}`, prose(2_000, i)));
      }
      expect(session.operator.history.length).toBeGreaterThan(1);
    }
  });
});

describe('K17: the model catalogue with operator overrides', () => {
  const budgetFor = async (settings: object) =>
    (await createSpillway({ counter: quarter, settings })).session().reading.budget;

  it('contains published models, and an override replaces only the fields that it sets', async () => {
    const known = await budgetFor({ model: 'gpt-4o' });
    expect(known).toMatchObject({ window: 128_000, authoritative: true });
    const overridden = await budgetFor({ model: 'gpt-4o', models: { 'gpt-4o': { contextWindow: 100_000 } } });
    expect(overridden.window).toBe(100_000);
    // The catalogue fills in what the override does not set: gpt-4o writes at most 16,384 tokens.
    expect(overridden.reserve.output).toBe(known.reserve.output);
    expect(overridden.reserve.output).toBe(16_384);
  });

  it('takes 128,000 tokens for an unknown model, and warns that the window is a guess', async () => {
    expect(await budgetFor({ model: 'our-own-model-7b' })).toMatchObject({
      window: 128_000,
      authoritative: false,
    });
    const file = folder.file('talk.jsonl', jsonLines(TALK));
    const { err } = await spillway([
      'compact',
      file,
      '--model',
      'our-own-model-7b',
      '--out',
      `${folder.path}/out.json`,
    ]);
    expect(err).toMatch(/warning: the window is a guess/);
  });

  it('treats an override for a self-hosted model as authoritative', async () => {
    const settings = {
      model: 'our-own-model-7b',
      models: { 'our-own-*': { contextWindow: 32_000, outputLimit: 2_000 } },
    };
    expect(await budgetFor(settings)).toMatchObject({ window: 32_000, usable: 30_000, authoritative: true });
  });

  it('finds a model under the names that gateways use', async () => {
    const names = ['copilot/gpt-4o', 'openrouter/openai/gpt-4o', 'openai:gpt-4o', 'gpt-4o-2024-08-06'];
    for (const model of names) expect((await budgetFor({ model })).authoritative).toBe(true);
  });

  it('takes a limit of 0 as no limit', async () => {
    for (const settings of [{ window: 0 }, { model: 'gpt-4o', models: { 'gpt-4o': { contextWindow: 0 } } }]) {
      const session = (await createSpillway({ counter: quarter, settings })).session();
      session.append(...read(talk(10, 20_000)));
      const { run, reading } = await session.prepare();
      expect([run.kind, reading.pressure, reading.budget.tokens]).toEqual(['below-gate', 0, Infinity]);
    }
  });
});

/** Sixty old results of 2,000 tokens, each referred to later; then a small result and a question. */
const PRUNABLE: Chat[] = [
  user('Read everything.'),
  ...Array.from({ length: 60 }, (_, i) => [
    ...step(
      i % 10 === 3 ? 'skill' : 'search',
      { query: `term ${i}` },
      `finding_number_${i}\n${prose(2_000, i)}`,
    ),
    says(`finding_number_${i} matters.`),
  ]).flat(),
  ...step('search', { query: 'tiny' }, 'none'),
  says('Done.'),
  user('And now?'),
];

describe('K18: the pruning pre-pass', () => {
  /** Prepares a request of these messages: what was saved, the results as they are sent, and the events. */
  async function pruned(settings = {}, window = 1_000_000) {
    const session = await operated(window, settings);
    const kinds: string[] = [];
    session.events.subscribe(({ kind }) => kinds.push(kind));
    session.append(...read(PRUNABLE));
    const before = session.reading.tokens;
    const { messages, reading } = await session.prepare();
    const results = session.view.filter(({ message }) => message.role === 'tool').map(shownText);
    return { session, kinds, results, messages, saved: before - reading.tokens };
  }
  const isWhole = (text: string): boolean => /^finding_number_\d+\n/.test(text) && text.length > 7_000;

  it('replaces results older than the newest 40,000 tokens by a notice with their size, even if referred to', async () => {
    const { results } = await pruned();
    const whole = results.map(isWhole);
    // 40,000 tokens hold nineteen of the newest results of 2,006 tokens; the twentieth would exceed them.
    const firstWhole = whole.lastIndexOf(false, 59) + 1;
    expect([40, 41, 42]).toContain(firstWhole);
    const old = results.slice(0, firstWhole);
    expect(
      old
        .filter((_, i) => i % 10 !== 3)
        .every((text) => /\b2,0\d\d tokens\b/.test(text) && text.length < 200),
    ).toBe(true);
  });

  it('leaves protected tools alone', async () => {
    const { results } = await pruned();
    for (let i = 3; i < 60; i += 10) expect(isWhole(results[i]!)).toBe(true);
    const readsToo = await pruned({ stages: { snip: { protectedTools: ['skill', 'search'] } } });
    expect(readsToo.results.slice(0, 60).every(isWhole)).toBe(true);
  });

  it('leaves a result alone if the notice would be no smaller', async () => {
    const { results } = await pruned({ stages: { snip: { protectTokens: 0, minimumSavings: 0 } } });
    expect(results[60]).toBe('none');
    expect(isWhole(results[59]!)).toBe(false);
  });

  it('does nothing if it would save less than the minimum', async () => {
    const atLeast = async (minimumSavings: number) =>
      (await pruned({ stages: { snip: { minimumSavings } } })).saved;
    const saved = await atLeast(0);
    expect(saved).toBeGreaterThan(60_000);
    expect(await atLeast(saved + 1_000)).toBe(0);
    expect(await atLeast(saved - 1_000)).toBe(saved);
  });

  it('supersedes nothing and emits no event of a compaction, but has a record in the ledger', async () => {
    const { session, kinds } = await pruned();
    expect(session.operator.history).toEqual([]);
    expect(kinds).toEqual(['reading']);
    expect(session.operator.explain().filter(({ status }) => status === 'superseded')).toEqual([]);
    expect(session.operator.ledger.records.map(({ kind }) => kind)).toEqual(['prune']);
    expect(session.operator.ledger.records[0]!.plan.edits.every(({ kind }) => kind === 'replace')).toBe(true);
  });

  it('runs before the reading, so that no compaction is necessary', async () => {
    // Unpruned, the session would be at 1.2 of this budget; pruned, it is below the upper threshold.
    const { session } = await pruned({}, 105_000);
    expect(session.operator.history).toEqual([]);
    expect(session.reading.pressure).toBeLessThan(0.85);
  });

  it('does not run if the operator switches it off', async () => {
    expect((await pruned({ prune: 'off' })).saved).toBe(0);
  });
});

describe('K19: a run that supersedes nothing leaves no record', () => {
  it('but emits a noop event with the reason, and leaves the request unchanged', async () => {
    const session = await sessionOf(20_000, TALK);
    fill(session, 0.86);
    const before = session.view.map(({ message }) => message);
    const events: unknown[] = [];
    session.events.subscribe((event) => events.push(event));
    const { run, view } = await session.prepare();
    expect(run.kind).toBe('noop');
    expect(run.reason).not.toBe('');
    expect(session.operator.ledger.records).toEqual([]);
    expect(events.at(-1)).toEqual({ kind: 'noop', reason: run.reason });
    expect(view.map(({ message }) => message)).toEqual(before);
  });

  it('a dry run of it still returns a plan, which has no edits and cannot be committed', async () => {
    const session = await sessionOf(20_000, TALK);
    const run = await session.operator.plan({ strategy: 'prune' });
    expect(run).toMatchObject({ kind: 'noop', plan: { edits: [], trigger: { kind: 'manual' } } });
    expect(run.plan!.after).toEqual(run.plan!.before);
    expect(run.plan!.stages).toEqual(run.stages);
    for (const act of ['commit', 'propose'] as const)
      await expect(session.operator[act](run.plan!)).rejects.toMatchObject({ code: 'EDIT_ILLEGAL' });
    expect(session.operator.ledger.records).toEqual([]);
    expect(session.operator.pending).toBeUndefined();
  });

  it('nor does a run whose gain is not worth the cache that it costs', async () => {
    const session = await sessionOf(20_000, TALK, {
      roster: ['auto'],
      stages: { auto: { windowMessages: 2 } },
    });
    fill(session, 0.82);
    const { kind, stages } = await session.operator.compact({ target: 0.8 });
    expect([kind, stages.at(-1)?.outcome]).toEqual(['noop', 'applied']);
    expect(session.operator.history).toEqual([]);
  });

  it('a dry run on the command line always answers, and leaves the file unchanged', async () => {
    const file = folder.file('dry.jsonl', jsonLines(TALK));
    const { code, out, err } = await spillway([
      'compact',
      file,
      '--window',
      '100000',
      '--target',
      '0.5',
      '--json',
    ]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(TALK);
    expect(JSON.parse(err)).toMatchObject({
      run: { kind: 'noop' },
      messages: { before: TALK.length, after: TALK.length },
    });
    expect((await readSession(file)).parsed.messages).toHaveLength(TALK.length);
  });
});
