import type { ConfigSources, Session } from '../../src/index.js';
import { startEmulator, type Emulator } from '../emulator/index.js';
import { BUDGET, pressed, summariesOf } from './summarizer.js';
import { prose, step, system, user } from '../support/chats.js';
import { engine, preparedAt, read, spillway, talk, temporaryFolder, writer } from './support.js';

const folder = temporaryFolder();
const OWN = folder.file('own.md', 'Write like our foreman.\n---\nAt most {{maxTokens}} tokens.');

const agents = (emulator: Emulator) => ({
  summarizerModel: { baseUrl: emulator.url },
  summarizerAgents: {
    FastCompactor: { model: 'fast', baseUrl: emulator.url },
    Foreman: { model: 'thorough', baseUrl: emulator.url, prompt: OWN },
  },
});

async function opened(settings: ConfigSources['settings'], more: object = {}): Promise<Session> {
  const spillway = await engine(BUDGET, { model: 'the-session-s', roster: ['auto'], ...settings }, more);
  const session = spillway.session();
  session.append(...read([system('Be brief.')]));
  return session;
}

const asked = ({ received }: Emulator): unknown[] => received.map(({ body }) => body['model']);

describe('A7: the summarizer is chosen in the order own prompt, named agent, default, none', () => {
  it('an own prompt goes to the session’s model, whatever agent is named', async () => {
    const emulator = await startEmulator();
    const compaction = { prompt: OWN, agent: 'FastCompactor' };
    const session = await opened({ ...agents(emulator), compaction });
    const { record } = await pressed(session, 1);
    expect(asked(emulator)).toEqual(['the-session-s']);
    expect(emulator.received[0]!.text).toContain('Write like our foreman.');
    expect(record!.summarizer).toEqual({ from: 'prompt', name: OWN });
  });

  it('A7: empty settings count as not set, so the session’s model summarizes without a prompt, agent or key', async () => {
    const emulator = await startEmulator();
    const session = await opened({
      summarizer: 'model',
      summarizerModel: { baseUrl: emulator.url, model: '', apiKeyEnv: '' },
      compaction: { prompt: '', agent: '' },
    });
    const { record } = await pressed(session, 1);
    expect(asked(emulator)).toEqual(['the-session-s']);
    expect(record!.summarizer).toEqual({ from: 'default', name: 'the-session-s' });
  });

  it('A7: apiKeyEnv must name a variable of the environment, not a property that every object has', async () => {
    const summarizerModel = { baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'toString' };
    await expect(opened({ summarizer: 'model', summarizerModel }, { env: {} })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('environment variable toString'),
    });
  });

  it('a named agent summarizes with its own model, and with its own prompt if it has one', async () => {
    const emulator = await startEmulator();
    for (const agent of ['FastCompactor', 'Foreman']) {
      const session = await opened({ ...agents(emulator), summarizer: 'model', compaction: { agent } });
      expect((await pressed(session, 1)).record!.summarizer).toEqual({ from: 'agent', name: agent });
    }
    expect(asked(emulator)).toEqual(['fast', 'thorough']);
    expect(emulator.received.map(({ text }) => text.includes('our foreman'))).toEqual([false, true]);
  });

  it('the default is the model that is set, the caller’s own summarizer, or extraction without a model', async () => {
    const emulator = await startEmulator();
    const byModel = await opened({ ...agents(emulator), summarizer: 'model' });
    expect((await pressed(byModel, 1)).record!.summarizer).toEqual({
      from: 'default',
      name: 'the-session-s',
    });

    const { summarizer } = writer(() => 'The mill was built.', { name: 'mine' });
    const byCode = await opened({}, { summarizer });
    expect((await pressed(byCode, 1)).record!.summarizer).toEqual({ from: 'code', name: 'mine' });

    const keyless = await opened({});
    expect((await pressed(keyless, 1)).record!.summarizer).toEqual({ from: 'default', name: 'extractive' });
    expect(summariesOf(keyless)).toHaveLength(1);
    expect(emulator.received).toHaveLength(1);
  });

  it('none prunes and drops with a warning, but never replaces a span by a summary', async () => {
    const settings = {
      summarizer: 'none' as const,
      roster: ['snip', 'micro', 'collapse', 'auto', 'partial', 'full'],
    };
    const session = await opened(settings);
    const reads = Array.from({ length: 10 }, (_, i) => step('read', { path: `src/m${i}.ts` }, prose(500, i)));
    session.append(...read([user('Read all.'), ...reads.flat(), ...talk(2, 200)]).map(renamed('a')));
    const first = (await preparedAt(session, 0.97)).run;
    expect(first.record!.summarizer).toEqual({ from: 'none', name: 'none' });
    expect(first.stages.find(({ stage }) => stage === 'snip')).toMatchObject({ outcome: 'applied' });
    expect(summariesOf(session)).toEqual([]);

    session.append(...read(talk(8, 400, 500)).map(renamed('b')));
    const second = (await preparedAt(session, 1.2, 901)).run;
    expect(second.stages.find(({ stage }) => stage === 'drop')).toMatchObject({ outcome: 'applied' });
    expect(second.warnings).toEqual([
      {
        code: 'oldest-dropped',
        message: expect.stringMatching(/oldest messages were left out.*new session/),
      },
    ]);
    expect(summariesOf(session)).toEqual([]);
    expect(session.reading.pressure).toBeLessThanOrEqual(1);
  });

  it('each agent of a session may have its own summarizer, which its children inherit', async () => {
    const emulator = await startEmulator();
    const settings = {
      ...agents(emulator),
      agents: { 'primary/reviewer': { compaction: { agent: 'FastCompactor' } } },
    };
    const spillway = await engine(BUDGET, { roster: ['auto'], ...settings });
    const summarizerOf = async (agentPath: string) => {
      const session = spillway.session({ agentPath });
      session.append(...read([system('Be brief.')]));
      return (await pressed(session, 1)).record!.summarizer!.name;
    };
    expect(await summarizerOf('primary')).toBe('extractive');
    expect(await summarizerOf('primary/reviewer')).toBe('FastCompactor');
    expect(await summarizerOf('primary/reviewer/linter')).toBe('FastCompactor');
  });

  it('an agent or a prompt that cannot be used is refused at start', async () => {
    const emulator = await startEmulator();
    const faults = [
      [{ compaction: { agent: 'Nobody' } }, /Nobody.*FastCompactor, Foreman/s],
      [{ compaction: { prompt: 'no-such-prompt' } }, /compaction\.prompt.*no-such-prompt/s],
      [{ compaction: { prompt: OWN }, model: null }, /model/],
      [
        { summarizerAgents: { A: { model: 'a' } }, compaction: { agent: 'A' } },
        /summarizerAgents\.A\.baseUrl/,
      ],
    ] as const;
    for (const [settings, named] of faults) {
      const opening = opened({ ...agents(emulator), ...settings });
      await expect(opening).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(named),
      });
    }
  });

  it('`config print` shows which summarizer is in force', async () => {
    const file = folder.file(
      'agents.yaml',
      'summarizerAgents: { Fast: { model: fast, baseUrl: http://127.0.0.1:1/v1 } }\ncompaction: { agent: Fast }\n',
    );
    const { out } = await spillway(['config', 'print', '--config', file]);
    expect(out).toMatch(/^summarizer in force +.*Fast \(a named agent\)/m);
    expect((await spillway(['config', 'print'])).out).toMatch(
      /^summarizer in force +.*extractive \(the default\)/m,
    );
    const json = JSON.parse(
      (await spillway(['config', 'print', '--config', file, '--json'])).out,
    ) as object[];
    expect(json).toContainEqual(expect.objectContaining({ path: 'compaction.agent', value: 'Fast' }));
    expect(json.at(-1)).toMatchObject({ path: 'summarizer in force', value: 'Fast (a named agent)' });
  });
});

/** Gives the messages a prefix, because ids in one session must differ. */
const renamed =
  (prefix: string) =>
  <Message extends { readonly id: string }>(message: Message): Message => ({
    ...message,
    id: `${prefix}${message.id}`,
  });
