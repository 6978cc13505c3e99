import { openStore, recalledText, recallTool, type Session, type SessionStore } from '../../../src/index.js';
import { prose, says, step, system, user } from '../../support/chats.js';
import {
  engine,
  logged,
  preparedAt,
  read,
  said,
  sessionOf,
  shownText,
  talk,
  wordsOf,
  writer,
} from '../support.js';
import { KINDS, place } from './stores.js';

const START = [system('Be brief.'), user('Build a mill at Oakford.'), says('Gladly.')];
const LONG = [
  ...START,
  ...step('look', { at: 'gate' }, `The key is K-4711. ${prose(400, 3)}`),
  ...talk(48, 110),
];

const compacted = async (settings = {}): Promise<Session> => {
  const session = await sessionOf(12_000, [...LONG, user('And now?')], settings);
  await session.prepare();
  return session;
};

const full = (settings = {}): Promise<Session> => sessionOf(12_000, [...LONG, user('And now?')], settings);

/** The same session opened by another process. */
const openOn = async (store: SessionStore, settings = {}): Promise<Session> =>
  (await engine(12_000, settings, { store })).open({ id: 's' });

describe('N2: a plan is a value', () => {
  it('is committed as it was previewed, to the byte', async () => {
    const session = await full();
    const { plan, kind } = await session.operator.plan();
    expect(kind).toBe('planned');
    expect(session.operator.history).toEqual([]);
    const preview = await session.operator.preview(plan!);
    // The second preview gives the same text.
    expect(await session.operator.preview(plan!)).toEqual(preview);
    const stored = JSON.parse(JSON.stringify(plan)) as typeof plan;
    const record = await session.operator.commit(stored!);
    expect(record.plan.hash).toBe(plan!.hash);
    expect(JSON.stringify((await session.prepare()).messages)).toBe(JSON.stringify(preview.messages));
  });

  it('is refused where no edit is left: it would be a compaction of nothing', async () => {
    const session = await full();
    const { plan } = await session.operator.plan();
    const all = plan!.edits.map((_, place) => place);
    await expect(session.operator.edit(plan!, { without: all })).rejects.toMatchObject({
      code: 'EDIT_ILLEGAL',
    });
  });

  it('is refused by name where it touches what was rolled back meanwhile, beside what is held', async () => {
    const session = await full();
    await session.operator.compact();
    await session.operator.undo();
    const more = [...LONG, user('And now?'), ...talk(60, 110)];
    await session.follow({ messages: more });
    const { plan } = await session.operator.plan({ target: 0.1 });
    await session.operator.rollback(`m${LONG.length}`);
    expect(session.operator.ledger.holds).not.toEqual([]);
    await expect(session.operator.edit(plan!)).rejects.toMatchObject({ code: 'EDIT_ILLEGAL' });
  });

  it('is judged and measured again where it is edited, under another hash', async () => {
    const session = await full();
    const { plan } = await session.operator.plan();
    const place = plan!.edits.findIndex((edit) => edit.kind === 'supersede' && edit.replacement.length > 0);
    const edited = await session.operator.edit(plan!, {
      text: { [place]: 'They spoke of boats. [recall m3]' },
    });
    expect(edited.hash).not.toBe(plan!.hash);
    expect(edited.after.tokens).not.toBe(plan!.after.tokens);
    expect(plan!.pins).not.toEqual([]);
    expect(edited.pins).toEqual(plan!.pins);
    await session.operator.commit(edited);
    expect(session.view.map(shownText)).toContain('They spoke of boats. [recall m3]');
  });

  it('leaves out what an operator wants to keep', async () => {
    const looks = Array.from({ length: 4 }, (_, at) => step('look', { at }, prose(700, at))).flat();
    const settings = { roster: ['micro'] };
    const session = await sessionOf(
      12_000,
      [...START, ...looks, ...talk(30, 110), user('And now?')],
      settings,
    );
    const { plan } = await session.operator.plan({ target: 0.6 });
    const [edit, ...others] = plan!.edits;
    expect(others).not.toEqual([]);
    const id = edit!.kind === 'replace' ? edit!.messageId : edit!.fromId;
    await session.operator.commit(await session.operator.edit(plan!, { keep: [id] }));
    expect(session.operator.explain().find((one) => one.id === id)!.status).toMatch(/kept|pinned/);
  });

  it('is refused where it was changed by hand, is stale, or would not shrink anything', async () => {
    const session = await full();
    const { plan } = await session.operator.plan();
    const forged = { ...plan!, edits: plan!.edits.map((edit) => ({ ...edit, reason: 'by hand' })) };
    await expect(session.operator.commit(forged)).rejects.toMatchObject({ code: 'PLAN_ALTERED' });
    await session.operator.compact();
    await expect(session.operator.commit(plan!)).rejects.toMatchObject({
      code: 'LEDGER_CONFLICT',
      retryable: true,
    });
    const other = await full();
    const place = plan!.edits.findIndex(({ kind }) => kind === 'supersede');
    const longer = other.operator.edit((await other.operator.plan()).plan!, {
      text: { [place]: prose(20_000) },
    });
    await expect(longer).rejects.toMatchObject({ code: 'EDIT_ILLEGAL' });
  });

  it('has nothing of what was told of another compaction in its record, where nobody was asked for its text', async () => {
    const { summarizer } = writer();
    const session = await sessionOf(12_000, [...LONG, user('And now?')], {}, { summarizer });
    await session.prepare();
    expect((await session.operator.audit()).at(-1)!.kind).toBe('compaction.completed');
    await session.append(...read(talk(20, 110)).map((one) => ({ ...one, id: `later-${one.id}` })));
    const { plan, calls } = await session.operator.plan({ strategy: 'drop', summarize: false, target: 0.2 });
    expect(calls).toEqual([]);
    const record = await session.operator.commit(plan!);
    expect(record.calls ?? []).toEqual([]);
    expect(record).not.toHaveProperty('edits');
  });

  it('is re-based visibly: judged anew on the ledger of now', async () => {
    const session = await full();
    const { plan } = await session.operator.plan();
    const record = await session.operator.commit(plan!);
    await session.operator.undo();
    await session.operator.release();
    const rebased = await session.operator.edit(plan!);
    expect(rebased.base).not.toBe(plan!.base);
    expect(rebased.edits).toEqual(plan!.edits);
    expect((await session.operator.commit(rebased)).id).not.toBe(record.id);
  });

  it('is always answered, also where nothing is to be done', async () => {
    const session = await sessionOf(12_000, START);
    expect(await session.operator.plan()).toMatchObject({ kind: 'noop', reason: expect.any(String) });
    expect((await session.operator.audit()).length).toBe(0);
  });
});

