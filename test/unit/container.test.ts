import { Container, ContainerModule, type ServiceIdentifier } from 'inversify';
import { createContainer, openSpillway, SERVICES } from '../../src/container/index.js';
import { openaiChat, openStore } from '../../src/index.js';
import { heuristicCounter, loadPrices } from '../../src/tokens/index.js';
import { POLLED, PollsStage } from '../../examples/custom-stage.js';
import { folderWith, packageFolder } from '../../src/package-folder.js';

const other = { ...heuristicCounter, name: 'other' };
const SETTINGS = { settings: { counter: 'heuristic' } } as const;

const effects = { clock: () => 0, timer: () => 0 };
const summarizer = {
  name: 'mine',
  endpoint: 'here',
  summarize: async () => ({ text: 'All of it.', finishReason: 'stop' as const }),
};

/** Of what there may be one: a value that will do. */
const SINGLE = [
  ['WireFormat', async () => openaiChat],
  ['TokenCounter', async () => other],
  ['Effects', async () => effects],
  ['Catalogue', async () => ({ lookup: () => ({ contextWindow: 9_000, source: 'default' }) })],
  ['Summarizer', async () => summarizer],
  ['SummaryLines', async () => ({ lines: ['the branch is main'] })],
  ['PriceOf', async () => loadPrices()],
  ['Store', async () => openStore('memory:')],
] as const;

type Binds = (container: Container, service: ServiceIdentifier, good: unknown) => void;

const WRONG: readonly (readonly [what: string, bind: Binds, found: RegExp, remedy: RegExp])[] = [
  [
    'two of what there may be one of',
    (container, service, good) => {
      container.bind(service).toConstantValue(good);
      container.bind(service).toConstantValue(good);
    },
    /2 bindings/,
    /Only Stage and Plugin may have several bindings: unbind all but one/,
  ],
  [
    'nothing',
    (container, service) => void container.bind(service).toConstantValue(undefined),
    /without a value/,
    /Bind a value to it/,
  ],
  [
    'what throws while it is made',
    (container, service) =>
      void container.bind(service).toDynamicValue(() => {
        throw new Error('no licence');
      }),
    /no licence/,
    /the cause says/,
  ],
  [
    'a promise',
    (container, service, good) => void container.bind(service).toDynamicValue(async () => good),
    /asynchronous/,
    /bind what it resolves to/,
  ],
  [
    'something else',
    (container, service) => void container.bind(service).toConstantValue({ counts: true }),
    /an object with counts/,
    /Bind (an object with|a function)/,
  ],
];

