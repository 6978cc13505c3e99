import { openStore, type Message, type Session, type Spillway } from '../../../src/index.js';
import { postgresOfFile } from '../../support/postgres.js';
import { engine, logged, prose, read, says, shownText, system, talk, user, writer } from '../support.js';

const server = postgresOfFile({ durable: true });
const engines: Spillway[] = [];
afterEach(async () => {
  for (const one of engines.splice(0)) await one.close();
});

const BUDGET = 6_000;
const AWAY = { code: 'STORE_FAILED', retryable: true };
const START = [system('Be brief.'), user('Build a mill.'), says('Gladly.')];
const LONG = read([...START, ...talk(24, 150)]);

/** An engine as another process has it, with its own connections. */
async function processOn(url: string, settings = {}, more = {}): Promise<Spillway> {
  const store = await openStore(url, { patienceMs: 2_000 });
  const spillway = await engine(BUDGET, settings, { store, ...more });
  engines.push(spillway);
  return spillway;
}

const openOn = async (url: string): Promise<Session> => (await processOn(url)).open({ id: 'mill' });

const said = (id: string, text = prose(60, id.length)): Message => ({
  id,
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text }],
});

const idsOf = (session: Session): string[] => logged(session).map(({ id }) => id);

const look = (session: Session) => session.view.map((shown) => [shown.message.id, shownText(shown)]);

describe('a session on a PostgreSQL that stops and starts again', () => {
  it('rejects every call, loses nothing that was acknowledged, and goes on by itself', async () => {
    const url = await server.create();
    const session = await openOn(url);
    await session.append(...LONG);
    await session.operator.compact({ target: 0.4 });
    await session.operator.flag('c1', 'good');
    await session.prepare();
    await session.observe({ inputTokens: 2_500 });
    const acknowledged = idsOf(session);

    await server.crash();
    await expect(session.append(said('during'))).rejects.toMatchObject(AWAY);
    await expect(session.prepare()).rejects.toMatchObject(AWAY);
    await expect(session.observe({ inputTokens: 700 })).rejects.toMatchObject(AWAY);
    await expect(session.operator.undo()).rejects.toMatchObject(AWAY);
    await expect(session.operator.audit()).rejects.toMatchObject(AWAY);
    await expect(openOn(url)).rejects.toMatchObject(AWAY);
    // What was appended is in memory once, and can be read.
    expect(idsOf(session)).toEqual([...acknowledged, 'during']);

    await server.restart();
    await session.append(said('after'));
    await session.operator.release();
    await session.prepare();
    await session.observe({ inputTokens: 800 });
    const reopened = await (await openOn(url)).load();
    expect(idsOf(reopened)).toEqual([...acknowledged, 'during', 'after']);
    expect(reopened.operator.history).toMatchObject([
      { id: 'c1', flag: 'good', status: 'undone' },
      { id: 'c2', status: 'committed' },
    ]);
    expect(look(reopened)).toEqual(look(session));
    // Three calls were answered, one of them during the outage. Each is counted once.
    expect(reopened.operator.costs).toEqual(session.operator.costs);
    expect(reopened.operator.costs.primary).toMatchObject({ calls: 3, inputTokens: 4_000 });
    const kinds = (await reopened.operator.audit()).map(({ kind }) => kind.replace('compaction.', ''));
    expect(kinds.filter((kind) => kind === 'undone')).toHaveLength(1);
  });

  it('can be opened after the outage with all messages that were acknowledged', async () => {
    const url = await server.create();
    const first = await openOn(url);
    await first.append(...LONG);
    const before = (await first.prepare()).view.map(({ message }) => message.id);
    // Messages arrive while the server crashes: those that were acknowledged are there afterwards, in order.
    const acknowledged: string[] = [];
    const sending = (async () => {
      for (let i = 0; ; i++) {
        try {
          await first.append(said(`s${i}`));
          acknowledged.push(`s${i}`);
        } catch (error) {
          return error;
        }
      }
    })();
    while (acknowledged.length < 3) await new Promise((resolve) => setImmediate(resolve));
    await server.crash();
    expect(await sending).toMatchObject(AWAY);
    await server.restart();

    const second = await openOn(url);
    const ids = second.view.map(({ message }) => message.id);
    expect(ids.slice(0, before.length)).toEqual(before);
    const kept = ids.filter((id) => /^s\d+$/.test(id));
    expect(kept.slice(0, acknowledged.length)).toEqual(acknowledged);
    // The message whose answer was lost may be there too.
    expect(kept.length - acknowledged.length).toBeLessThanOrEqual(1);
    await second.append(said('on'));
    // Both go on. The first one still holds the message that was refused, and stores it now.
    await first.append(said('too'));
    const third = await (await openOn(url)).load();
    const all = idsOf(third).slice(LONG.length);
    expect([...new Set(all)]).toEqual(all);
    expect([...all].sort()).toEqual([...acknowledged, `s${acknowledged.length}`, 'on', 'too'].sort());
  });

  it('keeps a compaction whose text arrived during the outage, and pays for that text once', async () => {
    const url = await server.create();
    const { summarizer, asked } = writer();
    let answer = (): void => undefined;
    const free = new Promise<void>((resolve) => (answer = resolve));
    let began = (): void => undefined;
    const beginning = new Promise<void>((resolve) => (began = resolve));
    const slow = {
      ...summarizer,
      summarize: async (...asking: Parameters<typeof summarizer.summarize>) => {
        began();
        await free;
        return summarizer.summarize(...asking);
      },
    };
    const spillway = await processOn(url, { roster: ['auto'] }, { summarizer: slow });
    const session = await spillway.open({ id: 'mill' });
    await session.append(...LONG);
    const run = session.prepare();
    await beginning;
    await server.crash();
    answer();
    await expect(run).rejects.toMatchObject(AWAY);
    await server.restart();
    const after = await session.prepare();
    expect(after.view.map(shownText).join()).toContain('Written by the summarizer');
    const reopened = await (await openOn(url)).load();
    expect(look(reopened)).toEqual(look(session));
    expect(reopened.operator.costs.compactor.calls).toBe(asked.length);
    expect(reopened.operator.history.flatMap(({ calls = [] }) => calls)).toHaveLength(asked.length);
  });

  it('can be closed during the outage, and a message that was rejected before is not stored', async () => {
    const url = await server.create();
    const { summarizer } = writer();
    const spillway = await processOn(url, { fill: { prepareAt: 0.7 } }, { summarizer });
    const session = await spillway.open({ id: 'mill' });
    await session.append(...LONG.slice(0, 3));
    await server.crash();
    const lost = session.append(said('lost'));
    await expect(lost).rejects.toMatchObject(AWAY);
    await spillway.close();
    await server.restart();
    expect(idsOf(await openOn(url))).toEqual(['m0', 'm1', 'm2']);
  });
});

