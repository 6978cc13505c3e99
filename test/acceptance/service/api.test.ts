import { get, type IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import { createSpillway, openStore } from '../../../src/index.js';
import type { ThreadKey } from '../../../src/spi/index.js';
import { prose, says, step, system, user } from '../support.js';
import { started, type Started } from './support.js';
import { bearer, env, tokens } from './tokens.js';
import { but } from '../sessions/stores.js';
import { turnsDuring } from '../../support/turns-during.js';

const BUDGET = 4_000;

/** A conversation far over the budget, with its last question. */
const history = [
  system('Keep to the plan.'),
  user('Build the mill. Never touch the weir.'),
  ...Array.from({ length: 12 }, (_, i) => [
    ...step('read', { path: `src/wall-${i}.ts` }, prose(400, i), `Reading wall ${i}.`),
    says(`Wall ${i} stands: ${prose(30, 50 + i)}`),
  ]).flat(),
  user('What is left to do?'),
];

async function fed(service: Started, id = 'mill'): Promise<string> {
  await service.post('/sessions', { id });
  const prepared = await service.post(`/sessions/${id}/prepare`, {
    request: { model: 'm', messages: history },
  });
  expect(prepared.status).toBe(200);
  await service.post(`/sessions/${id}/observe`, { input_tokens: 2_000, output_tokens: 20 });
  return id;
}

const stagesOf = ({ edits }: { edits: { stage: string }[] }): string[] => [
  ...new Set(edits.map(({ stage }) => stage)),
];

describe('the HTTP API', () => {
  it('K16: shows a session that was created and has no message yet', async () => {
    const service = await started(BUDGET);
    await service.post('/sessions', { id: 'new', format: 'anthropic' });
    const { status, body } = await service.get('/sessions/new');
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({
        id: 'new',
        format: 'anthropic',
        messages: 0,
        compactions: 0,
        savedTokens: 0,
      }),
    ]);
    expect((await service.get('/sessions/none')).body.error.code).toBe('SESSION_UNKNOWN');
  });

  it('K15: counts the slots that kept their deterministic text', async () => {
    const summarizer = {
      name: 'away',
      endpoint: 'away',
      window: 50_000,
      summarize: () => Promise.reject(new Error('away')),
    };
    const service = await started(BUDGET, { roster: ['auto'] }, { summarizer });
    const id = await fed(service);
    const { body } = await service.get(`/sessions/${id}`);
    expect(body).toMatchObject({ compactions: 1, fallbacks: 1 });
  });

  it('K16: compacts, shows the history, judges, previews, changes, commits and undoes', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const { body: listed } = await service.get('/sessions');
    expect(listed.items).toMatchObject([{ id, agentPath: 'primary', compactions: 1, format: 'openai-chat' }]);

    const { body: history1 } = await service.get(`/sessions/${id}/compactions`);
    const [{ id: cid, plan: listedPlan }] = history1.items;
    // A list leaves out the edits. A single compaction has them, and a list that is asked for in full.
    expect(Object.keys(listedPlan)).not.toContain('edits');
    expect(listedPlan).toMatchObject({ trigger: { kind: 'pressure' }, hash: expect.any(String) });
    const { body: one } = await service.get(`/sessions/${id}/compactions/${cid}`);
    expect(one.record.plan).toMatchObject(listedPlan);
    expect(one.record.plan.edits.length).toBeGreaterThan(0);
    const { body: whole } = await service.get(`/sessions/${id}/compactions?full=true`);
    expect(whole.items).toEqual([one.record]);
    const flagged = await service.patch(`/sessions/${id}/compactions/${cid}`, {
      flag: 'bad',
      notes: 'the weir is gone',
    });
    expect(flagged.body).toMatchObject({ id: cid, flag: 'bad', notes: 'the weir is gone' });

    const dry = await service.post(`/sessions/${id}/compact`, { dry_run: true, lower_threshold: 0.2 });
    expect(dry.body.kind).toBe('planned');
    const { hash, edits } = dry.body.plan;
    const shown = await service.get(`/sessions/${id}/plans/${hash}`);
    expect(shown.body.preview.reading.tokens).toBeLessThan(dry.body.before.tokens);
    const changed = await service.patch(`/sessions/${id}/plans/${hash}`, {
      text: { [edits.length - 1]: 'The walls stand.' },
    });
    expect(changed.body.hash).not.toBe(hash);
    const committed = await service.post(`/sessions/${id}/plans/${changed.body.hash}/commit`);
    expect(committed.body.record.plan.hash).toBe(changed.body.hash);
    const again = await service.post(`/sessions/${id}/plans/${changed.body.hash}/commit`);
    expect(again.body.record.id).toBe(committed.body.record.id);
    const left = await service.ask('GET', `/sessions/${id}/plans`);
    expect(left.body.items.map((one: { plan: { hash: string } }) => one.plan.hash)).toEqual([hash]);

    const undone = await service.post(`/sessions/${id}/undo`, {});
    expect(undone.body.records.map((one: { id: string }) => one.id)).toEqual([committed.body.record.id]);
    expect((await service.post(`/sessions/${id}/undo`, { record: cid })).body.records).toHaveLength(1);
    expect((await service.post(`/sessions/${id}/undo`, { record: cid })).body.records).toEqual([]);
    expect((await service.post(`/sessions/${id}/release`)).status).toBe(204);
  });

  it.each([
    ['GET', '/nowhere', 404, 'HTTP_404'],
    ['GET', '/sessions/mill/plans/0123', 404, 'PLAN_UNKNOWN'],
    ['POST', '/sessions/mill/plans/0123/commit', 404, 'PLAN_UNKNOWN'],
    ['GET', '/sessions/mill/compactions/c99', 404, 'RECORD_UNKNOWN'],
    ['GET', '/sessions/mill/messages/m999', 404, 'MESSAGE_UNKNOWN'],
  ])('K16: %s %s is answered with %d, %s', async (method, path, status, code) => {
    const service = await started(BUDGET);
    await fed(service);
    const answer = await service.ask(method, path);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
  });

  it.each(['/sessions/mill/explain?cal=3', '/sessions?limits=3', '/sessions/mill/compactions?ful=true'])(
    'K16: GET %s is refused, and the error names the unknown parameter',
    async (path) => {
      const { status, body } = await (await started(BUDGET)).get(path);
      const wrong = /\?(\w+)=/.exec(path)![1];
      expect([status, body.error]).toEqual([
        400,
        expect.objectContaining({ code: 'HTTP_400', message: expect.stringContaining(`"${wrong}"`) }),
      ]);
    },
  );

  it('K16: lists the profiles that a configuration may name', async () => {
    const { body } = await (await started(BUDGET)).get('/profiles');
    expect(body.items).toContainEqual({ name: 'staged', description: expect.stringMatching(/\w/) });
  });

  it('K11: shows superseded messages with include_superseded, which the model does not see', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    await service.post(`/sessions/${id}/compact`, { lower_threshold: 0.1 });
    const seen = await service.get(`/sessions/${id}/messages?limit=500`);
    const all = await service.get(`/sessions/${id}/messages?limit=500&include_superseded=true`);
    expect(JSON.stringify(seen.body)).not.toContain('superseded');
    const superseded = all.body.items.filter((one: { status: string }) => one.status === 'superseded');
    expect(superseded.length).toBeGreaterThan(0);
    const { message } = superseded[0];
    const one = await service.get(`/sessions/${id}/messages/${encodeURIComponent(message.id)}`);
    expect(one.body.parts).toEqual(message.parts);
  });

  it('R10 N3: explains every message of a call, and says whether given words were sent', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const explained = await service.get(`/sessions/${id}/explain?call=1`);
    expect(explained.body.messages).toHaveLength(history.length);
    const gone = await service.get(
      `/sessions/${id}/find?words=${encodeURIComponent(prose(400, 0).slice(0, 60))}`,
    );
    expect(gone.body.verdict).toBe('compacted-out');
    const sent = await service.get(
      `/sessions/${id}/find?words=${encodeURIComponent('Never touch the weir')}`,
    );
    expect(sent.body.verdict).toBe('sent');
  });

  it('R10 K11: pages the log in order, with what became of each message and by which compaction', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const first = await service.get(`/sessions/${id}/log?limit=10`);
    expect(first.body).toMatchObject({ total: history.length, next: '10' });
    expect(first.body.items[1]).toMatchObject({ id: 'm1', seq: 1, role: 'user', origin: 'user' });
    expect(first.body.items[1].preview).toBe('Build the mill. Never touch the weir.');
    const rest = await service.get(`/sessions/${id}/log?limit=500&cursor=10`);
    const all = [...first.body.items, ...rest.body.items];
    expect(all.map(({ seq }: { seq: number }) => seq)).toEqual(history.map((_, seq) => seq));
    const [{ id: record }] = (await service.get(`/sessions/${id}/compactions`)).body.items;
    const changed = all.filter(({ status }: { status: string }) => !['kept', 'pinned'].includes(status));
    expect(changed.length).toBeGreaterThan(0);
    for (const one of changed) expect(one).toMatchObject({ record, by: { reason: expect.any(String) } });
    const long = all.find(({ chars }: { chars: number }) => chars > 400);
    expect(long.preview).toHaveLength(400);

    await service.post(`/sessions/${id}/undo`);
    const now = await service.get(`/sessions/${id}/context`);
    const then = await service.get(`/sessions/${id}/context?call=1`);
    expect(now.body.messages.every(({ status }: { status: string }) => status === 'original')).toBe(true);
    expect(then.body.call).toMatchObject({ call: 1 });
    expect(then.body.messages.some(({ status }: { status: string }) => status !== 'original')).toBe(true);
    const inCall = await service.get(`/sessions/${id}/log?call=1&limit=500`);
    expect(inCall.body.items).toEqual(all);
    expect((await service.get(`/sessions/${id}/log?call=9`)).status).toBe(404);
  });

  it('K15: adds up the effect of compactions, of one session and of all', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    await service.post(`/sessions/${id}/compact`, { strategy: 'summarize', lower_threshold: 0.2 });
    const { body: one } = await service.get(`/sessions/${id}/effect`);
    const { body: history } = await service.get(`/sessions/${id}/compactions?full=true`);
    const plans = history.items.map(({ plan }: { plan: any }) => plan);
    expect(one.compactions).toEqual({ committed: plans.length, undone: 0 });
    expect(one.triggers).toEqual({ pressure: 1, manual: 1 });
    expect(one.tokensBefore).toBe(plans.reduce((sum: number, plan: any) => sum + plan.before.tokens, 0));
    const summaries = plans
      .flatMap(({ edits }: any) => edits)
      .flatMap(({ replacement = [], sizes }: any) =>
        replacement.flatMap(({ label }: any, i: number) => (label === 'summary' ? [sizes[i].tokens] : [])),
      );
    expect(one.summaryTokens.length).toBeGreaterThan(0);
    expect([...one.summaryTokens].sort()).toEqual([...summaries].sort());
    const freed = Object.values<any>(one.stages).reduce((sum, { tokens }) => sum + tokens, 0);
    expect(freed).toBe(one.tokensBefore - one.tokensAfter);

    await fed(service, 'weir');
    const { body: all } = await service.get('/effect');
    expect(all.compactions.committed).toBe(plans.length + 1);
    await service.post(`/sessions/${id}/undo`);
    expect((await service.get('/effect')).body.compactions).toEqual({
      committed: plans.length,
      undone: 1,
    });
  });

  it('N11: reads back a compacted message by its handle, and refuses an unknown handle', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const byHandle = await service.post(`/sessions/${id}/recall`, { handle: 'm3' });
    expect(byHandle.body.text).toContain(prose(400, 0).slice(0, 40));
    const wrong = await service.post(`/sessions/${id}/recall`, { handle: 'm999' });
    expect(wrong).toMatchObject({ status: 404, body: { error: { code: 'MESSAGE_UNKNOWN' } } });
  });

  it('K13 K14 N5: lists the audit, costs by line, and what each compaction saves', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const audit = await service.get(`/sessions/${id}/audit`);
    expect(audit.body.items.map((one: { kind: string }) => one.kind)).toEqual(
      expect.arrayContaining(['compaction.triggered', 'compaction.completed']),
    );
    const costs = await service.get(`/sessions/${id}/costs`);
    expect(costs.body.costs.primary).toMatchObject({ calls: 1, inputTokens: 2_000 });
    expect(costs.body.net[0].savedPerCall).toBeGreaterThan(0);
    expect((await service.get('/costs')).body.primary.inputTokens).toBe(2_000);
  });

  it('K16: treats a missing body as an empty one', async () => {
    const service = await started(BUDGET);
    const said = async (path: string): Promise<number> => (await service.ask('POST', path)).status;
    expect(await said('/sessions')).toBe(200);
    await service.ask('POST', '/sessions', { id: 'mill' });
    for (const act of ['prepare', 'plans', 'compact']) expect(await said(`/sessions/mill/${act}`)).toBe(200);
    expect(await said('/sessions/mill/release')).toBe(204);
  });

  it('K12: changes knobs for all sessions, shows who set them, and reverts them', async () => {
    const service = await started(BUDGET);
    const { body } = await service.patch('/knobs', { changes: { 'thresholds.snipThreshold': 0.7 } });
    const knob = body.values.find((one: { path: string }) => one.path === 'thresholds.snipThreshold');
    expect(knob).toMatchObject({ value: 0.7, origin: 'operator', own: true, before: 0.8 });
    expect(body.schema.properties.thresholds).toBeDefined();
    expect(body.stages.snip.properties).toBeDefined();
    const wrong = await service.patch('/knobs', { changes: { 'thresholds.snipThreshold': 7 } });
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'CONFIG_INVALID' } } });
    expect((await service.patch('/knobs', { changes: { 'server.host': '0.0.0.0' } })).status).toBe(400);
    // Some clients name the type of a body that they do not send.
    const headers = { 'content-type': 'application/json' };
    const path = `${service.url}/api/v1/sessions/none/release`;
    expect((await fetch(path, { method: 'POST', headers })).status).toBe(404);
    const back = await service.patch('/knobs', { changes: { 'thresholds.snipThreshold': null } });
    expect(
      back.body.values.find((one: { path: string }) => one.path === 'thresholds.snipThreshold').own,
    ).toBe(false);
  });

  it.each([
    ['of one agent', { agents: { primary: { summarizerModel: { baseUrl: 'http://elsewhere' } } } }],
    ['by its path', { 'agents.primary.redact': [] }],
    ['within another', { pins: { root: '/', sources: ['etc/passwd'] } }],
    ['that is written to', { 'fill.prompts': '/srv' }],
    ['that is read', { 'fill.promptFiles': { auto: '/etc/passwd' } }],
    ['of agent files', { agentFiles: { primary: '/etc/passwd' } }],
    ['of the log', { redactLog: false }],
    ['of a prompt by its path', { 'compaction.prompt': '/etc/passwd' }],
    ['of a profile by its path', { profile: '../elsewhere.yaml' }],
  ])('K16: no HTTP request changes a closed setting %s', async (_, changes) => {
    const service = await started(BUDGET);
    const { status, body } = await service.patch('/knobs', { changes });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('a change by the HTTP API');
  });

  it('K16: refuses a prompt of a run that is a path', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const { status, body } = await service.post(`/sessions/${id}/compact`, { prompt: '../../etc/passwd' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('a change by the HTTP API');
  });

  it('K15 K17: changes knobs whose keys have dots, by the path that it lists', async () => {
    const service = await started(4_000);
    const window = async (): Promise<unknown> => {
      const { body } = await service.get('/knobs');
      const [knob] = body.values.filter(
        ({ path }: { path: string }) => path === 'models["gpt-4.1"].contextWindow',
      );
      return knob && [knob.value, knob.own, knob.origin, typeof knob.at];
    };
    const path = 'models["gpt-4.1"].contextWindow';
    for (const tokens of [1_000_000, 3_000_000]) {
      expect((await service.patch('/knobs', { changes: { [path]: tokens } })).status).toBe(200);
      expect(await window()).toEqual([tokens, true, 'operator', 'number']);
    }
    const { body } = await service.get('/models/gpt-4.1');
    expect(body.limits?.contextWindow ?? body.contextWindow).toBe(3_000_000);
    expect((await service.patch('/knobs', { changes: { [path]: null } })).status).toBe(200);
    expect(await window()).toBeUndefined();
    for (const wrong of ['models["gpt', '.target', 'a..b', 'models["\\q"]'])
      expect((await service.patch('/knobs', { changes: { [wrong]: 1 } })).body).toMatchObject({
        error: { code: 'CONFIG_INVALID' },
      });
    for (const other of [{ changes: { '/models/gpt-4.1': {} } }, { set: [{ path: ['target'], value: 0.5 }] }])
      expect((await service.patch('/knobs', other)).status).toBe(400);
  });

  it('K5 K15: lists the knobs of plugins with their schemas, and changes them', async () => {
    const plugins = [resolve('test', 'acceptance', 'plugins', 'packages', 'notes')];
    const service = await started(BUDGET, { plugins });
    const { body } = await service.get('/knobs');
    expect(body.plugins.notes.properties.most).toMatchObject({ minimum: 1, maximum: 50, title: 'Most' });
    const { body: turned } = await service.patch('/knobs', { changes: { 'knobs.notes.most': 25 } });
    const knob = turned.values.find(({ path }: { path: string }) => path === 'knobs.notes.most');
    expect(knob).toMatchObject({ value: 25, own: true, before: 10, by: 'local', at: expect.any(Number) });
    const wrong = await service.patch('/knobs', { changes: { 'knobs.notes.most': 500 } });
    expect(wrong).toMatchObject({ status: 400, body: { error: { code: 'CONFIG_INVALID' } } });
  });

  it('K22: lets a plan wait for approval, lists it, and commits it when it is approved', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const { body: run } = await service.post(`/sessions/${id}/compact`, {
      strategy: 'checkpoint',
      lower_threshold: 0.2,
    });
    expect(run.kind).toBe('pending');
    const { body: inbox } = await service.get('/inbox');
    expect(inbox.items).toMatchObject([{ sessionId: id, plan: { hash: run.plan.hash } }]);
    const { body: done } = await service.post(`/sessions/${id}/plans/${run.plan.hash}/approve`);
    expect(done.record.plan.hash).toBe(run.plan.hash);
    expect((await service.get('/inbox')).body.items).toEqual([]);
  });

  it('K22: lists the plans that wait, also those that were proposed or rejected at another replica', async () => {
    const service = await started(BUDGET);
    const other = await started(BUDGET, {}, { store: service.store });
    const id = await fed(service);
    await other.get(`/sessions/${id}`);
    const { body: run } = await service.post(`/sessions/${id}/compact`, {
      strategy: 'checkpoint',
      lower_threshold: 0.2,
    });
    expect((await other.get('/inbox')).body.items).toMatchObject([{ plan: { hash: run.plan.hash } }]);
    await service.post(`/sessions/${id}/plans/${run.plan.hash}/reject`);
    expect((await other.get('/inbox')).body.items).toEqual([]);
  });

  it('K22: reads for the inbox only the logs of sessions with a plan that waits', async () => {
    const base = await openStore('memory:');
    const read: string[] = [];
    const store = new Proxy(base, {
      get(target, name) {
        const own = Reflect.get(target, name, target) as unknown;
        if (name !== 'messages') return own;
        return (key: ThreadKey, from: number, to?: number) => {
          read.push(key.sessionId);
          return base.messages(key, from, to);
        };
      },
    });
    const before = await started(BUDGET, {}, { store });
    for (const id of ['mill', 'barn', 'shed']) await fed(before, id);
    const { plan } = (await before.post('/sessions/mill/plans', { lower_threshold: 0.2 })).body;
    await before.post(`/sessions/mill/plans/${plan.hash}/propose`);
    const service = await started(BUDGET, {}, { store });
    read.length = 0;
    expect((await service.get('/inbox')).body).toMatchObject({ items: [{ sessionId: 'mill' }], skipped: 0 });
    expect([...new Set(read)]).toEqual(['mill']);
  });

  it('K22: lets others have their turns while it lists the inbox, and reads again only threads that changed', async () => {
    const base = await openStore('memory:');
    const asked: string[] = [];
    const thousands = Array.from({ length: 4_000 }, (_, at) => ({
      sessionId: `s-${at}`,
      agentPath: 'primary',
      head: { messages: 1, entries: 1 },
      createdAt: at,
      updatedAt: at,
    }));
    const store = but(base, {
      threads: async () => thousands,
      entries: async ({ sessionId }) => {
        asked.push(sessionId);
        return [{ kind: 'commit' } as never];
      },
    });
    const service = await started(BUDGET, {}, { store });
    expect(await turnsDuring(() => service.get('/inbox'))).toBeGreaterThan(80);
    expect(asked.length).toBe(4_000);
    thousands[7]!.head = { messages: 1, entries: 2 };
    expect((await service.get('/inbox')).body.items).toEqual([]);
    expect(asked.slice(4_000)).toEqual(['s-7']);
  });

  it('lets others have their turns while it adds up the costs of a tenant with many sessions', async () => {
    const head = { messages: 1, entries: 0 };
    const store = but(await openStore('memory:'), {
      threads: async () =>
        Array.from({ length: 4_000 }, (_, at) => ({
          sessionId: `mill:${at}`,
          agentPath: 'primary',
          head,
          createdAt: at,
          updatedAt: at,
        })),
      usage: async () => [],
    });
    const service = await started(BUDGET, { server: { tokens: [...tokens] } } as never, { store, env });
    const turns = await turnsDuring(() => service.get('/costs', undefined, bearer(env.MILL)));
    expect(turns).toBeGreaterThan(500);
  });

  it.each(['/sessions', '/effect'])(
    'reads at most four sessions at a time for a request about all: %s',
    async (path) => {
      const base = await openStore('memory:');
      let atOnce = 0;
      let most = 0;
      const store = new Proxy(base, {
        get(target, name) {
          const own = Reflect.get(target, name, target) as unknown;
          if (name !== 'messages') return own;
          return async (key: ThreadKey, from: number, to?: number) => {
            most = Math.max(most, ++atOnce);
            // Other reads have begun by then.
            await new Promise((resolve) => setImmediate(resolve));
            atOnce -= 1;
            return base.messages(key, from, to);
          };
        },
      });
      const before = await started(BUDGET, {}, { store });
      for (let i = 0; i < 12; i++) {
        await before.post('/sessions', { id: `mill-${i}` });
        const request = { messages: [user(`Build mill ${i}.`)] };
        expect((await before.post(`/sessions/mill-${i}/prepare`, { request })).status).toBe(200);
      }
      const service = await started(BUDGET, {}, { store });
      expect((await service.get(path)).status).toBe(200);
      expect(most).toBeLessThanOrEqual(4);
    },
  );

  it.each([null, {}, { at: 1, plan: {} }])('ignores a stored plan that is damaged: %j', async (kept) => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const make = () => service.post(`/sessions/${id}/plans`, { lower_threshold: 0.2 });
    const { hash } = (await make()).body.plan;
    await service.store.setValue(`service.plans ${JSON.stringify([id, 'primary'])}`, hash, kept);
    expect((await service.get(`/sessions/${id}/plans`)).body).toEqual({ items: [] });
    const { body } = await service.post(`/sessions/${id}/plans/${hash}/commit`);
    expect(body.error.code).toBe('PLAN_UNKNOWN');
    expect((await make()).body.kind).toBe('planned');
  });

  it('compacts with settings for one run, and refuses closed ones', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const summarized = await service.post(`/sessions/${id}/compact`, {
      strategy: 'summarize',
      lower_threshold: 0.2,
      dry_run: true,
    });
    const stages = new Set<string>(summarized.body.plan.edits.map(({ stage }: { stage: string }) => stage));
    expect(stages).not.toContain('snip');
    expect([...stages].some((stage) => ['auto', 'partial', 'full'].includes(stage))).toBe(true);
    const dropped = await service.post(`/sessions/${id}/compact`, {
      strategy: 'drop',
      summarize: false,
      settings: { compaction: { summarizeFirst: false } },
      lower_threshold: 0.2,
      dry_run: true,
    });
    const dropping = new Set<string>(dropped.body.plan.edits.map(({ stage }: { stage: string }) => stage));
    expect([...dropping].some((stage) => ['snip', 'auto', 'partial', 'full'].includes(stage))).toBe(false);
    const closed = { settings: { summarizerModel: { baseUrl: 'http://elsewhere' } } };
    expect((await service.post(`/sessions/${id}/compact`, closed)).status).toBe(400);
  });

  it('K16: keeps configured gates that are above the upper threshold of a run', async () => {
    const thresholds = {
      snipThreshold: 0.3,
      microThreshold: 0.35,
      collapseThreshold: 0.4,
      autoThreshold: 0.6,
    };
    const service = await started(BUDGET, { target: 0.25, thresholds });
    const id = await fed(service);
    const { body: run } = await service.post(`/sessions/${id}/compact`, {
      upper_threshold: 0.38,
      lower_threshold: 0.05,
      dry_run: true,
    });
    const gates = (run.stages as { stage: string; opensAt: number }[]).map((one) => [one.stage, one.opensAt]);
    expect(Object.fromEntries(gates)).toMatchObject({ snip: 0.38, micro: 0.38, collapse: 0.4, auto: 0.6 });
  });

  it('K3 K15: drops without a digest if a run asks for drop without a summary', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const asked = { strategy: 'drop', summarize: false, lower_threshold: 0.2 };
    const { body: shown } = await service.post(`/sessions/${id}/compact`, { ...asked, dry_run: true });
    expect(stagesOf(shown.plan)).toEqual(['drop']);
    const { body: run } = await service.post(`/sessions/${id}/compact`, asked);
    expect(run).toMatchObject({ kind: 'committed', reason: expect.stringContaining('0.2') });
    expect(stagesOf(run.record.plan)).toEqual(['drop']);
  });

  it('K3 K15: does nothing below the upper threshold that a run asks for', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const { body: before } = await service.get(`/sessions/${id}/compactions`);
    for (const settings of [{}, { settings: { minGain: 0 } }]) {
      const asked = { upper_threshold: 0.99, lower_threshold: 0.2, ...settings };
      const { body: run } = await service.post(`/sessions/${id}/compact`, asked);
      expect(run).toMatchObject({ kind: 'below-gate', reason: expect.stringContaining('0.99') });
      const { body: shown } = await service.post(`/sessions/${id}/plans`, asked);
      expect(shown).toMatchObject({ kind: 'noop', reason: expect.stringContaining('0.99') });
    }
    expect((await service.get(`/sessions/${id}/compactions`)).body).toEqual(before);
    expect((await service.get(`/sessions/${id}/plans`)).body.items).toEqual([]);
  });

  it.each([
    ['overrides of the library', {}],
    ['settings that only another engine has', { retain_count: 4, settings: { minGain: 0.01 } }],
  ])('K13: a run with %s leaves its audit events, whether it commits or not', async (_, overrides) => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const kinds = async (): Promise<string[]> => {
      const { body } = await service.get(`/sessions/${id}/audit?limit=500`);
      const events = body.items as { kind: string; at: number; body: { trigger?: string } }[];
      return events
        .filter(({ kind, body }) => kind !== 'compaction.triggered' || body.trigger === 'manual')
        .map(({ kind }) => kind)
        .filter((kind) => /triggered|completed|noop/.test(kind));
    };
    const before = (await kinds()).length;
    const asked = { lower_threshold: 0.2, strategy: 'summarize', ...overrides };
    expect((await service.post(`/sessions/${id}/compact`, asked)).body.kind).toBe('committed');
    expect((await service.post(`/sessions/${id}/compact`, asked)).body.kind).toBe('noop');
    const since = (await kinds()).length - before;
    expect(since).toBe(4);
  });

  it('streams events as they happen', async () => {
    const service = await started(BUDGET);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${service.url}/api/v1/events`, { agent: false }, resolve).once('error', reject);
    });
    await fed(service);
    let heard = '';
    for await (const piece of answer.setEncoding('utf8')) {
      heard += piece;
      if (heard.includes('event: completed')) break;
    }
    expect(heard).toContain('event: reading');
    expect(heard).toMatch(/data: \{"kind":"completed".*"sessionId":"mill"/);
  });

  it('streams the events of one agent of a session if it is named, else of all agents', async () => {
    const service = await started(BUDGET);
    const follow = async (of: string): Promise<IncomingMessage> =>
      new Promise((resolve, reject) => {
        get(`${service.url}/api/v1/sessions/mill/events${of}`, { agent: false }, resolve).once(
          'error',
          reject,
        );
      });
    const followed = [await follow('?agent_path=primary/mason'), await follow('')];
    await fed(service);
    const request = { messages: [user('Lay the bricks.')] };
    await service.post('/sessions', { id: 'mill', agent_path: 'primary/mason' });
    await service.post('/sessions/mill/prepare', { request, agent_path: 'primary/mason' });
    const heard = followed.map(async (answer) => {
      let words = '';
      for await (const piece of answer.setEncoding('utf8')) {
        words += piece;
        if (words.includes('"agentPath":"primary/mason"')) break;
      }
      return words.includes('"agentPath":"primary"');
    });
    expect(await Promise.all(heard)).toEqual([false, true]);
  });

  it('K16: lists the other sessions if one is deleted while they are listed', async () => {
    const base = await openStore('memory:');
    const deleted = new Set<string>();
    const store = new Proxy(base, {
      get(target, name) {
        if (name !== 'threads') return Reflect.get(target, name, target) as unknown;
        return async (of: { sessionId?: string } = {}) =>
          (await base.threads(of)).filter(
            ({ sessionId }) => of.sessionId === undefined || !deleted.has(sessionId),
          );
      },
    });
    const service = await started(BUDGET, {}, { store });
    for (const id of ['mill', 'barn']) {
      await service.post('/sessions', { id });
      await service.post(`/sessions/${id}/prepare`, { request: { messages: [user('Build it.')] } });
    }
    deleted.add('mill');
    const { status, body } = await service.get('/sessions');
    expect([status, body.items.map(({ id }: { id: string }) => id)]).toEqual([200, ['barn']]);
  });

  it.each(['calls', 'audit', 'compactions'])(
    'K16: pages of %s hold each item once, even if items are added between two pages',
    async (list) => {
      const service = await started(BUDGET);
      const id = await fed(service);
      const said: object[] = [...history];
      const more = async (round: number): Promise<void> => {
        const steps = [1, 2, 3].flatMap((i) =>
          step('read', { path: `${round}-${i}` }, prose(400, round * 9 + i)),
        );
        said.push(...steps, says('Much.'), user(`Go on ${round}.`));
        const request = { messages: said };
        await service.post(`/sessions/${id}/prepare`, { request });
        await service.post(`/sessions/${id}/compact`, { lower_threshold: 0.1 });
        await service.post(`/sessions/${id}/observe`, { input_tokens: 20 + round, output_tokens: 1 });
      };
      for (let round = 0; round < 4; round++) await more(round);
      const { body: first } = await service.get(`/sessions/${id}/${list}?limit=1`);
      await more(4);
      const { body: rest } = await service.get(`/sessions/${id}/${list}?limit=500&cursor=${first.next}`);
      expect(rest.total).toBeGreaterThan(first.total);
      expect(first.items.length + rest.items.length).toBe(first.total);
      const seen = [...first.items, ...rest.items].map((one) => JSON.stringify(one));
      const { body: all } = await service.get(`/sessions/${id}/${list}?limit=500`);
      const before = all.items.slice(-first.total).map((one: unknown) => JSON.stringify(one));
      expect(seen).toEqual(before);
    },
  );

  it('K16: page by page, the list of sessions misses none that is written to meanwhile', async () => {
    let at = 0;
    const store = await openStore('memory:', { nowMs: () => ++at });
    const service = await started(BUDGET, {}, { store });
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const say = async (id: string): Promise<void> => {
      const request = { messages: [user(`Build ${id}.`)] };
      expect((await service.post(`/sessions/${id}/prepare`, { request })).status).toBe(200);
      await service.post(`/sessions/${id}/observe`, { input_tokens: 20, output_tokens: 1 });
    };
    for (const id of names) await service.post('/sessions', { id });
    for (const id of names) await say(id);
    const pages: string[][] = [];
    let next = '';
    do {
      const { body } = await service.get(`/sessions?limit=2${next && `&cursor=${next}`}`);
      pages.push(body.items.map(({ id }: { id: string }) => id));
      next = body.next ?? '';
      // One that was read returns, and one of a page to come moves to the front.
      if (pages.length === 1) for (const id of ['f', 'c']) await say(id);
    } while (next !== '' && pages.length < 9);
    expect([...new Set(pages.flat())].sort()).toEqual(names);
    expect([pages[0], pages.at(-1), next]).toEqual([['g', 'f'], ['c', 'f'], '']);
  });

  it('K16: an agent path is bounded and shaped wherever one is named, here as in the library', async () => {
    const service = await started(BUDGET);
    const id = await fed(service);
    const bad = [
      'a'.repeat(5_000),
      '../..',
      'primary/..',
      '/primary',
      'primary//b',
      'a\nb',
      'a\\b',
      ' a',
      'a/',
      '',
    ];
    for (const path of bad) {
      const asked = await Promise.all([
        service.get(`/sessions/${id}/explain?agent_path=${encodeURIComponent(path)}`),
        service.post('/sessions', { id: 'new', agent_path: path }),
        service.post(`/sessions/${id}/compact?agent_path=${encodeURIComponent(path)}`, {}),
        service.post(`/sessions/${id}/prepare`, { agent_path: path }),
        service.post(`/sessions/${id}/compact`, { agent_path: path }),
        service.post(`/sessions/${id}/plans`, { agent_path: path }),
      ]);
      for (const { status, body } of asked) {
        expect([path.slice(0, 20), status, body.error.code]).toEqual([path.slice(0, 20), 400, 'HTTP_400']);
        expect(body.error.message).toMatch(/agent_path.*names joined by slashes/);
        expect(body.error.message.length).toBeLessThan(400);
      }
      const library = await createSpillway();
      expect(() => library.session({ agentPath: path })).toThrow(
        expect.objectContaining({
          code: 'ARGUMENT_INVALID',
          message: expect.stringContaining('joined by slashes'),
        }),
      );
    }
    for (const path of ['primary/reviewer', 'research agent 2', 'primary/prüfer-1', 'a.b:c@d'])
      expect((await service.post('/sessions', { id: 'new', agent_path: path })).body.agentPath).toBe(path);
    const { body } = await service.get('/sessions?figures=false');
    expect(body.items.map((one: any) => one.agentPath)).toEqual(['primary']);
  });

  it('K16: takes an agent path from the query or from the body of a call', async () => {
    const service = await started(BUDGET);
    const [agent, named] = ['?agent_path=primary/reviewer', { agent_path: 'primary/reviewer' }];
    await service.post('/sessions', { id: 's' });
    expect((await service.post(`/sessions${agent}`, { id: 's' })).body.agentPath).toBe('primary/reviewer');
    await service.post(`/sessions/s/prepare${agent}`, { request: { model: 'm', messages: history } });
    await service.post('/sessions/s/observe', { input_tokens: 2_000, output_tokens: 20, ...named });
    const logOf = async (query: string) => (await service.get(`/sessions/s/log${query}`)).body.total;
    expect([await logOf(''), await logOf(agent)]).toEqual([0, history.length]);
    expect((await service.post(`/sessions/s/plans${agent}`, { lower_threshold: 0.2 })).body.kind).toBe(
      'planned',
    );
    const { body: done } = await service.post(`/sessions/s/compact${agent}`, { lower_threshold: 0.2 });
    expect(done.kind).toBe('committed');
    expect((await service.post('/sessions/s/undo', { record: done.record.id, ...named })).status).toBe(200);
  });

  it('K16: returns a session that exists, and refuses it by name if another format is asked for', async () => {
    const service = await started(BUDGET);
    const anthropic = { id: 'mill', format: 'anthropic' };
    const made = await service.post('/sessions', anthropic);
    for (const again of [anthropic, { id: 'mill' }])
      expect(await service.post('/sessions', again)).toMatchObject({ status: 200, body: made.body });
    const other = await service.post('/sessions', { id: 'mill', format: 'openai-chat' });
    expect(other).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'SESSION_FORMAT',
          message: expect.stringMatching(/"mill".*openai-chat.*allowed: anthropic/),
        },
      },
    });
    const { body } = await service.post('/sessions/mill/prepare', {
      request: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Build the mill.' }] },
    });
    expect(body.messages).toMatchObject([{ role: 'user' }]);
  });

  it('describes its paths and schemas in OpenAPI 3.1', async () => {
    const service = await started(BUDGET);
    const { body } = await service.get('/openapi.json');
    expect(body.openapi).toBe('3.1.0');
    const paths = Object.keys(body.paths);
    expect(paths).toContain('/api/v1/sessions/{id}/compact');
    expect(body.paths['/api/v1/sessions/{id}/compactions/{cid}'].patch.requestBody).toBeDefined();
    expect(Object.keys(body.components.schemas)).toEqual(
      expect.arrayContaining(['Plan', 'CompactionRecord', 'SessionSummary']),
    );
  });
});
