import { benchOf } from '../../../site/.vitepress/data/bench.js';
import { cascadeOf } from '../../../site/.vitepress/theme/cascade.js';
import { replayWords, sessionWords } from '../../../site/.vitepress/playground/words.js';
import { fileOf, GUIDES, REFERENCE } from '../../../site/.vitepress/navigation.js';
import { addressOf, pages, targetOf } from '../../../site/.vitepress/repository.js';
import { headingSlug } from '../../../site/.vitepress/slug.js';
import { exists, filesBelow, read } from './source.js';

const named = [...GUIDES, ...REFERENCE].flatMap(({ entries }) => entries.map(fileOf));

describe('the navigation of the site', () => {
  it('names pages that exist', () => {
    expect(named.filter((file) => !exists(file) || addressOf(file) === undefined)).toEqual([]);
  });

  it('names every page of docs/ that is no decision, and every stage', () => {
    const all = [
      ...filesBelow('docs', /\.md$/).map((file) => `docs/${file}`),
      ...filesBelow('src/stages', /^\w+\/README\.md$/).map((file) => `src/stages/${file}`),
    ];
    expect(all.length).toBeGreaterThan(60);
    const isDecision = (file: string): boolean => file.startsWith('docs/decisions/');
    expect(all.filter((file) => !isDecision(file) && !named.includes(file))).toEqual([]);
  });
});

describe('addresses of the site', () => {
  it('are one a page', () => {
    const all = Object.values(pages());
    expect(all.filter((address, at) => all.indexOf(address) !== at)).toEqual([]);
  });

  it('take the place of links that are written for the repository', () => {
    expect(targetOf('docs/sessions.md', 'recall.md#asking')).toBe('/recall.html#asking');
    expect(targetOf('docs/proxy.md', 'decisions/0066-forks-copy-nothing.md')).toBe(
      '/decisions/0066-forks-copy-nothing.html',
    );
    expect(targetOf('docs/recall.md', 'decisions/README.md')).toBe('/decisions/');
    expect(targetOf('docs/settings.md', '../config/default.yaml')).toBe('/source/config/default.yaml.html');
    expect(targetOf('site/guides/stages.md', 'src/stages/snip/README.md')).toBe('/stages/snip.html');
    expect(targetOf('docs/page.md', 'images/plan.png')).toBeUndefined();
    expect(targetOf('docs/page.md', 'http://127.0.0.1:8787')).toBeUndefined();
  });

  it('have the places of headings that a code host gives them', () => {
    expect(headingSlug('What it costs, and `how`')).toBe('what-it-costs-and-how');
    expect(headingSlug('On 49 recorded sessions')).toBe('on-49-recorded-sessions');
  });
});

describe('the first page', () => {
  it('takes its table from docs/bench.md, with the commit, and says where there is none', () => {
    const page = read('docs/bench.md');
    const { columns, rows, commit, calls } = benchOf(page);
    expect(page).toContain(commit);
    expect(page).toContain(`${calls} calls`);
    expect(rows.length).toBeGreaterThan(2);
    const words = page.replaceAll('`', '');
    for (const row of rows) for (const [at] of columns.entries()) expect(words).toContain(row[at]);
    expect(() => benchOf(page.replaceAll('from afar', 'elsewhere'))).toThrow(/no table/);
  });

  it('draws a compaction as a fall from gate to gate, with what was taken at each', () => {
    const gates = [
      { name: 'snip', opensAt: 0.8 },
      { name: 'micro', opensAt: 0.84 },
    ];
    const call = { messages: 9, shown: 5, written: 1_500, before: 1_500, after: 600 };
    const steps = [
      { stage: 'fresh', before: 1_500, after: 950, edits: 1 },
      { stage: 'snip', before: 950, after: 550, edits: 2 },
      { stage: 'regrow', before: 550, after: 600, edits: 1 },
    ];
    const columns = cascadeOf({ ...call, steps }, { budget: 1_000, gates, calls: [] });
    expect(columns.map(({ name, from, to, said }) => [name, from, to, said])).toEqual([
      ['request', 1.5, 0.95, '−550: a result cut to size'],
      ['snip', 0.95, 0.55, '−400'],
      ['micro', 0.55, 0.55, 'opens at 84 %'],
      ['sent', 0.6, 0.6, '60 %'],
    ]);
    expect(columns.map(({ isShut }) => isShut)).toEqual([false, false, true, false]);
    expect(columns[0]!.over).toBe('150 %');
  });

  it('says of a call that cannot fit that it was not sent', () => {
    const call = { messages: 1, shown: 1, written: 1_500, before: 1_500, after: 1_500, steps: [] };
    const gates = [{ name: 'snip', opensAt: 0.8 }];
    const columns = cascadeOf(
      { ...call, fault: 'BUDGET_UNREACHABLE: …' },
      { budget: 1_000, gates, calls: [] },
    );
    expect(columns.at(-1)).toMatchObject({ name: 'sent', to: 0, said: 'nothing' });
  });
});

describe('the playground', () => {
  const opened = { format: 'corpus', messages: 1, notices: ['line 2: cut off'] };
  const call = { messages: 1, shown: 1, written: 90, before: 90, after: 90, steps: [] };
  const replayed = {
    budget: 1_000,
    gates: [],
    calls: [call, { ...call, after: 30, fault: 'BUDGET_UNREACHABLE' }],
  };

  it('says what a file holds', () => {
    expect(sessionWords('a.jsonl', opened)).toBe('a.jsonl: 1 message, read as corpus. line 2: cut off.');
  });

  it('says what was sent, of calls that fit, and of a session without an answer that nothing was', () => {
    expect(replayWords(replayed, false)).toBe(
      '2 calls of the model, 0 compactions; 90 tokens a call; 1 cannot fit.',
    );
    expect(replayWords({ ...replayed, calls: [call] }, true)).toBe(
      '1 call of the model, 0 compactions; 90 tokens a call; every call fits; playing on …',
    );
    expect(replayWords({ ...replayed, calls: [] }, true)).toBe('Playing …');
    expect(replayWords({ ...replayed, calls: [] }, false)).toMatch(/no answer of a model/);
  });
});
