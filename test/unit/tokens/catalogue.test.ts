import { createCatalogue } from '../../../src/tokens/index.js';
import { namesOf } from '../../../src/tokens/family.js';
import { SpillwayError } from '../../../src/errors/index.js';

const catalogue = createCatalogue();
beforeAll(() => catalogue.load());

it.each([
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
  ['openrouter/anthropic/claude-opus-4.1:free', 'claude-opus-4.1'],
  ['openai:gpt-4o-2024-08-06', 'gpt-4o'],
  ['claude-sonnet-4@20250514', 'claude-sonnet-4'],
  ['Claude-Opus-4-6[1m]', 'claude-opus-4-6'],
  ['mistral:latest', 'mistral'],
  ['qwen3:8b', 'qwen3'],
  ['gpt-4o', 'gpt-4o'],
])('a model name: %s is at bottom %s', (given, bare) => {
  expect(namesOf(given).at(-1)).toBe(bare);
  expect(namesOf(given)[0]).toBe(given.toLowerCase());
});

describe('the catalogue', () => {
  it.each(['gpt-4o', 'openai:gpt-4o', 'openai/gpt-4o', 'copilot/gpt-4o', 'gpt-4o-2024-08-06'])(
    'knows %s',
    (name) => {
      expect(catalogue.lookup(name)).toMatchObject({
        model: name,
        contextWindow: 128_000,
        outputLimit: 16_384,
        source: 'catalogue',
        authoritative: true,
        exactTokenizer: 'o200k_base',
        tokenRatio: 1,
      });
    },
  );

  it('keeps input and output limits apart where a model has both', () => {
    expect(catalogue.lookup('gpt-5')).toMatchObject({
      contextWindow: 400_000,
      inputLimit: 272_000,
      outputLimit: 128_000,
    });
  });

  it.each([
    'claude-sonnet-4-5-20250929',
    'anthropic/claude-sonnet-4-5',
    'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  ])("knows %s, whose tokens are smaller than OpenAI's and whose tokenizer is not public", (name) => {
    const limits = catalogue.lookup(name);
    expect(limits).toMatchObject({ contextWindow: 200_000, outputLimit: 64_000, source: 'catalogue' });
    expect(limits.tokenRatio).toBeCloseTo(1.12);
    expect(limits.exactTokenizer).toBeUndefined();
  });

  it('fills from families what the sheets leave out', () => {
    expect(catalogue.lookup('gemini-2.5-pro')).toMatchObject({
      contextWindow: 1_048_576,
      outputLimit: 65_536,
    });
  });

  it('knows the long window that a name asks for', () => {
    expect(catalogue.lookup('claude-sonnet-4-5[1m]').contextWindow).toBe(1_000_000);
  });

  it('gives a stranger 128,000 tokens and says that this is a guess', () => {
    expect(catalogue.lookup('house-model-7b')).toMatchObject({
      contextWindow: 128_000,
      source: 'default',
      authoritative: false,
    });
    expect(createCatalogue().lookup('').authoritative).toBe(false);
  });

  it('takes user before provider before catalogue before default, field by field', async () => {
    const own = createCatalogue({
      'gpt-4o': { contextWindow: 64_000 },
      'house-*': { contextWindow: 32_768 },
    });
    await own.load();
    const gpt = own.lookup('gpt-4o', 'openai', { reported: { contextWindow: 100_000, outputLimit: 9_000 } });
    expect(gpt).toMatchObject({ contextWindow: 64_000, outputLimit: 9_000, source: 'user' });
    expect(gpt.sources).toEqual({ contextWindow: 'user', outputLimit: 'provider' });
    expect(catalogue.lookup('gpt-4o', 'openai', { reported: { contextWindow: 100_000 } }).contextWindow).toBe(
      100_000,
    );
    expect(own.lookup('house-model-7b')).toMatchObject({ contextWindow: 32_768, authoritative: true });
    expect(own.lookup('vllm/house-model-7b').contextWindow).toBe(32_768);
  });

  it('prefers the longest override that fits', () => {
    const own = createCatalogue({
      '*': { contextWindow: 1 },
      'llama-*': { contextWindow: 2 },
      'groq/llama-4': { contextWindow: 3 },
    });
    expect(own.lookup('phi').contextWindow).toBe(1);
    expect(own.lookup('llama-4').contextWindow).toBe(2);
    expect(own.lookup('llama-4', 'groq').contextWindow).toBe(3);
  });

  it('takes a limit of 0 for no limit', () => {
    const own = createCatalogue({ 'gpt-5': { contextWindow: 0 } });
    expect(own.lookup('gpt-5')).toMatchObject({
      contextWindow: Infinity,
      source: 'user',
      authoritative: true,
    });
    expect(own.lookup('gpt-5').inputLimit).toBeUndefined();
  });

  it('does not let a published input limit undo an override of the window', async () => {
    const own = createCatalogue({ 'gpt-5': { contextWindow: 100_000 } });
    await own.load();
    expect(own.lookup('gpt-5').inputLimit).toBeUndefined();
  });

  it('lets what a refusal proved lower every other word, and raise none', () => {
    const own = createCatalogue({ m: { contextWindow: 200_000 } });
    expect(own.lookup('m', undefined, { learned: { contextWindow: 131_072 } })).toMatchObject({
      contextWindow: 131_072,
      source: 'learned',
    });
    expect(own.lookup('m', undefined, { learned: { contextWindow: 500_000 } }).contextWindow).toBe(200_000);
  });

  it('names every override that makes no sense', () => {
    const overrides = { a: { contextWindow: -1 }, b: { outputLimit: NaN, tokenRatio: 0 } };
    let thrown: unknown;
    try {
      createCatalogue(overrides);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(SpillwayError);
    expect((thrown as SpillwayError).code).toBe('CONFIG_INVALID');
    expect((thrown as SpillwayError).faults.map((fault) => fault.subject)).toEqual([
      'models.a.contextWindow',
      'models.b.outputLimit',
      'models.b.tokenRatio',
    ]);
  });
});
