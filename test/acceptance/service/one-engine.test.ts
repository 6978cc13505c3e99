import { z } from 'zod/v4';
import {
  definePlugin,
  openStore,
  type Plugin,
  type SessionStore,
  type Summarizer,
} from '../../../src/index.js';
import { prose, says, system, user } from '../support.js';
import { started, type Started } from './support.js';

const BUDGET = 9_000;
const historyOf = (topic: string) => [
  system(`You help with ${topic}.`),
  ...Array.from({ length: 14 }, (_, at) => [
    user(`Question ${at} of the ${topic}: ${prose(150, at)}`),
    says(`Answer ${at}. ${prose(300, at + 50)}`),
  ]).flat(),
];
const AUTO = { roster: ['auto'], minGain: 0 } as never;
/** Settings of a run for which the library has no option. */
const OWN = { settings: { minGain: 0.001 } };

async function fed(service: Started, id = 'mill'): Promise<string> {
  await service.post('/sessions', { id });
  const request = { model: 'm', messages: historyOf(id) };
  expect((await service.post(`/sessions/${id}/prepare`, { request })).status).toBe(200);
  await service.post(`/sessions/${id}/observe`, { input_tokens: 6_500, output_tokens: 20 });
  return id;
}

const turned = (service: Started, changes: object) => service.patch('/knobs', { changes });

/** A plugin that holds a port, and a record of what it was asked, opened and closed with. */
function locking(failsOn?: number) {
  const told: string[] = [];
  let holder: number | undefined;
  const plugin: Plugin = definePlugin({
    name: 'locking',
    knobs: z.object({ port: z.int().default(1) }),
    observer: { preCompact: (_, { knobs }) => void told.push(`asked ${JSON.stringify(knobs)}`) },
    open({ knobs }) {
      const { port } = knobs as { readonly port: number };
      if (holder !== undefined) throw new Error(`port ${holder} is taken`);
      if (port === failsOn) throw new Error('no such port');
      told.push(`open ${(holder = port)}`);
    },
    close() {
      told.push(`close ${holder}`);
      holder = undefined;
    },
  });
  return { plugin, told };
}

/** The same store, which does not take what `refused` is asked to keep. */
const refusing = (store: SessionStore, refused: string): SessionStore =>
  new Proxy(store, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (name === refused) return () => Promise.reject(new Error('away'));
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });

/** A summarizer that counts what it is asked. */
function counting(write: () => string): { readonly summarizer: Summarizer; readonly asked: () => number } {
  let asked = 0;
  const summarize = async () => {
    asked++;
    return { text: write(), finishReason: 'stop', usage: { inputTokens: 1_000, outputTokens: 100 } } as const;
  };
  return { summarizer: { name: 'counting', endpoint: 'here', summarize }, asked: () => asked };
}

describe('a plugin that holds a lock', () => {
  it('K15: remains open through a change of other knobs, and through runs with settings of their own', async () => {
    const { plugin, told } = locking();
    const service = await started(BUDGET, AUTO, { plugins: [plugin] });
    const id = await fed(service);
    expect((await turned(service, { target: 0.5 })).status).toBe(200);
    const run = { lower_threshold: 0.3, ...OWN };
    const shown = await service.post(`/sessions/${id}/plans`, run);
    expect(shown.body).toMatchObject({ kind: 'planned' });
    expect((await service.post(`/sessions/${id}/compact`, run)).body).toMatchObject({
      kind: 'committed',
    });
    expect(told.filter((line) => /open|close/.test(line))).toEqual(['open 1']);
    expect(told.filter((line) => line.startsWith('asked'))).toHaveLength(2);
  });

  it('K15: is closed before it is opened with other knobs', async () => {
    const { plugin, told } = locking();
    const service = await started(BUDGET, AUTO, { plugins: [plugin] });
    expect((await turned(service, { 'knobs.locking.port': 2 })).status).toBe(200);
    expect((await turned(service, { target: 0.5 })).status).toBe(200);
    expect(told).toEqual(['open 1', 'close 1', 'open 2']);
    await service.close();
    expect(told.at(-1)).toBe('close 2');
  });

  it('K15: is opened with its old knobs again if it cannot be opened with others, and nothing changes', async () => {
    const { plugin, told } = locking(7);
    const service = await started(BUDGET, AUTO, { plugins: [plugin] });
    const refused = await turned(service, { 'knobs.locking.port': 7, target: 0.5 });
    expect(refused.body.error).toMatchObject({ code: 'PLUGIN_FAILED' });
    expect(told.at(-1)).toBe('open 1');
    const { body } = await service.get('/knobs');
    expect(body.values.find(({ path }: { path: string }) => path === 'target')).toMatchObject({ own: false });
    expect((await turned(service, { target: 0.55 })).status).toBe(200);
  });
});

