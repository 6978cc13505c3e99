import { envName } from '../../../src/config/index.js';
import { faults, load, subjects } from './support.js';

describe('the environment', () => {
  it('names each setting by its path', async () => {
    expect(envName(['stages', 'snip', 'protectTokens'])).toBe('SPILLWAY_STAGES_SNIP_PROTECT_TOKENS');
    const env = {
      SPILLWAY_THRESHOLDS_SNIP_THRESHOLD: '0.75',
      SPILLWAY_STAGES_SNIP_MODE: 'stub',
      SPILLWAY_STAGES_SNIP_PROTECTED_TOOLS: '["read"]',
      SPILLWAY_STAGES_SNIP_PROTECT_TOKENS: '4e4',
      SPILLWAY_PINS_FIRST_USER: 'false',
      SPILLWAY_WINDOW: 'null',
      SPILLWAY_MODEL: '7',
      SPILLWAY_ROSTER: '["snip",{"stage":"mine","opensAt":0.9}]',
    };
    const { settings, stages, origin } = await load({ env });
    expect(settings).toMatchObject({
      thresholds: { snipThreshold: 0.75 },
      pins: { firstUser: false },
      window: null,
      model: '7',
    });
    expect(settings.roster).toEqual(['snip', { stage: 'mine', opensAt: 0.9 }]);
    expect(stages['snip']).toMatchObject({ mode: 'stub', protectedTools: ['read'], protectTokens: 40_000 });
    expect(origin('stages.snip.mode')).toBe('env SPILLWAY_STAGES_SNIP_MODE');
  });

  it.each([
    'SPILLWAY_SERVICE_HOST',
    'SPILLWAY_SERVICE_PORT',
    'SPILLWAY_SERVICE_PORT_HTTP_METRICS',
    'SPILLWAY_PORT',
    'SPILLWAY_PORT_8080_TCP',
    'SPILLWAY_PORT_8080_TCP_ADDR',
    'SPILLWAY_PORT_8080_UDP_PROTO',
    'SPILLWAY_API_SERVICE_HOST',
    'SPILLWAY_API_PORT_443_TCP_PORT',
    'SPILLWAY_SERVER_PORT',
  ])('lets %s be, which Kubernetes sets for a service called spillway', async (name) => {
    const { entries } = await load({ env: { [name]: 'tcp://10.0.0.7:8080' } });
    expect(entries.filter(({ origin }) => origin.startsWith('env'))).toEqual([]);
  });

  it.each(['SPILLWAY_PORTS', 'SPILLWAY_SERVICE', 'SPILLWAY_PORT_TARGET', 'SPILLWAY_PORT_8080_TCP_HOST'])(
    'still refuses %s, which no service sets',
    async (name) => expect(await faults({ env: { [name]: '1' } })).toMatchObject([{ subject: name }]),
  );

  it('gives every setting a name of its own', async () => {
    const { entries } = await load();
    const names = entries.map(({ path }) => envName(path.split('.')));
    expect(new Set(names).size).toBe(names.length);
  });

  it('ignores other variables, the reserved ones and empty ones', async () => {
    const env = {
      PATH: '/bin',
      SPILLWAY_TEST_SEED: '1',
      SPILLWAY_CONFIG: '',
      SPILLWAY_TARGET: '',
      SPILLWAY_NOPE: undefined,
    };
    const { entries } = await load({ env });
    expect(entries.every(({ origin }) => origin === 'default')).toBe(true);
  });

  it.each([
    ['SPILLWAY_TARGET', '0.5x', 'target'],
    ['SPILLWAY_TARGET', 'NaN', 'target'],
    ['SPILLWAY_TARGET', 'Infinity', 'target'],
    ['SPILLWAY_TARGET', '0x1', 'target'],
    ['SPILLWAY_WINDOW', '1.5', 'window'],
    ['SPILLWAY_COMPACTION_AUTO', 'yes', 'compaction.auto'],
    ['SPILLWAY_PRUNE', 'sometimes', 'prune'],
    ['SPILLWAY_ROSTER', 'snip,full', 'SPILLWAY_ROSTER'],
    ['SPILLWAY_MODELS', '[]', 'models'],
    ['SPILLWAY_TARGETS', '0.5', 'SPILLWAY_TARGETS'],
    ['SPILLWAY_THRESHOLDS', '{}', 'SPILLWAY_THRESHOLDS'],
  ])('refuses %s=%s', async (name, text, subject) => {
    const found = await faults({ env: { [name]: text } });
    expect(found.map((fault) => [fault.subject, fault.origin])).toEqual([[subject, `env ${name}`]]);
  });

  it('refuses prototype keys inside JSON', async () => {
    expect(await subjects({ env: { SPILLWAY_MODELS: '{"__proto__":{"inputLimit":1}}' } })).toEqual([
      'models.__proto__',
    ]);
  });
});