describe('K22: a checkpoint pauses the session until somebody says yes', () => {
  const settings = { compaction: { approval: 'ask' } } as const;

  async function paused() {
    const store = await openStore('memory:');
    const session = await openOn(store, settings);
    await session.append(...read([...LONG, user('And now?')]));
    const error: unknown = await session.prepare().catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'COMPACTION_PENDING',
      facts: { plan: session.operator.pending!.plan.hash },
    });
    return { store, session };
  }

  it('waits no more once the ledger moved on, for it could be committed no more', async () => {
    const { session } = await paused();
    const waited = session.operator.pending!.plan;
    await session.operator.compact({ target: 0.3 });
    expect(session.operator.pending).toBeUndefined();
    const { run } = await session.prepare();
    expect(run.kind).not.toBe('pending');
    await expect(session.operator.commit(waited)).rejects.toMatchObject({ code: 'LEDGER_CONFLICT' });
    await session.append(
      ...read([...talk(40, 100, 4_000), user('And then?')]).map((one, i) => ({ ...one, id: `later${i}` })),
    );
    await expect(session.prepare()).rejects.toMatchObject({ code: 'COMPACTION_PENDING' });
    await session.operator.undo();
    await session.operator.release();
    expect(session.operator.pending).toBeUndefined();
    await expect(session.prepare()).rejects.toMatchObject({ code: 'COMPACTION_PENDING' });
    await session.operator.approve();
    expect((await session.prepare()).reading.pressure).toBeLessThan(1);
  });

  it('survives a restart; approving commits what was shown', async () => {
    const { store } = await paused();
    const later = await openOn(store, settings);
    await expect(later.prepare()).rejects.toMatchObject({ code: 'COMPACTION_PENDING' });
    const { plan } = later.operator.pending!;
    const { messages } = await later.operator.preview(plan);
    const record = await later.operator.approve(plan.hash.slice(0, 12));
    expect(record.plan).toEqual(plan);
    expect((await later.prepare()).messages).toEqual(messages);
    expect(later.operator.pending).toBeUndefined();
  });

  it('rejecting leaves everything as it was, and asks again when there is more', async () => {
    const { session } = await paused();
    const before = session.view.length;
    await session.operator.reject(undefined, 'not now');
    expect(session.view.length).toBe(before);
    expect((await session.prepare()).run.kind).toBe('waiting');
    expect((await session.operator.audit()).map(({ kind }) => kind)).toContain('compaction.rejected');
  });

  it('an edited plan takes the place of the one that waited', async () => {
    const { store, session } = await paused();
    const { plan } = session.operator.pending!;
    const edited = await session.operator.edit(plan, { text: { 0: 'They spoke of boats.' } });
    expect(session.operator.pending!.plan.hash).toBe(edited.hash);
    await expect(session.operator.approve(plan.hash)).rejects.toMatchObject({ code: 'PLAN_UNKNOWN' });
    const later = await openOn(store, settings);
    expect((await later.operator.approve(edited.hash)).plan.hash).toBe(edited.hash);
  });

  it('nothing that is said meanwhile is lost', async () => {
    const { session } = await paused();
    await session.append(said('late', 'One more thing.'));
    await session.operator.approve();
    expect(session.view.map(shownText)).toContain('One more thing.');
  });

  it('what is asked for by hand does not ask back', async () => {
    const session = await full(settings);
    expect((await session.operator.compact()).kind).toBe('committed');
  });
});