describe('two processes on one session in PostgreSQL, and both want to compact', () => {
  it('the second one takes over the compaction of the first one, and doubles nothing', async () => {
    const url = await server.create();
    const one = await openOn(url);
    await one.append(...LONG);
    const both = [one, await openOn(url)] as const;
    const requests = await Promise.all(both.map((session) => session.prepare()));
    const views = requests.map(({ view }) => view.map(({ message }) => message.id));
    expect(views[0]).toEqual(views[1]);
    expect(requests.map(({ reading }) => reading.pressure < 0.8)).toEqual([true, true]);
    const third = await (await openOn(url)).load();
    expect(third.operator.history).toHaveLength(1);
    expect(idsOf(third)).toEqual(LONG.map(({ id }) => id));
    const kinds = (await third.operator.audit()).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'compaction.completed')).toHaveLength(1);
  });

  it('one of two compactions by hand is a no-op', async () => {
    const url = await server.create();
    const one = await openOn(url);
    await one.append(...LONG);
    const both = [one, await openOn(url)] as const;
    const runs = await Promise.all(both.map((session) => session.operator.compact({ target: 0.3 })));
    expect(runs.map(({ kind }) => kind).sort()).toEqual(['committed', 'noop']);
    const third = await (await openOn(url)).load();
    expect(third.operator.ledger.records.map(({ id }) => id)).toEqual(['c1']);
  });
});