describe('plugins of knobs that are refused', () => {
  /** A plugin that opens as often as `times` says, and tells of it. */
  function plugged(name: string, told: string[], times = Infinity, failsOn?: number): Plugin {
    let left = times;
    return definePlugin({
      name,
      knobs: z.object({ port: z.int().default(1) }),
      open({ knobs }) {
        if (--left < 0 || (knobs as { readonly port: number }).port === failsOn) throw new Error('no');
        told.push(`open ${name}`);
      },
      close: () => void told.push(`close ${name}`),
    });
  }
  const ports = (...names: string[]) => Object.fromEntries(names.map((name) => [`knobs.${name}.port`, 7]));

  it('K15: are open again, all but the one that cannot be', async () => {
    const told: string[] = [];
    const plugins = [plugged('once', told, 1), plugged('other', told), plugged('picky', told, Infinity, 7)];
    const service = await started(BUDGET, AUTO, { plugins });
    told.length = 0;
    const refused = await turned(service, ports('once', 'other', 'picky'));
    expect(refused.body.error).toMatchObject({
      code: 'PLUGIN_FAILED',
      message: expect.stringContaining('once'),
    });
    expect(told.slice(-2)).toEqual(['open other', 'open picky']);
    await service.close();
    expect(told.slice(-2).sort()).toEqual(['close other', 'close picky']);
  });

  it('K15: so are they where the store does not take the knobs, and its fault is told', async () => {
    const told: string[] = [];
    const store = refusing(await openStore('memory:'), 'setValue');
    const service = await started(BUDGET, AUTO, {
      plugins: [plugged('twice', told, 2), plugged('other', told)],
      store,
    });
    told.length = 0;
    const refused = await turned(service, ports('twice', 'other'));
    expect(refused.body.error).toMatchObject({ code: 'STORE_FAILED' });
    expect(told.at(-1)).toBe('open other');
  });
});

describe('changes of knobs', () => {
  it('K15: both apply if two are made at once', async () => {
    const service = await started(BUDGET, AUTO);
    await Promise.all([turned(service, { target: 0.5 }), turned(service, { 'caps.toolResults': 0.5 })]);
    const { body } = await service.get('/knobs');
    const own = body.values.filter((one: { own: boolean }) => one.own);
    expect(own.map(({ path }: { path: string }) => path).sort()).toEqual(['caps.toolResults', 'target']);
  });

  it('K15: both apply if two processes on one store make them', async () => {
    const one = await started(BUDGET, AUTO);
    const other = await started(BUDGET, AUTO, { store: one.store });
    await turned(one, { target: 0.5 });
    await turned(other, { 'caps.toolResults': 0.5 });
    const third = await started(BUDGET, AUTO, { store: one.store });
    for (const service of [other, third]) {
      const { body } = await service.ask('GET', '/knobs');
      const own = body.values.filter((knob: { own: boolean }) => knob.own);
      expect(own.map(({ path }: { path: string }) => path).sort()).toEqual(['caps.toolResults', 'target']);
    }
  });

  it('K15: do not apply at all if the store takes only a part of them, also after a restart', async () => {
    const kept = await openStore('memory:');
    let left = Infinity;
    const store = new Proxy(kept, {
      get(target, name) {
        const own: unknown = Reflect.get(target, name, target);
        if (name !== 'setValue' || --left > 0) return typeof own === 'function' ? own.bind(target) : own;
        return () => Promise.reject(new Error('away'));
      },
    });
    const service = await started(BUDGET, AUTO, { store });
    left = 2;
    expect((await turned(service, { target: 0.5 })).status).toBe(503);
    for (const { ask } of [service, await started(BUDGET, AUTO, { store: kept })]) {
      const { body } = await ask('GET', '/knobs');
      expect(body.values.filter((knob: { own: boolean }) => knob.own)).toEqual([]);
    }
  });

  it.each([
    ['by any settings', { lower_threshold: 0.2, ...OWN }],
    ['as the settings say', { lower_threshold: 0.2 }],
  ])('K14: do not reset what an hour may cost, for a run %s', async (_, run) => {
    const { summarizer, asked } = counting(() => prose(60, 1));
    const service = await started(BUDGET, { roster: ['auto'], fill: { maxTokensPerHour: 1 } } as never, {
      summarizer,
    });
    await service.post(`/sessions/${await fed(service)}/compact`, { lower_threshold: 0.3 });
    const bought = asked();
    expect(bought).toBeGreaterThan(0);
    const other = await fed(service, 'other');
    expect((await turned(service, { 'compaction.summarizeFirst': true, target: 0.5 })).status).toBe(200);
    const { body } = await service.post(`/sessions/${other}/compact`, run);
    expect(body.record.fallbacks.join()).toContain('all sessions together have spent');
    expect(asked()).toBe(bought);
  });

  it('S8: leave a breaker open, and so do runs with settings of their own', async () => {
    const { summarizer, asked } = counting(() => {
      throw new Error('no');
    });
    const thresholds = { circuitBreakerFailures: 1 };
    const service = await started(BUDGET, { roster: ['auto'], thresholds } as never, { summarizer });
    const id = await fed(service);
    const run = { lower_threshold: 0.3, ...OWN };
    await service.post(`/sessions/${id}/plans`, run);
    const before = asked();
    expect(before).toBeGreaterThan(0);
    await service.post(`/sessions/${id}/plans`, run);
    expect((await turned(service, { target: 0.5 })).status).toBe(200);
    const { body } = await service.post(`/sessions/${id}/plans`, run);
    expect(body.fallbacks.join()).toContain('the breaker is open');
    expect(asked()).toBe(before);
    const { body: session } = await service.get(`/sessions/${id}`);
    expect(Object.values(session.breakers)).toEqual(['open']);
  });

  it('K15: a setting that holds for complete sessions is refused as a setting of a run', async () => {
    const service = await started(BUDGET, AUTO);
    const id = await fed(service);
    for (const settings of [{ counter: 'heuristic' }, { turns: 'strict' }, { noSuchThing: 1 }]) {
      const { status, body } = await service.post(`/sessions/${id}/plans`, { settings });
      expect([status, body.error.code, body.error.faults.length]).toEqual([400, 'CONFIG_INVALID', 1]);
    }
  });
});
