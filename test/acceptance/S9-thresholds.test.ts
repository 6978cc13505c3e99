import { createSpillway, SpillwayError, type SpillwayOptions } from '../../src/index.js';
import { engine, quarter, said, spillway, temporaryFolder } from './support.js';

const folder = temporaryFolder();

/** All nine fields at other values than the defaults, in the documented units. */
const NINE = {
  snipThreshold: 0.71,
  microThreshold: 0.72,
  collapseThreshold: 0.73,
  autoThreshold: 0.74,
  partialThreshold: 0.75,
  fullThreshold: 0.76,
  retainCount: 7,
  circuitBreakerFailures: 2,
  circuitBreakerCooldown: 1_500,
};

const yaml = (fields: object): string =>
  ['thresholds:', ...Object.entries(fields).map(([key, value]) => `  ${key}: ${value}`), ''].join('\n');

const variables = Object.fromEntries(
  Object.entries(NINE).map(([key, value]) => [
    `SPILLWAY_THRESHOLDS_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
    String(value),
  ]),
);

const opened = async (options: SpillwayOptions) => createSpillway({ counter: quarter, ...options });

async function faultsOf(options: SpillwayOptions): Promise<string> {
  const error: unknown = await opened(options).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SpillwayError);
  expect((error as SpillwayError).code).toBe('CONFIG_INVALID');
  return (error as SpillwayError).message;
}

describe('S9: the nine CompactionThresholds fields', () => {
  it('have the documented defaults', async () => {
    expect((await opened({})).config.settings.thresholds).toEqual({
      snipThreshold: 0.8,
      microThreshold: 0.84,
      collapseThreshold: 0.88,
      autoThreshold: 0.92,
      partialThreshold: 0.95,
      fullThreshold: 0.98,
      retainCount: 10,
      circuitBreakerFailures: 3,
      circuitBreakerCooldown: 60_000,
    });
  });

  it.each<[string, () => SpillwayOptions]>([
    ['a file', () => ({ configFile: folder.file('nine.yaml', yaml(NINE)) })],
    ['the environment', () => ({ env: variables })],
    ['code', () => ({ settings: { thresholds: NINE } })],
  ])('come from %s, and set the gates', async (_where, options) => {
    const { config, stages } = await opened(options());
    expect(config.settings.thresholds).toEqual(NINE);
    expect(stages.map(({ opensAt }) => opensAt)).toEqual([0.71, 0.72, 0.73, 0.74, 0.75, 0.76]);
    expect(stages.find(({ name }) => name === 'partial')!.options).toMatchObject({ retainCount: 7 });
  });

  it('are merged in the order defaults, file, environment, code', async () => {
    const { config } = await opened({
      configFile: folder.file('some.yaml', yaml({ snipThreshold: 0.7, microThreshold: 0.7, retainCount: 1 })),
      env: { SPILLWAY_THRESHOLDS_MICRO_THRESHOLD: '0.75', SPILLWAY_THRESHOLDS_RETAIN_COUNT: '2' },
      settings: { thresholds: { retainCount: 3 } },
    });
    expect(config.settings.thresholds).toMatchObject({
      snipThreshold: 0.7,
      microThreshold: 0.75,
      collapseThreshold: 0.88,
      retainCount: 3,
    });
    expect(config.origin('thresholds.microThreshold')).toBe('env SPILLWAY_THRESHOLDS_MICRO_THRESHOLD');
  });

  it.each<[string, object, RegExp[]]>([
    ['a wrong order', { microThreshold: 0.9 }, [/microThreshold/, /0\.9\b/, /0\.88 \(collapse\) or less/]],
    ['a value out of range', { snipThreshold: 1.4 }, [/snipThreshold/, /1\.4/, /at most 1/]],
    ['a fraction of a message', { retainCount: 2.5 }, [/retainCount/, /2\.5/, /whole number/]],
    ['no number at all', { fullThreshold: Number.NaN }, [/fullThreshold/, /NaN/, /number/]],
    ['an unknown key', { snipTreshold: 0.7 }, [/snipTreshold/, /0\.7/, /snipThreshold/]],
  ])('refuse %s with the key, the value and what is allowed', async (_what, thresholds, named) => {
    const message = await faultsOf({ settings: { thresholds } });
    for (const pattern of named) expect(message).toMatch(pattern);
  });

  it('report the faults of all sources at once', async () => {
    const message = await faultsOf({
      configFile: folder.file('bad.yaml', yaml({ snipThreshold: 'high' })),
      env: { SPILLWAY_THRESHOLDS_RETAIN_COUNT: '-1', SPILLWAY_TRESHOLDS_MICRO_THRESHOLD: '0.8' },
      settings: { thresholds: { circuitBreakerFailures: 0 } },
    });
    for (const name of ['snipThreshold', 'retainCount', 'SPILLWAY_TRESHOLDS_MICRO', 'circuitBreakerFailures'])
      expect(message).toContain(name);
  });

  it('S9: retainCount is overridden by the option of a stage if a higher source sets that', async () => {
    const keptBy = async (options: SpillwayOptions): Promise<unknown> => {
      const partial = (await opened(options)).stages.find(({ name }) => name === 'partial')!;
      return (partial.options as { retainCount: number }).retainCount;
    };
    const [env, own] = [
      { SPILLWAY_THRESHOLDS_RETAIN_COUNT: '7' },
      { stages: { partial: { retainCount: 3 } } },
    ];
    expect(await keptBy({ profile: 'agent', settings: own })).toBe(3);
    expect(await keptBy({ env, settings: own })).toBe(3);
    expect(await keptBy({ env })).toBe(7);
    // Within one source the nine fields win.
    expect(await keptBy({ settings: { ...own, thresholds: { retainCount: 5 } } })).toBe(5);
    expect(
      await keptBy({
        env: { SPILLWAY_STAGES_PARTIAL_RETAIN_COUNT: '3' },
        settings: { thresholds: { retainCount: 5 } },
      }),
    ).toBe(5);
  });

  it('reach the command line from the environment and a file', async () => {
    const { code, out } = await spillway(['stages', '--json'], variables);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([
      { name: 'snip', opensAt: 0.71 },
      { name: 'micro', opensAt: 0.72 },
      {},
      {},
      {},
      {},
    ]);
    const printed = await spillway(['config', 'print', '--config', folder.file('nine2.yaml', yaml(NINE))]);
    expect(printed.out).toMatch(/snipThreshold +.* 0\.71 .*nine2\.yaml/);
  });

  it('decide when a session compacts', async () => {
    const kindAt = async (snipThreshold: number): Promise<string> => {
      const session = (await engine(1_000, { target: 0.1, thresholds: { snipThreshold } })).session();
      await session.append(said('a', 'x'.repeat(900)));
      return (await session.prepare()).run.kind;
    };
    // One open question has nothing to remove; only the gate decides whether a run starts.
    expect(await kindAt(0.75)).toBe('below-gate');
    expect(await kindAt(0.2)).toBe('noop');
  });

  it('S9: refuse settings that contain themselves, from a file or from code', async () => {
    for (const text of ['thresholds: &a {x: *a}', 'agents: &a {x: *a}', 'models: &a {x: {y: *a}}']) {
      const { code, out, err } = await spillway([
        'config',
        'print',
        '--config',
        folder.file('loop.yaml', text),
      ]);
      expect([text, code, out]).toEqual([text, 1, '']);
      expect(err).toMatch(/^CONFIG_INVALID: .*none of which holds itself/);
    }
    const loop: Record<string, unknown> = {};
    Object.assign(loop, { thresholds: loop, agents: loop });
    expect(await faultsOf({ settings: loop as never })).toContain('none of which holds itself');
    const deep = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`;
    expect(await faultsOf({ settings: { agents: JSON.parse(deep) as never } })).toContain('32 levels');
  });
});
