import { join } from 'node:path';
import { failure, faults, load, subjects, withFiles } from './support.js';

const inFile = (text: string) =>
  withFiles({ 'mine.yaml': text }, (folder) => faults({ file: join(folder, 'mine.yaml') }));

describe('wrong settings', () => {
  it('are all reported at once, each with key, value, allowed, remedy and origin', async () => {
    const found = await withFiles({ 'mine.yaml': 'target: high\ncolour: red\n' }, (folder) =>
      faults({
        file: join(folder, 'mine.yaml'),
        env: { SPILLWAY_WINDOW: '-1', SPILLWAY_TRAGET: '1' },
        overrides: { thresholds: { autoThreshold: NaN, snipThreshold: 0.9 } },
        profile: 'staged',
      }),
    );
    expect(found.map(({ subject, origin }) => [subject, origin.split(' ')[0]])).toEqual(
      expect.arrayContaining([
        ['target', 'file'],
        ['colour', 'file'],
        ['window', 'env'],
        ['SPILLWAY_TRAGET', 'env'],
        ['thresholds.autoThreshold', 'code'],
        ['thresholds.snipThreshold', 'code'],
      ]),
    );
    expect(found).toHaveLength(6);
    for (const fault of found) {
      expect(fault.allowed).not.toBe('');
      expect(fault.remedy).not.toBe('');
      expect('found' in fault).toBe(true);
    }
  });

  it.each([
    ['target: .nan', 'target', NaN],
    ['target: .inf', 'target', Infinity],
    ['target: "0.5"', 'target', '0.5'],
    ['target:', 'target', null],
    ['thresholds: 5', 'thresholds', 5],
    ['thresholds: [1]', 'thresholds', [1]],
    ['thresholds: { retainCount: 1.5 }', 'thresholds.retainCount', 1.5],
    ['thresholds: { snipThreshold: 0 }', 'thresholds.snipThreshold', 0],
    ['thresholds: { circuitBreakerCooldown: 2147483648 }', 'thresholds.circuitBreakerCooldown', 2 ** 31],
    ['fill: { deadlineMs: 2147483648 }', 'fill.deadlineMs', 2 ** 31],
    ['server: { requestMs: 2147483648 }', 'server.requestMs', 2 ** 31],
    ['models: { x: { inputLimit: low } }', 'models.x.inputLimit', 'low'],
    ['roster: snip', 'roster', 'snip'],
    ['roster: [{ stage: mine, opensAt: 2 }]', 'roster[0].opensAt', 2],
    ['prune: on', 'prune', 'on'],
    ['pins: { patterns: [fine, "("] }', 'pins.patterns[1]', '('],
    ['pins: { patterns: [""] }', 'pins.patterns[0]', ''],
    ['redact: [fine, "("]', 'redact[1]', '('],
    ['agents: { primary: { redact: ["("] } }', 'agents.primary.redact[0]', '('],
    ['stages: { snip: { mode: cut } }', 'stages.snip.mode', 'cut'],
    ['- a', 'the whole file', 'a list of 1'],
  ])('%s', async (text, subject, value) => {
    const found = await inFile(`${text}\n`);
    expect(found.map((fault) => fault.subject)).toEqual([subject]);
    expect(found[0]!.found).toEqual(value);
  });

  it.each([
    ['snip_threshold: 0.8', 'snip_threshold', 'thresholds.snipThreshold'],
    ['treshold: {}', 'treshold', 'thresholds'],
    ['toString: 1', 'toString', ''],
    ['thresholds: { hasOwnProperty: 1 }', 'thresholds.hasOwnProperty', ''],
    ['pins: { first_user: true }', 'pins.first_user', 'pins.firstUser'],
    ['models: { x: { inputLimt: 1 } }', 'models.x.inputLimt', 'models.x.inputLimit'],
    ['stages: { snap: {} }', 'stages.snap', 'stages.snip'],
    ['thresholds: { snip: 0.7 }', 'thresholds.snip', 'Did you mean thresholds.snipThreshold?'],
    [
      'stages: { snip: { retention: { tools: { read: { evict: 1 } } } } }',
      'stages.snip.retention.tools.read.evict',
      '',
    ],
    ['roster: [{ stage: mine, opensAt: 0.9, opens: 1 }]', 'roster[0].opens', ''],
  ])('name an unknown key and the nearest known one: %s', async (text, subject, meant) => {
    const found = await inFile(`${text}\n`);
    expect(found.map((fault) => fault.subject)).toEqual([subject]);
    expect(found[0]!.remedy).toContain(meant);
  });

  it('name the stage that was meant, and how one of your own is written', async () => {
    const remedy = 'Did you mean snip? Else write {stage: snap, opensAt: 0.9}.';
    expect((await inFile('roster: [snap]\n'))[0]!.remedy).toContain(remedy);
  });

  it('name the known stages for an unknown one', async () => {
    expect((await inFile('stages: { whatever: {} }\n'))[0]!.allowed).toBe(
      'snip, micro, collapse, auto, partial, full',
    );
  });

  it.each(['__proto__', 'constructor', 'prototype'])('may not use the key %s anywhere', async (key) => {
    for (const at of ['', 'thresholds: ', 'models: ', 'stages: ', 'roster: ']) {
      const text = at === '' ? `${key}: { polluted: true }` : `${at}{ ${key}: { polluted: true } }`;
      const found = await inFile(`${text}\n`);
      expect(found[0]!.subject).toContain(key);
    }
    const overrides = JSON.parse(`{"thresholds":{"${key}":{"polluted":true}}}`) as never;
    expect((await subjects({ overrides }))[0]).toContain(key);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

it.each(['localhost:11434/v1', 'gateway.example', ''])(
  '%j is refused as the address of a summarizer',
  async (baseUrl) => {
    const allowed = 'an address with http:// or https://, or null';
    expect(await faults({ overrides: { summarizerModel: { baseUrl } } })).toMatchObject([
      { subject: 'summarizerModel.baseUrl', found: baseUrl, allowed },
    ]);
  },
);

it('an address with a password is refused, and the remedy is apiKeyEnv', async () => {
  const summarizerAgents = { brief: { baseUrl: 'https://me:secret@gateway.example/v1' } };
  expect(await faults({ overrides: { summarizerAgents } })).toMatchObject([
    { subject: 'summarizerAgents.brief.baseUrl', remedy: expect.stringContaining('apiKeyEnv') },
  ]);
});

describe('names that every JavaScript object has', () => {
  it.each(['toString', 'hasOwnProperty'])('are names like any other: %s', async (name) => {
    const { agents, settings } = await load({
      overrides: { agents: { [name]: { target: 0.5 } }, models: { [name]: { contextWindow: 9_000 } } },
    });
    expect(agents[name]!.settings.target).toBe(0.5);
    expect(settings.models[name]).toEqual({ contextWindow: 9_000 });
    const [fault] = await faults({ overrides: { [name]: 1 } as never });
    expect(fault).toMatchObject({ subject: name, remedy: 'Unknown key. Give it another value.' });
  });
});

describe('an entry in a mapping that is empty by default', () => {
  it('is reported with the file that it is in', async () => {
    const found = await inFile('knobs: { theirs: { a: 1 } }\nagents: { "a//b": { target: 0.3 } }\n');
    expect(found).toMatchObject([
      { subject: 'agents["a//b"]', allowed: expect.stringContaining('names joined by slashes') },
      { subject: 'knobs.theirs' },
    ]);
    for (const { origin, remedy } of found) {
      expect(origin).toMatch(/^file .*mine\.yaml$/);
      expect(remedy).toContain('Change it in file ');
    }
  });

  it('has the origin of the layer that sets it', async () => {
    const { origin } = await load({ overrides: { models: { m: { contextWindow: 9_000 } } } });
    expect(['models', 'models.m', 'models.m.contextWindow'].map(origin)).toEqual(['code', 'code', 'code']);
    expect(origin('models.other')).toBe('default');
  });
});

it('values that are nested too deep are refused, from code, from the environment and by tuned()', async () => {
  const text = '['.repeat(50_000) + ']'.repeat(50_000);
  const deep = JSON.parse(text) as never;
  const around: unknown[] = [];
  around.push(around);
  for (const overrides of [{ roster: deep }, { pins: { tools: deep } }, { redact: around as never }])
    expect(await faults({ overrides })).toContainEqual(
      expect.objectContaining({ allowed: expect.stringContaining('32 levels'), origin: 'code' }),
    );
  const fault = { subject: 'roster', allowed: expect.stringContaining('32 levels') };
  expect(await faults({ env: { SPILLWAY_ROSTER: text } })).toContainEqual(expect.objectContaining(fault));
  const { tuned } = await load();
  expect(() => tuned({ roster: deep })).toThrow('32 levels');
});

describe('rules between settings', () => {
  it.each([
    [{ thresholds: { snipThreshold: 0.9 } }, 'thresholds.snipThreshold'],
    [{ thresholds: { microThreshold: 0.7 } }, 'thresholds.microThreshold'],
    [{ target: 0.8 }, 'target'],
    [{ thresholds: { snipThreshold: 0.6 } }, 'thresholds.snipThreshold'],
    [{ minGain: 0.3 }, 'minGain'],
    [{ summary: { share: 0.9 } }, 'summary.share'],
    [{ target: 0.78, minGain: 0.05 }, 'minGain'],
    [{ window: 1000, reserve: { output: 1000 } }, 'reserve.output'],
    [{ roster: ['snip', 'snip'] }, 'roster[1]'],
    [{ roster: ['mine'] }, 'roster[0]'],
    [{ roster: ['full', 'snip'] }, 'thresholds.snipThreshold'],
    [{ roster: ['snip', { stage: 'mine', opensAt: 0.7 }] }, 'roster[1].opensAt'],
  ])('%j is reported at %s', async (overrides, subject) => {
    const found = await subjects({ overrides });
    // A roster in the wrong order is the roster's fault, seen at the gate that falls.
    expect(found).toEqual([subject]);
  });

  it.each([
    { thresholds: { snipThreshold: 0.84 } },
    { roster: ['full'], thresholds: { snipThreshold: 0.99 } },
    { roster: ['snip', { stage: 'mine', opensAt: 0.86 }, 'full'] },
    { roster: [] },
    { target: 0.75 },
    { window: 0, reserve: { output: 5000 } },
    { summarizerModel: { baseUrl: 'http://127.0.0.1:11434/v1' } },
    { summarizerModel: { baseUrl: 'https://gateway.example/team@home/v1' } },
  ])('%j is no fault', async (overrides) => {
    await expect(load({ overrides })).resolves.toBeDefined();
  });

  it('are checked also if other settings are wrong', async () => {
    const found = await subjects({ overrides: { outputCap: -1, target: 0.9 } });
    expect(found).toEqual(['outputCap', 'target']);
  });

  it('blame the higher layer', async () => {
    const found = await faults({ profile: 'operator', env: { SPILLWAY_TARGET: '0.9' } });
    expect(found).toEqual([
      expect.objectContaining({ subject: 'target', found: 0.9, origin: 'env SPILLWAY_TARGET' }),
    ]);
  });
});

describe('files that cannot be read as YAML', () => {
  it('are reported with line and column, and other faults with them', async () => {
    await withFiles({ 'mine.yaml': 'target: 0.5\ntarget: 0.6\nroster: [a\nb: "c\n' }, async (folder) => {
      const file = join(folder, 'mine.yaml');
      const found = await subjects({ file, env: { SPILLWAY_WINDOW: 'x' } });
      expect(found).toContain(`${file}:2:1`);
      expect(found).toContain('window');
    });
  });

  it.each(['a: 1\n---\nb: 2\n', 'target: !!js/function x\n', 'a: [1\nb: 2\n'])('%j', async (text) => {
    expect((await inFile(text))[0]!.subject).toMatch(/mine\.yaml:\d+:\d+$/);
  });

  it('are reported without a line if an alias leads nowhere', async () => {
    expect((await inFile('a: *nowhere\n'))[0]!.subject).toMatch(/mine\.yaml$/);
  });

  it('are unreadable if they are missing or a folder', async () => {
    expect((await failure({ file: 'nowhere.yaml' })).code).toBe('INPUT_UNREADABLE');
    await withFiles({}, async (folder) =>
      expect((await failure({ file: folder })).code).toBe('INPUT_UNREADABLE'),
    );
  });
});
