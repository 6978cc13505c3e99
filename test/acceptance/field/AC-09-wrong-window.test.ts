import { createSpillway } from '../../../src/index.js';
import { jsonLines, quarter, spillway, talk, temporaryFolder } from '../support.js';

const folder = temporaryFolder();
const budgetOf = async (settings: object) =>
  (await createSpillway({ counter: quarter, settings })).session().reading.budget;

describe('AC-09: wrong window (200k for a model of 1M, two hidden margins)', () => {
  it('the window comes from the setting, else from the model’s override, the catalogue, the default', async () => {
    const model = 'gpt-4o';
    const models = { [model]: { contextWindow: 90_000 } };
    const windows = [{ model, models, window: 70_000 }, { model, models }, { model }, {}].map(budgetOf);
    expect((await Promise.all(windows)).map(({ window }) => window)).toEqual([
      70_000, 90_000, 128_000, 128_000,
    ]);
  });

  it('the derivation says where the window comes from', async () => {
    const first = async (settings: object): Promise<string> => (await budgetOf(settings)).derivation[0]!;
    expect(await first({ model: 'gpt-4o', window: 70_000 })).toMatch(/70,000 tokens \(setting\)/);
    expect(await first({ model: 'gpt-4o' })).toMatch(/gpt-4o: window 128,000 tokens \(catalogue\)/);
    expect(await first({ model: 'never-heard-of' })).toMatch(
      /128,000 tokens \(default; this model is not known\)/,
    );
  });

  it('the name of a model with two windows selects one of them', async () => {
    expect((await budgetOf({ model: 'claude-sonnet-4-5' })).window).toBe(200_000);
    expect((await budgetOf({ model: 'claude-sonnet-4-5[1m]' })).window).toBe(1_000_000);
  });

  it('a separate input limit is the budget, and no output reserve is taken from it', async () => {
    const models = { mine: { contextWindow: 400_000, inputLimit: 272_000, outputLimit: 128_000 } };
    const budget = await budgetOf({ model: 'mine', models, safetyMargin: 0 });
    expect(budget).toMatchObject({ usable: 272_000, tokens: 272_000, reserve: { output: 0 } });
    expect(budget.derivation.join()).toContain(
      'input limit 272,000 tokens (setting); no output reserve is taken from it',
    );
  });

  it('no margin is hidden: the derivation lists everything that is taken from the window', async () => {
    const budget = await budgetOf({
      window: 100_000,
      reserve: { output: 10_000, injection: 5_000 },
      safetyMargin: 0.02,
    });
    expect(budget.derivation.slice(1)).toEqual([
      '- 10,000 tokens output reserve: setting',
      '- 5,000 tokens reserved for injections',
      '- 1,700 tokens safety margin (2 %)',
      '= budget 83,300 tokens',
    ]);
    expect(budget.tokens).toBe(83_300);
  });

  it('the command line shows where the window comes from, takes --window as the budget, and warns of a guess', async () => {
    const file = folder.file('talk.jsonl', jsonLines(talk(2, 50)));
    const { err } = await spillway(['compact', file, '--window', '32000'], { SPILLWAY_SAFETY_MARGIN: '0' });
    expect(err).toMatch(/of 32,000 tokens \(.*window 32,000 tokens \(setting\)/);
    const guessed = await spillway(['compact', file]);
    expect(guessed.err).toMatch(/warning: the window is a guess/);
    expect(guessed.err).toContain('window 128,000 tokens (a guess)');
  });
});
