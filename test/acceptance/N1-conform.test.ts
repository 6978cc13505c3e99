import { join } from 'node:path';
import { candidatesIn, CONTRACTS } from '../../src/testkit/index.js';
import { openaiChat } from '../../src/index.js';
import { spillway, temporaryFolder } from './support.js';

const folder = temporaryFolder();
const module = (name: string): string => join('test', 'acceptance', 'conform', name);

describe('N1: spillway conform', () => {
  it('N1: passes a stage and a summarizer of a third party that keep every rule', async () => {
    const { code, out } = await spillway(['conform', module('good.mjs')]);
    expect(out).toMatch(/stage forget\n {2}holds +STAGE-01/);
    expect(out).toMatch(/summarizer terse \(export Terse\)/);
    expect(out).not.toMatch(/^ +fails/m);
    expect([code, out.trim().split('\n').at(-1)]).toEqual([
      0,
      'every rule that was exercised holds; 1 not exercised',
    ]);
    expect(out).toMatch(/not exercised +STAGE-15/);
  });

  it('N1: reports which rule is broken, what it saw and where, and exits with 1', async () => {
    const { code, out } = await spillway(['conform', module('wrong.mjs')]);
    expect(code).toBe(1);
    expect(out).toMatch(
      /fails +STAGE-08 .*stay together.*\n +seen: \d+ times, first: history \d+: supersede splits/,
    );
    expect(out).toMatch(/holds +STAGE-01/);
  });

  it('N1: judges a store by its `openStore`, waives rules with a reason, and writes JSON with --json', async () => {
    const { code, out } = await spillway(['conform', module('store.mjs'), '--json']);
    expect(code).toBe(1);
    const { holds, judged } = JSON.parse(out);
    expect(holds).toBe(false);
    expect(judged).toMatchObject([{ kind: 'store', exportedAs: 'openStore' }]);
    expect(judged[0].verdicts.some((verdict: { holds: boolean }) => !verdict.holds)).toBe(true);
    expect(judged[0].waived[0].reason).toContain('does not outlive');
  });

  it('N1: judges a format by the validator and samples of its name, and waives their rules without these', () => {
    const conform = { samples: { 'openai-chat': [[{ role: 'user', content: 'hello' }]] } };
    const [known] = candidatesIn({ mine: openaiChat, conform });
    expect(known).toMatchObject({ kind: 'format', name: 'openai-chat' });
    expect(known!.rules.filter(({ waived }) => waived)).toEqual([]);
    const [unknown] = candidatesIn({ mine: { ...openaiChat, name: 'morse' } });
    expect(unknown!.rules.filter(({ waived }) => waived).map(({ id }) => id)).toEqual([
      'FORMAT-03',
      'FORMAT-13',
    ]);
  });

  it('refuses a module that cannot be loaded, and a module with nothing to judge', async () => {
    const nowhere = await spillway(['conform', 'no-such-module']);
    expect([nowhere.code, nowhere.err]).toEqual([1, expect.stringContaining('INPUT_UNREADABLE')]);
    const empty = await spillway(['conform', folder.file('empty.mjs', 'export const a = 1;')]);
    expect([empty.code, empty.err]).toEqual([1, expect.stringContaining('no export that can be checked')]);
  });

  it('N1: gives every rule its own number and an intent', () => {
    const rules = CONTRACTS.flatMap((contract) => contract.rules);
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    expect(rules.every(({ id, intent }) => /^[A-Z]+-\d\d$/.test(id) && intent.length > 20)).toBe(true);
  });
});
