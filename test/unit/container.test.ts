import { describe, expect, it } from '@jest/globals';
import { Container } from 'inversify';
import { createContainer, openSpillway, SERVICES } from '../../src/container.js';
import { heuristicCounter } from '../../src/tokens/index.js';

const other = { ...heuristicCounter, name: 'other' };
const SETTINGS = { settings: { counter: 'heuristic' } } as const;

describe('a container of a platform', () => {
  it.each<[string, (container: Container) => void, RegExp]>([
    [
      'two of what there may be one of',
      (container) => {
        container.bind(SERVICES.TokenCounter).toConstantValue(other);
        container.bind(SERVICES.TokenCounter).toConstantValue(heuristicCounter);
      },
      /2 bindings/,
    ],
    [
      'nothing',
      (container) => void container.bind(SERVICES.TokenCounter).toConstantValue(undefined!),
      /without a value/,
    ],
    [
      'what throws while it is made',
      (container) =>
        void container.bind(SERVICES.TokenCounter).toDynamicValue(() => {
          throw new Error('no licence');
        }),
      /no licence/,
    ],
  ])('that binds %s is told which service and what to do, and usable afterwards', async (_, bind, found) => {
    const container = createContainer();
    bind(container);
    const opening = openSpillway(container, SETTINGS);
    await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(opening).rejects.toThrow(/SERVICES\.TokenCounter/);
    await expect(opening).rejects.toThrow(found);
    expect(container.isBound(SERVICES.Spillway)).toBe(false);
    await container.unbind(SERVICES.TokenCounter);
    await openSpillway(container, SETTINGS);
    expect(container.get(SERVICES.TokenCounter).name).toBe(heuristicCounter.name);
  });

  it('is opened as often as asked, each time by its settings, and a child beside its parent', async () => {
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
});
