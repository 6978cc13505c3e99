import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Engine } from '../../site/.vitepress/playground/engine.js';
import type { Call } from '../../site/.vitepress/data/shapes.js';
import { packageFolder } from '../../src/index.js';

const FILE = join(packageFolder(), 'examples', 'sessions', 'pressure-gauge.jsonl');
const file = (text: string, name = 'session.jsonl'): File => new File([text], name);

/** The bundled session, opened. */
async function engine(): Promise<Engine> {
  const made = new Engine();
  await made.open(file(await readFile(FILE, 'utf8')));
  return made;
}

async function played(of: Engine, budget: number, opensAt: Record<string, number> = {}): Promise<Call[]> {
  const calls: Call[] = [];
  expect(await of.replay({ budget, opensAt }, (more) => calls.push(...more))).toBe(true);
  return calls;
}

describe('the playground of the site', () => {
  it('opens files of two formats, and refuses another file with the error of the library', async () => {
    const made = new Engine();
    const text = await readFile(FILE, 'utf8');
    expect(await made.open(file(text))).toEqual({ format: 'corpus', messages: 165, notices: [] });
    const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello.' }] });
    expect(await made.open(file(body, 'a.json'))).toMatchObject({ format: 'openai-chat', messages: 1 });
    await expect(made.open(file('no session'))).rejects.toMatchObject({ code: 'INPUT_FORMAT' });
  });

  it('replays a session within a budget, and sends less if the gates open earlier', async () => {
    const of = await engine();
    const gates = await of.gates();
    expect(gates.map(({ name }) => name)).toEqual(['snip', 'micro', 'collapse', 'auto', 'partial', 'full']);
    const calls = await played(of, 5_000);
    expect(calls).toHaveLength(49);
    expect(calls.every(({ after, fault }) => after <= 5_000 && fault === undefined)).toBe(true);
    const fired = calls.filter(({ steps }) => steps.length > 0).length;
    expect(fired).toBeGreaterThan(5);
    const roomy = await played(of, 200_000);
    expect(roomy.every(({ steps, before, after }) => steps.length === 0 && before === after)).toBe(true);
    const early = await played(of, 30_000, Object.fromEntries(gates.map(({ name }) => [name, 0.65])));
    const late = await played(of, 30_000);
    const sent = (of: readonly Call[]): number => of.reduce((sum, { after }) => sum + after, 0);
    expect(sent(early)).toBeLessThan(sent(late));
  });

  it('shows the log next to what a call was sent, and what left by which stage and why', async () => {
    const of = await engine();
    const calls = await played(of, 5_000);
    for (const call of [3, 20, 48]) {
      const bands = await of.bands(call);
      const shown = bands.flatMap(({ status, log, sent }) =>
        status === 'left' || status === 'replaced' ? sent : log,
      );
      expect(shown.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(calls[call]!.after);
      const told = bands.reduce((sum, { log, between }) => sum + log.length + (between?.messages ?? 0), 0);
      expect(told).toBe(calls[call]!.messages);
    }
    const [left] = (await of.bands(48)).filter(({ status }) => status === 'left');
    expect(left).toMatchObject({ by: { stage: expect.any(String), reason: expect.any(String) } });
    expect(left!.sent[0]!.words).toMatch(/^\[Digest of earlier messages/);
  });

  it('shows nothing for a call that cannot fit, and each later call under its own number', async () => {
    const made = new Engine();
    const says = (content: string, role = 'user') => ({ role, content });
    const messages = [
      says('word '.repeat(6_000)),
      says('One.', 'assistant'),
      says('And then?'),
      says('Two.', 'assistant'),
    ];
    await made.open(file(JSON.stringify({ model: 'gpt-4o', messages }), 'a.json'));
    const calls = await played(made, 5_000);
    expect(calls.map(({ fault }) => fault?.split(':')[0])).toEqual(['BUDGET_UNREACHABLE', undefined]);
    expect(await made.bands(0)).toEqual([]);
    expect((await made.bands(1)).flatMap(({ log }) => log.map(({ id }) => id))).toEqual(['m0', 'm1', 'm2']);
  });

  it('recalls passages for a question, and ends a replay when another one begins', async () => {
    const of = await engine();
    await played(of, 5_000);
    const [passage] = await of.ask('reading gates highestGate');
    expect(passage).toMatchObject({
      handle: expect.stringMatching(/^m\d+/),
      words: expect.stringMatching(/gate/i),
    });
    expect(await of.ask('zebra')).toEqual([]);
    const earlier = of.replay({ budget: 5_000, opensAt: {} }, () => undefined);
    // By now the earlier replay has its session and is running.
    await new Promise((done) => setTimeout(done));
    const later = of.replay({ budget: 8_000, opensAt: {} }, () => undefined);
    expect(await Promise.all([earlier, later])).toEqual([false, true]);
  });
});