describe('a container of a platform', () => {
  it.each(SINGLE.flatMap(([name, make]) => WRONG.map((wrong) => [name, wrong[0], make, wrong] as const)))(
    'that binds to %s %s gets an error with the service and the remedy, and works once that is mended',
    async (name, _what, make, [, bind, found, remedy]) => {
      const service = SERVICES[name] as ServiceIdentifier;
      const good: unknown = await make();
      const container = createContainer();
      if (container.isBound(service)) await container.unbind(service);
      // As a platform does it: with a module of its own.
      const platform = new ContainerModule(() => bind(container, service, good));
      container.load(platform);
      const opening = openSpillway(container, SETTINGS);
      await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await expect(opening).rejects.toThrow(new RegExp(`SERVICES\\.${name};`));
      await expect(opening).rejects.toThrow(found);
      await expect(opening).rejects.toThrow(remedy);
      expect(container.isBound(SERVICES.Spillway)).toBe(false);

      await container.unbind(service);
      container.bind(service).toConstantValue(good);
      const spillway = await openSpillway(container, SETTINGS);
      expect(container.get(SERVICES.Spillway)).toBe(spillway);
      expect(container.get(service)).toBe(good);
      await spillway.close();
    },
  );

  it.each<[string, (container: Container) => void, RegExp]>([
    ['nothing', (container) => void container.bind(SERVICES.Stage).toConstantValue(undefined!), /nothing/],
    [
      'what is no stage',
      (container) => void container.bind(SERVICES.Stage).toConstantValue({ name: 'mine' } as never),
      /an object with name.*Bind an object with name \(a text\), options/,
    ],
    [
      'one that throws while it is made',
      (container) =>
        void container.bind(SERVICES.Stage).toDynamicValue(() => {
          throw new Error('no licence');
        }),
      /no licence/,
    ],
  ])(
    'that binds among its stages %s gets an error that says so, and works once that is mended',
    async (_, bind, found) => {
      const parent = createContainer();
      const container = new Container({ parent });
      bind(container);
      const opening = openSpillway(container, SETTINGS);
      await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await expect(opening).rejects.toThrow(/SERVICES\.Stage;/);
      await expect(opening).rejects.toThrow(found);
      await container.unbind(SERVICES.Stage);
      container.bind(SERVICES.Stage).to(PollsStage);
      const spillway = await openSpillway(container, {
        settings: { ...SETTINGS.settings, roster: [{ stage: 'polls', opensAt: 0.8 }] },
      });
      expect(spillway.stages.map(({ name }) => name)).toContain('polls');
    },
  );

  it.each(['Config', 'Policy', 'OpenFiller', 'Spillway'] as const)(
    'that binds %s, which openSpillway binds, gets an error that says so, and works once it is unbound',
    async (name) => {
      const service = SERVICES[name] as ServiceIdentifier;
      const container = createContainer();
      container.bind(service).toConstantValue({});
      const opening = openSpillway(container, SETTINGS);
      await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
      await expect(opening).rejects.toThrow(new RegExp(`SERVICES\\.${name};.*Unbind it`));
      await container.unbind(service);
      const spillway = await openSpillway(container, SETTINGS);
      expect(container.get(SERVICES.Spillway)).toBe(spillway);
      container.rebind(service).toConstantValue({});
      await expect(openSpillway(container, SETTINGS)).rejects.toThrow(/Unbind it/);
    },
  );

  it('binds a filler as long as its newest engine has a summarizer', async () => {
    const container = createContainer();
    container.bind(SERVICES.Summarizer).toConstantValue(summarizer);
    await openSpillway(container, SETTINGS);
    expect(container.isBound(SERVICES.OpenFiller)).toBe(true);
    await container.unbind(SERVICES.Summarizer);
    await openSpillway(container, SETTINGS);
    expect(container.isBound(SERVICES.OpenFiller)).toBe(false);
    container.bind(SERVICES.Summarizer).toConstantValue(summarizer);
    await openSpillway(container, SETTINGS);
    expect(container.isBound(SERVICES.OpenFiller)).toBe(true);
  });

  it('can be opened again with other settings, and a child container apart from its parent', async () => {
    const container = createContainer();
    const first = await openSpillway(container, SETTINGS);
    const second = await openSpillway(container, { settings: { counter: 'o200k_base' } });
    expect(container.get(SERVICES.Spillway)).toBe(second);
    expect(container.get(SERVICES.TokenCounter).name).not.toBe(heuristicCounter.name);
    const child = new Container({ parent: container });
    child.bind(SERVICES.TokenCounter).toConstantValue(other);
    const third = await openSpillway(child, SETTINGS);
    expect([child.get(SERVICES.Spillway), child.get(SERVICES.TokenCounter)]).toEqual([third, other]);
    expect(container.get(SERVICES.Spillway)).toBe(second);
    expect(new Set([first, second, third]).size).toBe(3);
  });

  it('may be shared by two engines that are opened at once, and both work', async () => {
    const container = createContainer();
    container.bind(SERVICES.TokenCounter).toConstantValue(other);
    const settings = (window: number) => ({ settings: { window, reserve: { output: 0 } } });
    const engines = await Promise.all([
      openSpillway(container, settings(4_000)),
      openSpillway(container, settings(9_000)),
    ]);
    expect(engines).toContain(container.get(SERVICES.Spillway));
    expect(container.get(SERVICES.TokenCounter)).toBe(other);
    const budgets = [];
    for (const engine of engines) {
      const session = engine.session();
      session.append(...POLLED);
      budgets.push((await session.prepare()).reading.budget.tokens);
    }
    expect(budgets[0]).toBeLessThan(budgets[1]!);
    const again = await openSpillway(container, settings(2_000));
    expect(container.get(SERVICES.Spillway)).toBe(again);
  });
});

it('the folder of a file is looked for up to the root, and a file that is nowhere is not found', () => {
  expect(folderWith('package.json')).toBe(packageFolder());
  expect(folderWith('nowhere.cjs')).toBeUndefined();
});