describe('K10: originals stay, and rolling back restores them', () => {
  it('marks them superseded and keeps their words', async () => {
    const session = await compacted();
    const gone = session.operator.explain().filter(({ status }) => status === 'superseded');
    expect(gone.length).toBeGreaterThan(5);
    for (const { seq } of gone) expect(session.log.at(seq).parts).toEqual(read(LONG)[seq]!.parts);
  });

  it('restores what a compaction had superseded where the log is rolled back past it', async () => {
    const session = await compacted();
    const undone = await session.operator.rollback('m20');
    expect(undone.map(({ status }) => status)).toEqual(['undone']);
    expect(session.view.map(({ message }) => message.id)).toEqual(
      session.log.exchanges.flatMap(({ seqs }) => seqs.map((seq) => `m${seq}`)),
    );
    expect(session.log.length).toBe(21);
    expect(session.view.every(({ replaced, made }) => !replaced && !made)).toBe(true);
    // And goes on from there; the ids of what was left out stay taken.
    await session.append(said('other', 'Another way.'));
    expect(() => session.append(said('m30', 'Again.'))).toThrow(
      expect.objectContaining({ code: 'MESSAGE_ID_TAKEN' }),
    );
    expect((await session.prepare()).run.kind).toBe('below-gate');
  });

  it('keeps compactions that were made on what still stands', async () => {
    const session = await compacted();
    await session.append(said('more', 'More.'), said('evenmore', 'Even more.'));
    expect(await session.operator.rollback('more')).toEqual([]);
    expect(session.view.at(-1)!.message.id).toBe('more');
    expect(session.view.some(({ made, replaced }) => made ?? replaced)).toBe(true);
  });
});

it('K11: operators see superseded messages, the model does not: with includeSuperseded, and only then', async () => {
  const session = await compacted();
  const plain = await session.operator.transcript();
  const all = await session.operator.transcript({ includeSuperseded: true });
  expect(plain.map(({ message }) => message)).toEqual(session.view.map(({ message }) => message));
  const originals = all.filter(({ status }) => status !== 'summary');
  expect(originals.map(({ message }) => message.id)).toEqual(logged(session).map(({ id }) => id));
  expect(all.filter(({ status }) => status === 'superseded')[0]!.by).toMatchObject({
    stage: expect.any(String),
  });
});

it('K12: an operator judges a compaction: good, bad or neutral, with notes, and changes the judgement', async () => {
  const session = await compacted();
  const { id } = session.operator.history[0]!;
  expect(await session.operator.flag(id, 'bad', 'the key is gone')).toMatchObject({
    flag: 'bad',
    notes: 'the key is gone',
  });
  await session.operator.flag(id, 'good');
  expect(session.operator.history[0]).toMatchObject({ flag: 'good', notes: 'the key is gone' });
  await expect(session.operator.flag('c99', 'good')).rejects.toMatchObject({ code: 'RECORD_UNKNOWN' });
});

