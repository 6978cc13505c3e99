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

/** The same session, opened by another process. */
const openOn = async (store: SessionStore, settings = {}): Promise<Session> =>
  (await engine(12_000, settings, { store })).open({ id: 's' });

describe('N2: a plan is a value', () => {
  it('is committed as it was previewed, byte for byte', async () => {
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

  it('is refused if no edit is left in it', async () => {
    const session = await full();
    const { plan } = await session.operator.plan();
    const all = plan!.edits.map((_, place) => place);
    await expect(session.operator.edit(plan!, { without: all })).rejects.toMatchObject({
      code: 'EDIT_ILLEGAL',
    });
  });

  it('is refused as EDIT_ILLEGAL if its messages were rolled back meanwhile, also with holds in the ledger', async () => {
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

  it('is measured again under another hash when it is edited', async () => {
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

  it('leaves out the edit of a message that an operator wants to keep', async () => {
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

  it('is refused if it was changed by hand, is stale, or would not shrink anything', async () => {
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

  it('leaves no calls of an earlier compaction in its record if no text was asked for', async () => {
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

  it('is based on the current ledger again when it is edited', async () => {
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

  it('is a no-op with a reason if there is nothing to do', async () => {
    const session = await sessionOf(12_000, START);
    expect(await session.operator.plan()).toMatchObject({ kind: 'noop', reason: expect.any(String) });
    expect((await session.operator.audit()).length).toBe(0);
  });
});

describe('K22: a checkpoint pauses the session until an operator approves', () => {
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

  it('no longer waits when the ledger has moved on, because its plan could not be committed', async () => {
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

  it('rejecting it changes nothing, and it does not ask again for the same messages', async () => {
    const { session } = await paused();
    const before = session.view.length;
    await session.operator.reject(undefined, 'not now');
    expect(session.view.length).toBe(before);
    expect((await session.prepare()).run.kind).toBe('waiting');
    expect((await session.operator.audit()).map(({ kind }) => kind)).toContain('compaction.rejected');
  });

  it('an edited plan replaces the one that waited', async () => {
    const { store, session } = await paused();
    const { plan } = session.operator.pending!;
    const edited = await session.operator.edit(plan, { text: { 0: 'They spoke of boats.' } });
    expect(session.operator.pending!.plan.hash).toBe(edited.hash);
    await expect(session.operator.approve(plan.hash)).rejects.toMatchObject({ code: 'PLAN_UNKNOWN' });
    const later = await openOn(store, settings);
    expect((await later.operator.approve(edited.hash)).plan.hash).toBe(edited.hash);
  });

  it('a message that is appended meanwhile is not lost', async () => {
    const { session } = await paused();
    await session.append(said('late', 'One more thing.'));
    await session.operator.approve();
    expect(session.view.map(shownText)).toContain('One more thing.');
  });

  it('a compaction by hand does not wait for approval', async () => {
    const session = await full(settings);
    expect((await session.operator.compact()).kind).toBe('committed');
  });
});

describe('K10: originals stay, and rolling back restores them', () => {
  it('marks superseded messages, and keeps their content', async () => {
    const session = await compacted();
    const gone = session.operator.explain().filter(({ status }) => status === 'superseded');
    expect(gone.length).toBeGreaterThan(5);
    for (const { seq } of gone) expect(session.log.at(seq).parts).toEqual(read(LONG)[seq]!.parts);
  });

  it('restores what a compaction superseded if the log is rolled back past it', async () => {
    const session = await compacted();
    const undone = await session.operator.rollback('m20');
    expect(undone.map(({ status }) => status)).toEqual(['undone']);
    expect(session.view.map(({ message }) => message.id)).toEqual(
      session.log.exchanges.flatMap(({ seqs }) => seqs.map((seq) => `m${seq}`)),
    );
    expect(session.log.length).toBe(21);
    expect(session.view.every(({ replaced, made }) => !replaced && !made)).toBe(true);
    // It goes on from there. The ids of the messages after it remain taken.
    await session.append(said('other', 'Another way.'));
    expect(() => session.append(said('m30', 'Again.'))).toThrow(
      expect.objectContaining({ code: 'MESSAGE_ID_TAKEN' }),
    );
    expect((await session.prepare()).run.kind).toBe('below-gate');
  });

  it('keeps compactions of messages that remain', async () => {
    const session = await compacted();
    await session.append(said('more', 'More.'), said('evenmore', 'Even more.'));
    expect(await session.operator.rollback('more')).toEqual([]);
    expect(session.view.at(-1)!.message.id).toBe('more');
    expect(session.view.some(({ made, replaced }) => made ?? replaced)).toBe(true);
  });
});

it('K11: an operator sees superseded messages only with includeSuperseded, and the model never does', async () => {
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

describe('K13: the audit records compactions', () => {
  it('with reason, strategy, ids before and after, and duration', async () => {
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
    // All superseded messages are named, not only the ends of a span, and so are the messages in their place.
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

  it('that failed or came to nothing', async () => {
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

  it('of an older compaction is refused and names the later ones, and `to` undoes all of them', async () => {
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

describe('the hold of an undo', () => {
  async function undone(): Promise<[Session, string[]]> {
    const session = await sessionOf(12_000, [...LONG, ...talk(15, 110, 500), user('And now?')]);
    await session.prepare();
    const warned: string[] = [];
    session.events.subscribe((event) => event.kind === 'warning' && warned.push(event.code));
    await session.operator.undo();
    expect(session.reading.pressure).toBeGreaterThan(1);
    return [session, warned];
  }

  it('is released if the request would not fit, and the record and a warning say so', async () => {
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

  it('is released for a plan that an operator made, edited and committed', async () => {
    const [session, warned] = await undone();
    const { plan, kind } = await session.operator.plan();
    expect(kind).toBe('planned');
    const edited = await session.operator.edit(plan!, { text: { 0: 'Talk of a mill.' } });
    const { warnings } = await session.operator.commit(edited);
    expect([warnings?.[0]?.code, ...warned]).toEqual(['holds-gave-way', 'holds-gave-way']);
    expect(session.operator.ledger.holds).toEqual([]);
  });

  it('is released if a provider refuses a request that seemed small enough', async () => {
    const session = await sessionOf(12_000, [...START, ...talk(30, 110), user('And now?')]);
    await session.operator.compact({ target: 0.1 });
    await session.operator.undo();
    await session.prepare();
    const { retry } = await session.overflowed(new Error('prompt is too long: 9000 tokens > 5000 maximum'));
    expect(retry).toBe(true);
    expect((await session.prepare()).reading.pressure).toBeLessThanOrEqual(1);
  });

  it('remains if a request fits with it', async () => {
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
  it('as kept, replaced, superseded or pinned, by which compaction and why, also after an undo', async () => {
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
    // What was undone is kept again in the next call, whatever else that call compacted.
    const second = new Map((await session.operator.explainCall(2)).messages.map((one) => [one.id, one]));
    for (const { id } of gone) expect(second.get(id)).toMatchObject({ status: 'kept' });
    expect([...second.values()].filter(({ record }) => record === 'c1')).toEqual([]);
    await expect(session.operator.explainCall(9)).rejects.toMatchObject({ code: 'CALL_UNKNOWN' });
  });

  it('as replaced, by its stage and smaller than before, if a line replaces its result', async () => {
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

it('R10: for any past call the log says whether words were sent, compacted out, said later or never', async () => {
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
  it('is predicted, compared with the next reported usage, and becomes positive after the predicted calls', async () => {
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

  it('no longer grows after an undo', async () => {
    const session = await compacted();
    await session.observe({ inputTokens: 3_000 });
    const before = session.operator.netCosts[0]!;
    await session.operator.undo();
    await session.operator.rewind(8);
    await session.prepare();
    await session.observe({ inputTokens: 900 });
    // What it saved until then remains saved.
    expect(session.operator.netCosts[0]).toEqual({ ...before, savedPerCall: 0 });
    expect(before.calls).toBe(1);
  });

  it.each(KINDS)(
    'is the same in the next process that opens the session, with all its calls (%s)',
    async (kind) => {
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

      // Opened without the name of the model: the calls keep their cost.
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
      // Calls of others that are loaded later come after those that were loaded before, and no usage is taken for them.
      const usages = ({ operator }: Session): unknown[] =>
        operator.calls.map(({ usage }) => usage?.inputTokens);
      const watcher = await (await openOn(await again())).load();
      await third.prepare();
      await third.observe({ inputTokens: 6_300 });
      await watcher.load();
      expect(usages(watcher)).toEqual([700, 6_000, 6_100, 6_200, 6_300]);
      await watcher.observe({ inputTokens: 9 });
      expect(usages(await (await openOn(await again())).load())).toEqual([700, 6_000, 6_100, 6_200, 6_300]);
      // If no call is named, the newest one is meant.
      expect(await (await openOn(await again())).operator.find('And now?')).toMatchObject({
        call: { call: 5 },
      });
    },
  );
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

  it('is bounded, says so, and leaves secrets out', async () => {
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
