import { openStore } from '../../../src/index.js';
import { artifactKey, TextBuyer, memoryOfTexts, type Artifact } from '../../../src/summarizers/index.js';

const never = new AbortController().signal;
const text = (words: string): Artifact => ({ text: words, model: 'm' });

function buying(store = memoryOfTexts()) {
  let made = 0;
  const once = new TextBuyer(store);
  const buy = (
    words: string | Error,
    more: {
      key?: string;
      maxTokens?: number;
      signal?: AbortSignal;
      until?: Promise<unknown>;
      behind?: string;
    } = {},
  ) => {
    const { key = 'k', maxTokens = 100, signal = never, until } = more;
    const behind = more.behind === undefined ? undefined : { count: 1, hash: more.behind };
    const make = async (): Promise<Artifact> => {
      made++;
      await until;
      if (words instanceof Error) throw words;
      return { ...text(words), followUp: behind };
    };
    const fits = (artifact: Artifact): boolean =>
      artifact.text.length <= maxTokens && artifact.followUp?.hash === behind?.hash;
    return once.buy({ key, maxTokens, followUp: behind, fits, make, signal });
  };
  return { buy, made: () => made };
}

describe('text is bought once', () => {
  it('by all who ask at the same time', async () => {
    const { buy, made } = buying();
    const all = await Promise.all([buy('first'), buy('second'), buy('third'), buy('other', { key: 'o' })]);
    expect(all.map((artifact) => artifact.text)).toEqual(['first', 'first', 'first', 'other']);
    expect(made()).toBe(2);
    expect((await buy('late')).text).toBe('first');
    expect(made()).toBe(2);
  });

  it('by the next caller if the first one failed', async () => {
    const { buy, made } = buying();
    const [failed, ...others] = await Promise.allSettled([buy(new Error('no')), buy('good'), buy('third')]);
    expect(failed).toMatchObject({ status: 'rejected' });
    expect(others).toMatchObject([{ value: text('good') }, { value: text('good') }]);
    expect(made()).toBe(2);
  });

  it('but a caller can stop waiting for another’s text with its own signal', async () => {
    const { buy } = buying();
    let open = (): void => undefined;
    const first = buy('first', { until: new Promise<void>((resolve) => (open = resolve)) });
    const cancel = new AbortController();
    const second = buy('second', { signal: cancel.signal });
    cancel.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    open();
    expect((await first).text).toBe('first');
  });

  it('again if the stored text is too long; the first text stays for callers with room', async () => {
    const { buy, made } = buying();
    await buy('a long text indeed');
    expect((await buy('short', { maxTokens: 8 })).text).toBe('short');
    expect((await buy('other', { maxTokens: 8 })).text).toBe('short');
    expect((await buy('x')).text).toBe('a long text indeed');
    expect(made()).toBe(2);
  });

  it('but is as short as requested although another process stored a longer one first', async () => {
    const { buy } = buying({
      artifact: async () => undefined,
      keepArtifact: async () => ({ text: 'a long text indeed', body: { model: 'm' } }),
    });
    expect((await buy('short', { maxTokens: 8 })).text).toBe('short');
    expect((await buy('short', { maxTokens: 80 })).text).toBe('a long text indeed');
  });

  it('for each follow-up of a span, also if two callers ask at once', async () => {
    const { buy, made } = buying();
    const [one, other] = await Promise.all([buy('one', { behind: 'a' }), buy('other', { behind: 'b' })]);
    expect([one.text, other.text]).toEqual(['one', 'other']);
    expect((await buy('x', { behind: 'a' })).text).toBe('one');
    expect((await buy('x', { behind: 'b' })).text).toBe('other');
    expect(made()).toBe(2);
  });

  it('but if the store is away, each caller makes a call', async () => {
    const away = () => Promise.reject(new Error('away'));
    const { buy, made } = buying({ artifact: away, keepArtifact: away });
    expect((await buy('first')).text).toBe('first');
    expect((await buy('second')).text).toBe('second');
    expect(made()).toBe(2);
  });
});

describe('artifacts in a store', () => {
  it('are read back with their model; the first one stays', async () => {
    const store = await openStore('memory:');
    expect(await buying(store).buy('first')).toEqual(text('first'));
    expect(await buying(store).buy('second')).toEqual(text('first'));
    expect(await store.artifact('k')).toEqual({ text: 'first', body: { model: 'm' } });
  });

  it('have a key that depends on every part of the request', () => {
    const keys = [
      artifactKey('p', 'e', ['ab', 'c'], [], ''),
      artifactKey('p', 'e', ['a', 'bc'], [], ''),
      artifactKey('p', 'e', ['ab', 'c'], '', []),
      artifactKey('pe', '', ['ab', 'c'], [], ''),
      artifactKey('p', 'e', ['ab'], ['c'], ''),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(artifactKey('p', 'e', ['ab', 'c'], [], '')).toBe(keys[0]);
  });
});