describe('K13: what happened to compaction is on record', () => {
  it('with reason, strategy, ids before and after, tokens and durations', async () => {
    const session = await compacted();
    await session.operator.flag('c1', 'neutral', 'so so');
    const events = await session.operator.audit();
    expect(events.map(({ kind }) => kind)).toEqual([
      'compaction.triggered',
      'compaction.completed',
      'compaction.flagged',
    ]);
    expect(events[0]!.body).toMatchObject({
      trigger: 'pressure',
      reason: expect.stringContaining('pressure'),
    });
    const { body } = events[1]!;
    expect(body).toMatchObject({ strategy: expect.any(Array), models: [], durationMs: expect.any(Number) });
    const { edits } = body as unknown as { edits: { before: string[]; after: string[] }[] };
    expect(edits.length).toBe(session.operator.history[0]!.plan.edits.length);
    expect(edits[0]!.before.every((id) => session.log.find(id))).toBe(true);
    // All that gave way, not the ends of a span alone: nothing of it stands any more, and what stands is named.
    const shown = new Set(session.view.map(({ message }) => message.id));
    const [spans, parts] = [[] as typeof edits, [] as typeof edits];
    session.operator.history[0]!.plan.edits.forEach(({ kind }, i) =>
      (kind === 'supersede' ? spans : parts).push(edits[i]!),
    );
    const left = session.operator
      .explain()
      .filter(({ status }) => status === 'superseded')
      .map(({ id }) => id);
    expect(left.length).toBeGreaterThan(2);
    expect(new Set(spans.flatMap(({ before }) => before))).toEqual(new Set(left));
    for (const { after } of edits) for (const id of after) expect(shown.has(id)).toBe(true);
    for (const { before, after } of parts) expect(before).toEqual(after);
    expect(events[2]).toMatchObject({ ref: 'c1', body: { flag: 'neutral', notes: 'so so' } });
  });

  it('failures and runs that came to nothing too', async () => {
    const session = await sessionOf(1_000, [system('Be brief.'), says('Hm.'), user(prose(1_500))]);
    await expect(session.prepare()).rejects.toMatchObject({ code: 'BUDGET_UNREACHABLE' });
    expect((await session.operator.audit()).at(-1)).toMatchObject({
      kind: 'compaction.failed',
      body: { code: 'BUDGET_UNREACHABLE' },
    });
    const small = await sessionOf(12_000, START);
    await small.operator.compact();
    expect((await small.operator.audit()).at(-1)!.kind).toBe('compaction.noop');
    const settings = { roster: ['auto'], stages: { auto: { windowMessages: 2 } } };
    const dear = await sessionOf(20_000, [...LONG, user('And now?')], settings);
    await dear.operator.compact({ target: dear.reading.pressure - 0.01 });
    expect((await dear.operator.audit()).at(-1)).toMatchObject({
      kind: 'compaction.noop',
      body: { strategy: ['summarize'] },
    });
  });
});

describe('undo', () => {
  async function twice() {
    const session = await compacted();
    await session.append(
      ...read([...LONG, ...talk(48, 110, 700)])
        .slice(LONG.length)
        .map((one, i) => ({ ...one, id: `n${i}` })),
    );
    await session.prepare();
    expect(session.operator.history.length).toBe(2);
    return session;
  }

  it('of an older compaction names the later ones, and goes back to there where that is wanted', async () => {
    const session = await twice();
    const [first, second] = session.operator.history.map(({ id }) => id);
    await expect(session.operator.undo({ record: first! })).rejects.toMatchObject({
      code: 'UNDO_BLOCKED',
      facts: { later: [second] },
    });
    await expect(session.operator.undo({ record: second!, to: first! })).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
    });
    expect((await session.operator.undo({ to: first! })).map(({ id }) => id)).toEqual([second, first]);
    expect(session.view.map(({ message }) => message.id)).toEqual(logged(session).map(({ id }) => id));
    expect(session.operator.ledger.holds.length).toBe(2);
    await session.operator.release();
    expect(session.operator.ledger.holds).toEqual([]);
  });
});

