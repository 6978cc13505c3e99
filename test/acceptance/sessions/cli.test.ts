import { copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSpillway, type CompactionRecord } from '../../../src/index.js';
import { prose, read, says, spillway, step, system, talk, temporaryFolder, user } from '../support.js';

const folder = temporaryFolder();
const CHAT = [
  system('Be brief.'),
  user('Build a mill.'),
  says('Gladly.'),
  ...step('look', { at: 'gate' }, `The key is K-4711. ${prose(400, 3)}`),
  ...talk(48, 110),
  user(`And now? ${'?'.repeat(70)}🌾`),
];

/** A file with one session that was compacted on its second call. */
const made = join(folder.path, 'made.db');
beforeAll(async () => {
  const store = `sqlite:${made}`;
  const engine = await createSpillway({ store, inputBudget: 12_000, settings: { counter: 'heuristic' } });
  const session = await engine.open({ id: 'mill' });
  await session.append(...read(CHAT.slice(0, 6)));
  await session.prepare();
  await session.observe({ inputTokens: 600 });
  await session.append(...read(CHAT).slice(6));
  await session.operator.compact({ target: 0.3 });
  await session.prepare();
  await session.observe({ inputTokens: 3_000 });
  await engine.close();
});

/** The URL of a copy of that file, which a test may change. */
function kept(name: string): string {
  const file = join(folder.path, `${name}.db`);
  copyFileSync(made, file);
  return `sqlite:${file}`;
}

const ran = async (store: string, command: string, ...more: string[]) => {
  const { code, out, err } = await spillway([
    command,
    ...more,
    '--store',
    store,
    '--window',
    '12000',
    '--json',
  ]);
  expect([err, code]).toEqual(['', 0]);
  return JSON.parse(out) as Record<string, unknown> & { records: CompactionRecord[] };
};