describe('what is held since an undo, where nothing fits beside it', () => {
  async function undone(): Promise<[Session, string[]]> {
    const session = await sessionOf(12_000, [...LONG, ...talk(15, 110, 500), user('And now?')]);
    await session.prepare();
    const warned: string[] = [];
    session.events.subscribe((event) => event.kind === 'warning' && warned.push(event.code));
    await session.operator.undo();
    expect(session.reading.pressure).toBeGreaterThan(1);
    return [session, warned];
  }

  it('gives way: the record and a warning say so, and later runs do not stumble over it', async () => {
    const [session, warned] = await undone();
    const { run, reading } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(run.record!.warnings!.map(({ code }) => code)).toContain('holds-gave-way');
    expect(warned).toContain('holds-gave-way');
    expect(reading.pressure).toBeLessThanOrEqual(1);
    expect(session.operator.ledger.holds).toEqual([]);
    warned.length = 0;
    expect((await preparedAt(session, 1.2)).run.kind).toBe('committed');
    expect(warned).not.toContain('holds-gave-way');
  });

  it('gives way to a plan that an operator made, changed and said yes to', async () => {
    const [session, warned] = await undone();
    const { plan, kind } = await session.operator.plan();
    expect(kind).toBe('planned');
    const edited = await session.operator.edit(plan!, { text: { 0: 'Talk of a mill.' } });
    const { warnings } = await session.operator.commit(edited);
    expect([warnings?.[0]?.code, ...warned]).toEqual(['holds-gave-way', 'holds-gave-way']);
    expect(session.operator.ledger.holds).toEqual([]);
  });

  it('gives way where a provider refuses what was read as small enough', async () => {
    const session = await sessionOf(12_000, [...START, ...talk(30, 110), user('And now?')]);
    await session.operator.compact({ target: 0.1 });
    await session.operator.undo();
    await session.prepare();
    const { retry } = await session.overflowed(new Error('prompt is too long: 9000 tokens > 5000 maximum'));
    expect(retry).toBe(true);
    expect((await session.prepare()).reading.pressure).toBeLessThanOrEqual(1);
  });

  it('stands where a request fits beside it', async () => {
    const session = await sessionOf(12_000, [...START, ...talk(30, 110), user('And now?')]);
    await session.operator.compact({ target: 0.1 });
    await session.operator.undo();
    const { holds } = session.operator.ledger;
    await session.operator.compact({ target: 0.1 });
    await preparedAt(session, 0.9);
    expect(session.operator.ledger.holds).toEqual(holds);
  });
});

describe('N3: every message of every call is accounted for', () => {
  it('kept, replaced, superseded or pinned, by which compaction and why, also long after', async () => {
    const session = await full();
    const first = await session.prepare();
    const sent = first.view.map(({ message }) => message);
    await session.append(said('later', 'Later.'));
    await session.operator.undo();
    await session.prepare();
    const { messages, view } = await session.operator.explainCall(first.call);
    expect(messages.length).toBe(session.log.length - 1);
    expect(view.map(({ message }) => message)).toEqual(sent);
    const gone = messages.filter(({ status }) => status === 'superseded' || status === 'replaced');
    expect(gone.length).toBeGreaterThan(5);
    for (const one of gone) expect(one).toMatchObject({ record: 'c1', by: { stage: expect.any(String) } });
    expect(messages[0]).toMatchObject({ status: 'pinned' });
    // What was undone stands again in the next call, whatever else that call compacted.
    const second = new Map((await session.operator.explainCall(2)).messages.map((one) => [one.id, one]));
    for (const { id } of gone) expect(second.get(id)).toMatchObject({ status: 'kept' });
    expect([...second.values()].filter(({ record }) => record === 'c1')).toEqual([]);
    await expect(session.operator.explainCall(9)).rejects.toMatchObject({ code: 'CALL_UNKNOWN' });
  });

  it('a result that gave way to a line is replaced, by its stage, and smaller than it was', async () => {
    const reads = Array.from({ length: 12 }, (_, i) => step('look', { at: `wall ${i}` }, prose(500, i)));
    const chat = [...START, ...reads.flat(), ...talk(4, 50), user('And now?')];
    const session = await sessionOf(8_000, chat, { roster: ['micro'], minGain: 0 });
    await session.operator.compact({ target: 0.1 });
    const replaced = session.view.flatMap(({ replaced: parts, message }) => (parts ? [message.id] : []));
    expect(replaced.length).toBeGreaterThan(0);
    const told = session.operator.explain().filter(({ status }) => status === 'replaced');
    expect(told.map(({ id }) => id)).toEqual(replaced);
    for (const { by, tokensBefore, tokensAfter } of told) {
      expect(by!.stage).toBe('micro');
      expect(tokensAfter).toBeLessThan(tokensBefore);
    }
  });
});

it('R10: compacted out, or ignored? The log tells the two apart for any past call, by another process too', async () => {
  const store = await openStore('memory:');
  const session = await openOn(store);
  const words = prose(400, 3).slice(100, 160);
  await session.append(...read(LONG.slice(0, 6)));
  const early = await session.prepare();
  await session.observe({ inputTokens: 700 });
  await session.append(...read(LONG).slice(6), said('now', 'And now?'));
  const late = await session.prepare();
  await session.observe({ inputTokens: 7_000 });
  const other = await openOn(store);
  expect(await other.operator.find(words, early.call)).toMatchObject({ verdict: 'sent', sentIn: ['m4'] });
  const finding = await other.operator.find(words, late.call);
  expect(finding).toMatchObject({ verdict: 'compacted-out', sentIn: [] });
  expect(finding.said[0]).toMatchObject({ id: 'm4', record: 'c1', by: { stage: expect.any(String) } });
  expect(await other.operator.find('And now?', early.call)).toMatchObject({ verdict: 'later' });
  expect(await other.operator.find('nobody said this', late.call)).toMatchObject({ verdict: 'never' });
});

describe('N5: what a compaction saved, less what it cost', () => {
  it('is predicted, held against the next reported usage, and pays for itself by and by', async () => {
    const session = await full({ model: 'claude-sonnet-4-5', window: 12_000 });
    const { reading } = await session.prepare();
    const [fresh] = session.operator.netCosts;
    expect(fresh).toMatchObject({ record: 'c1', calls: 0 });
    expect(fresh!.net).toBeLessThan(0);
    expect(fresh!.predicted.inputTokens).toBeGreaterThan(0.9 * (reading.tokens - 10));
    const usage = { inputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: reading.tokens, outputTokens: 5 };
    await session.observe(usage);
    expect(session.operator.netCosts[0]!.reported).toEqual({
      inputTokens: reading.tokens + 10,
      billed: Math.round(10 + 1.25 * reading.tokens),
    });
    for (let i = 0; i < fresh!.paysAfterCalls; i++) {
      await session.prepare();
      await session.observe(usage);
    }
    expect(session.operator.netCosts[0]!.net).toBeGreaterThan(0);
    expect(session.operator.netCosts[0]!.netCost).toBeGreaterThan(0);
  });

  it('is known to save nothing more once it was undone', async () => {
    const session = await compacted();
    await session.observe({ inputTokens: 3_000 });
    const before = session.operator.netCosts[0]!;
    await session.operator.undo();
    await session.operator.rewind(8);
    await session.prepare();
    await session.observe({ inputTokens: 900 });
    // What it had saved until then stays saved.
    expect(session.operator.netCosts[0]).toEqual({ ...before, savedPerCall: 0 });
    expect(before.calls).toBe(1);
  });

  it.each(KINDS)('is the same for whoever opens the session next, with all its calls (%s)', async (kind) => {
    const { store, again } = await place(kind);
    const named = { model: 'claude-sonnet-4-5', window: 12_000 };
    const first = await openOn(store, named);
    await first.append(...read(LONG.slice(0, 6)));
    await first.prepare();
    await first.observe({ inputTokens: 700 });
    await first.append(...read(LONG).slice(6), said('now', 'And now?'));
    for (const inputTokens of [6_000, 6_100]) {
      await first.prepare();
      await first.observe({ inputTokens, cacheReadTokens: 300 });
    }
    // Prepared, and never answered.
    await first.prepare();

    // By another name the calls went to another model: what they cost is what they cost.
    const second = await openOn(await again());
    expect(second.operator.calls).toEqual([]);
    await second.load();
    expect(second.operator.netCosts).toEqual(first.operator.netCosts);
    expect(second.operator.netCosts).toMatchObject([
      { record: 'c1', calls: 2, reported: { inputTokens: 6_300 } },
    ]);
    expect(second.operator.netCosts[0]!.netCost).not.toBeNull();
    expect(second.operator.calls).toEqual(JSON.parse(JSON.stringify(first.operator.calls.slice(0, 3))));
    await second.prepare();
    await second.observe({ inputTokens: 6_200 });
    const third = await (await (await openOn(await again())).load()).load();
    expect(third.operator.calls.map(({ call, usage }) => [call, usage?.inputTokens])).toEqual([
      [1, 700],
      [2, 6_000],
      [3, 6_100],
      [4, 6_200],
    ]);
    expect(third.operator.netCosts[0]).toMatchObject({ calls: 3 });
    // Calls of others that are read later stand behind those that were read before, and nobody reports of them.
    const usages = ({ operator }: Session): unknown[] =>
      operator.calls.map(({ usage }) => usage?.inputTokens);
    const watcher = await (await openOn(await again())).load();
    await third.prepare();
    await third.observe({ inputTokens: 6_300 });
    await watcher.load();
    expect(usages(watcher)).toEqual([700, 6_000, 6_100, 6_200, 6_300]);
    await watcher.observe({ inputTokens: 9 });
    expect(usages(await (await openOn(await again())).load())).toEqual([700, 6_000, 6_100, 6_200, 6_300]);
    // The newest call is the one that is meant where none is named.
    expect(await (await openOn(await again())).operator.find('And now?')).toMatchObject({
      call: { call: 5 },
    });
  });
});