describe('the command line for stored sessions', () => {
  it('takes the store from the settings if none is named, and other commands do not open it', async () => {
    const store = kept('named');
    const file = join(folder.path, 'named.yaml');
    writeFileSync(file, 'store: sqlite:named.db\n');
    for (const env of [{ SPILLWAY_STORE: store }, { SPILLWAY_CONFIG: file }]) {
      expect((await spillway(['sessions'], env)).out).toMatch(/^mill /);
      expect((await spillway(['history', 'mill'], env)).out).toMatch(/^c1 /);
    }
    expect((await spillway(['history', 'mill', '--config', file])).out).toMatch(/^c1 /);
    expect(await spillway(['sessions'])).toMatchObject({
      code: 1,
      err: expect.stringMatching(/CONFIG_INVALID: store.*--store.*SPILLWAY_STORE/),
    });
    const away = { SPILLWAY_STORE: 'postgres://me:s3cret@127.0.0.1:1/none?password=s3cret' };
    const printed = await spillway(['config', 'print'], away);
    expect([printed.err, printed.code]).toEqual(['', 0]);
    expect(printed.out).toContain('postgres://...@127.0.0.1:1/none');
    expect(printed.out).not.toContain('s3cret');
    expect((await spillway(['stages'], away)).code).toBe(0);
  });

  it('lists, shows the history, explains, recalls', async () => {
    const store = kept('look');
    const listed = await spillway(['sessions', '--store', store]);
    expect(listed.out).toMatch(/^mill {2}primary {2}\d+ messages/);
    expect((await spillway(['sessions', '--store', store, '--limit', '0'])).out).toMatch(/^no sessions/);
    const { records } = await ran(store, 'history', 'mill');
    expect(records.map(({ id }) => id)).toEqual(['c1']);
    const all = await spillway(['history', 'mill', '--store', store, '--include-superseded']);
    expect(all.out).toMatch(/^superseded/m);
    const transcript = (await spillway(['history', 'mill', '--store', store, '--transcript'])).out;
    expect(transcript).not.toMatch(/^superseded/m);
    expect(transcript).toMatch(/system {2}Be brief\.$/m);
    expect(transcript).toMatch(/user {2}And now\? \?{70}$/m); // no half of the character after it
    const words = ['--find', prose(400, 3).slice(100, 150)];
    expect(await ran(store, 'explain', 'mill', '--call', '1', ...words)).toMatchObject({ verdict: 'sent' });
    expect(await ran(store, 'explain', 'mill', '--call', '2', ...words)).toMatchObject({
      verdict: 'compacted-out',
    });
    const told = await spillway(['explain', 'mill', '--store', store, '--call', '2', ...words]);
    expect(told.out).toMatch(/^compacted out: .*\n(superseded|replaced) +m4 .*c1/);
    const newest = await ran(store, 'explain', 'mill', ...words);
    expect(newest).toMatchObject({ verdict: 'compacted-out', call: { call: 2 } });
    const recalled = await spillway(['recall', 'mill', '--store', store, '--query', 'K-4711']);
    expect(recalled.out).toMatch(/^\[m4\] tool, result of look.*:\nThe key is K-4711\./m);
  });

  it('reports what a session spent, whether its compactions pay, and each call', async () => {
    const store = kept('costs');
    const named = ['--store', store, '--model', 'claude-sonnet-4-5'];
    const told = await spillway(['costs', 'mill', ...named, '--calls']);
    const lines = told.out.trim().split('\n');
    expect(lines[0]).toBe('primary: price unknown, 2 calls, 3,600 tokens in, 0 out');
    expect(lines[1]).toBe('compactor: $0.0000, 0 calls, 0 tokens in, 0 out');
    expect(lines[2]).toMatch(
      /^c1 {2}saves [\d,]+ tokens a call, over 1 call, .*: net [-+][\d,]+ input tokens$/,
    );
    expect(lines[3]).toMatch(/^call 1 {2}6 messages, .*; 600 tokens in reported$/);
    expect(lines[4]).toMatch(/^call 2 {2}\d+ messages, .*, c1 in force, .*; 3,000 tokens in reported$/);
    expect(lines).toHaveLength(5);
    expect(await ran(store, 'costs', 'mill')).toMatchObject({
      primary: { calls: 2, inputTokens: 3_600 },
      compactions: [{ record: 'c1', calls: 1, reported: { inputTokens: 3_000 } }],
    });
    await spillway(['undo', 'mill', ...named]);
    expect((await spillway(['costs', 'mill', ...named])).out).toMatch(
      /^c1 {2}saved tokens over 1 call, until it was undone, for .*: net [-+][\d,]+ input tokens$/m,
    );
  });

  it('reports what failed and when, the budget of a plan, and which messages a search covers', async () => {
    const store = kept('failed');
    const engine = await createSpillway({ store, inputBudget: 20, settings: { counter: 'heuristic' } });
    const session = await engine.open({ id: 'mill' });
    await expect(session.prepare()).rejects.toMatchObject({ code: 'BUDGET_UNREACHABLE' });
    await engine.close();
    const told = (await spillway(['history', 'mill', '--store', store])).out;
    expect(told).toMatch(/^c1 {2}committed {2}\d{4}-\d\d-\d\dT[\d:.]+Z {2}[\d,]+ -> [\d,]+ tokens/);
    expect(told).toMatch(
      /^failed {2}\d{4}-\S+Z {2}BUDGET_UNREACHABLE: The content that may never be removed .* the budget is \d+ tokens/m,
    );
    expect(await ran(store, 'history', 'mill')).toMatchObject({ failed: [{ kind: 'compaction.failed' }] });
    expect((await spillway(['plan', 'mill', '--store', store, '--model', 'gpt-4o'])).out).toMatch(
      /^noop: .*\npressure \d+\.\d % of [\d,]+ tokens \(gpt-4o: window 128,000/,
    );
    expect((await spillway(['recall', 'mill', '--store', store, '--query', 'brief'])).out).toMatch(
      /^Nothing was found\.\n.* what has left the request.*--find/,
    );
    expect((await spillway(['approve', 'mill', '--store', store])).err).toMatch(
      /^PLAN_UNKNOWN: no plan waits\./,
    );
  });

  it('counts only the messages that were not rolled back', async () => {
    const store = kept('count');
    const count = async (): Promise<unknown> => {
      const { out } = await spillway(['sessions', '--store', store, '--json']);
      return (JSON.parse(out) as { messages: number }[])[0]!.messages;
    };
    expect(await count()).toBe(CHAT.length);
    await ran(store, 'rollback', 'mill', 'm9');
    expect(await count()).toBe(10);
    const listed = await spillway(['sessions', '--store', store]);
    expect(listed.out).toMatch(/^mill {2}primary {2}10 messages/);
  });

  it('plans, proposes, approves, judges, undoes and rolls back', async () => {
    const store = kept('act');
    expect(await ran(store, 'undo', 'mill')).toMatchObject({ undone: [{ id: 'c1', status: 'undone' }] });
    expect(await ran(store, 'plan', 'mill')).toMatchObject({ kind: expect.any(String) });
    await ran(store, 'rollback', 'mill', 'm60');
    const planned = await spillway([
      'plan',
      'mill',
      '--store',
      store,
      '--window',
      '6000',
      '--propose',
      '--target',
      '0.3',
    ]);
    expect(planned.out).toMatch(/^plan [0-9a-f]{64}\n[^]*waits for approve/);
    const hash = /plan (\w{12})/.exec(planned.out)![1]!;
    const record = await ran(store, 'approve', 'mill', hash);
    // Asked again, because an answer got lost.
    const { hash: whole } = record.plan as { readonly hash: string };
    expect(await ran(store, 'approve', 'mill', whole)).toEqual(record);
    expect(record).toMatchObject({ status: 'committed', plan: { hash: expect.stringContaining(hash) } });
    await ran(store, 'flag', 'mill', String(record.id), 'good', '--notes', 'fine');
    expect((await ran(store, 'history', 'mill')).records.at(-1)).toMatchObject({
      flag: 'good',
      notes: 'fine',
    });
    const refused = await spillway(['reject', 'mill', '--store', store]);
    expect([refused.code === 0, refused.err]).toEqual([false, expect.stringContaining('PLAN_UNKNOWN')]);
  });

  it('ends with 2 where no plan can reach the budget, and has nothing wait', async () => {
    const store = kept('unreachable');
    for (const more of [[], ['--json', '--propose']]) {
      const { code, out } = await spillway(['plan', 'mill', '--store', store, '--window', '40', ...more]);
      expect([code, out]).toEqual([2, expect.stringContaining('unreachable')]);
    }
    expect(await ran(store, 'history', 'mill')).not.toHaveProperty('pending');
    expect((await spillway(['plan', 'mill', '--store', store, '--window', '90000'])).code).toBe(0);
  });

  it('K22: edits the plan that waits, which waits on; releases what an undo held', async () => {
    const store = kept('edit');
    await ran(store, 'undo', 'mill');
    expect(await ran(store, 'release', 'mill')).toEqual({ released: 1 });
    expect(await ran(store, 'release', 'mill')).toEqual({ released: 0 });
    const small = ['--window', '4000', '--target', '0.3', '--propose', '--json'];
    const proposed = await spillway(['plan', 'mill', '--store', store, ...small]);
    const { plan } = JSON.parse(proposed.out) as { plan: CompactionRecord['plan'] };
    const last = plan.edits.length - 1;
    const words = join(folder.path, 'words.txt');
    writeFileSync(words, 'The key is under the stone.');
    const changes = ['--text', `${last}=${words}`];
    const refused = await spillway(['edit', 'mill', '--store', store, '--drop', String(last + 1)]);
    expect(refused.err).toContain('ARGUMENT_INVALID: place of an edit');
    expect(refused.err).toContain(`0 to ${last}`);
    const edited = (await ran(
      store,
      'edit',
      'mill',
      plan.hash.slice(0, 8),
      ...changes,
    )) as unknown as typeof plan;
    expect(edited.hash).not.toBe(plan.hash);
    expect(JSON.stringify(edited.edits)).toContain('The key is under the stone.');
    expect(await ran(store, 'history', 'mill')).toMatchObject({ pending: { plan: { hash: edited.hash } } });
    expect(await ran(store, 'approve', 'mill')).toMatchObject({ plan: { hash: edited.hash } });
    const shown = await spillway(['history', 'mill', '--store', store, '--transcript']);
    expect(shown.out).toContain('The key is under the stone.');
    expect((await spillway(['edit', 'mill', '--store', store])).err).toContain('PLAN_UNKNOWN');
  });

  it('refuses wrong names and places, and says what is wrong', async () => {
    const store = kept('wrong');
    expect((await spillway(['history', 'nobody', '--store', store])).err).toContain('SESSION_UNKNOWN');
    expect((await spillway(['history', 'mill', '--store', 'mongo://x'])).err).toContain('STORE_UNKNOWN');
    expect((await spillway(['history', 'mill'])).err).toContain('--store');
    const misspelt = `${store}x`;
    for (const args of [['sessions'], ['history', 'mill']]) {
      const { code, err } = await spillway([...args, '--store', misspelt]);
      expect([code, err]).toEqual([1, expect.stringContaining('no such file')]);
    }
    expect(existsSync(misspelt.replace('sqlite:', ''))).toBe(false);
    const nothing = await spillway(['recall', 'mill', '--store', store]);
    expect([nothing.code, nothing.err]).toEqual([1, expect.stringContaining('neither --handle nor --query')]);
    expect((await spillway(['recall', 'mill', '--store', store, '--handle', 'm999'])).err).toContain(
      'MESSAGE_UNKNOWN',
    );
    for (const [args, found] of [
      [['explain', 'mill', '--call', '0'], 'CONFIG_INVALID: --call; found "0"'],
      [['undo', 'mill', '--record', 'c1', '--to', 'c1'], 'ARGUMENT_INVALID: record and to of'],
    ] as const) {
      const refused = await spillway([...args, '--store', store]);
      expect([refused.code, refused.err, refused.out]).toEqual([1, expect.stringContaining(found), '']);
    }
  });
});