describe('N11: recall', () => {
  it('reads back by handle what a mark names: a message, a part, a span', async () => {
    const session = await compacted();
    const all = session.view.map(shownText).join('\n');
    const handles = [...all.matchAll(/; (m\d[^\s\]]*)\]/g)].map(([, handle]) => handle!);
    expect(handles.length).toBeGreaterThan(0);
    for (const handle of handles) {
      const found = await session.recall({ handle, maxTokens: 100_000 });
      expect(found.length).toBeGreaterThan(0);
    }
    const [whole] = await session.recall({ handle: 'm4#0' });
    expect(whole!.text).toBe(wordsOf(LONG[4]!.content).slice(0));
    expect((await session.recall({ handle: 'm3..m4' })).map(({ role }) => role)).toEqual([
      'assistant',
      'tool',
    ]);
    await expect(session.recall({ handle: 'm999' })).rejects.toMatchObject({ code: 'MESSAGE_UNKNOWN' });
  });

  it('finds by words, best first, without and with a store', async () => {
    const session = await compacted();
    expect((await session.recall({ query: 'K-4711' }))[0]).toMatchObject({ handle: 'm4', role: 'tool' });
    const store = await openStore('memory:');
    const kept = await openOn(store);
    await kept.append(...read(LONG));
    await kept.operator.compact();
    const other = await openOn(store);
    expect((await other.recall({ query: 'K-4711', limit: 1 }))[0]).toMatchObject({ handle: 'm4' });
    expect(await other.recall({ query: '  ' })).toEqual([]);
    expect(recalledText(await other.recall({ query: 'zzzz' }))).toBe('Nothing was found.');
  });

  it('is bounded, says so, and takes secrets out', async () => {
    const session = await full({ redact: ['K-\\d+'] });
    const found = await session.recall({ handle: 'm4', maxTokens: 120 });
    expect(recalledText(found)).toMatch(/recall m4/);
    expect(recalledText(found)).not.toContain('K-4711');
    expect(Math.ceil(found[0]!.text.length / 4)).toBeLessThanOrEqual(120);
  });

  it('is a tool whose arguments are its request, and whose results can be pruned like any other', async () => {
    expect(Object.keys(recallTool.parameters.properties)).toEqual(['handle', 'query', 'limit']);
    const session = await compacted();
    const answer = recalledText(await session.recall({ query: 'K-4711' }));
    const chat = step(recallTool.name, { query: 'K-4711' }, answer);
    await session.append(
      ...read([...chat, says('Thanks.'), ...talk(40, 120, 300)]).map((one, i) => ({ ...one, id: `r${i}` })),
    );
    await session.prepare();
    expect(session.operator.explain().find(({ id }) => id === 'r1')!.status).toMatch(/replaced|superseded/);
  });
});
