import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EngineEvent, Session } from '../../../src/index.js';
import { prose, step, system, user } from '../../support/chats.js';
import { engine, read, shownText, spillway as cli, talk, temporaryFolder } from '../support.js';

const folder = temporaryFolder();
const RULES = 'Never touch the billing service.\nAnswer in German.';

/** A folder with instructions, and a way to change them. */
function workspace(name: string, text: string) {
  const root = join(dirname(folder.file('x', '')), name);
  mkdirSync(join(root, 'skills'), { recursive: true });
  const write = (file: string, words: string): void => writeFileSync(join(root, file), words);
  write('AGENTS.md', text);
  return { root, write };
}

async function sessionIn(
  root: string,
  sources: readonly string[],
  budget = 4_000,
  { own, ...more }: Record<string, unknown> = {},
) {
  const spillway = await engine(budget, { pins: { firstUser: false, sources: [...sources], root }, ...more });
  const told: EngineEvent[] = [];
  spillway.events.subscribe((event) => told.push(event));
  return { session: spillway.session(own === undefined ? {} : { instructions: own as never }), told };
}

function fail(): never {
  throw new Error('no such file');
}

const START = [system('Be brief.'), user('Go on.'), ...step('read', { path: 'AGENTS.md' }, RULES)];

function later(session: Session, round: number): Promise<unknown> {
  const chat = read(talk(14, 200, 1_000 * round)).map((message) => ({
    ...message,
    id: `r${round}${message.id}`,
  }));
  return session.append(...chat);
}

const putBackIn = (session: Session): string[] =>
  session.view.filter(({ message }) => message.label === 'injected').map(shownText);

const lineOf = (session: Session): string | undefined =>
  session.operator.history.at(-1)!.hooks?.find(({ plugin }) => plugin === 'pins.sources')?.message;

describe('AC-14: instructions are lost', () => {
  it('AC-14: removed instructions return once, as their file has them now, and the record lists them', async () => {
    const { root, write } = workspace('now', RULES);
    const { session } = await sessionIn(root, ['AGENTS.md']);
    await session.append(...read(START));
    await later(session, 1);
    await session.operator.compact({ target: 0.3 });
    expect(putBackIn(session)).toEqual([`[Instructions of AGENTS.md, as they stand there now]\n${RULES}`]);
    expect(lineOf(session)).toMatch(/^AGENTS\.md: \d+ tokens$/);
    write('AGENTS.md', 'You may touch the billing service.');
    for (const round of [2, 3]) {
      await later(session, round);
      await session.operator.compact({ target: 0.3 });
      expect(putBackIn(session)).toEqual([
        '[Instructions of AGENTS.md, as they stand there now]\nYou may touch the billing service.',
      ]);
      expect(session.view.map(shownText).join('\n')).not.toContain(RULES);
    }
    const { messages } = await session.prepare();
    expect(JSON.stringify(messages).split('You may touch the billing service.')).toHaveLength(2);
  });

  it('AC-14: instructions that are still in view as in their file are not repeated', async () => {
    const { root } = workspace('stands', RULES);
    const { session } = await sessionIn(root, ['AGENTS.md']);
    await session.append(...read([system(`Be brief.\n${RULES}`), user('Go on.'), ...talk(16, 200)]));
    await session.operator.compact({ target: 0.3 });
    expect(session.operator.history).toHaveLength(1);
    expect(putBackIn(session)).toEqual([]);
  });

  it('AC-14: restored instructions keep to their share of the budget, and name the file that has the rest', async () => {
    const { root, write } = workspace('long', prose(3_000, 1));
    write('skills/small.md', 'Write release notes in the past tense.');
    const { session } = await sessionIn(root, ['AGENTS.md', 'skills/small.md'], 4_000);
    await session.append(...read([...START, ...talk(14, 200)]));
    await session.operator.compact({ target: 0.5 });
    const [long, small] = putBackIn(session);
    expect(small).toContain('Write release notes in the past tense.');
    expect(long).toMatch(/more characters stand in AGENTS\.md\]$/);
    const tokens = session.view
      .filter(({ message }) => message.label === 'injected')
      .reduce((sum, { size }) => sum + size.tokens, 0);
    expect(tokens).toBeGreaterThan(0.08 * 4_000);
    expect(tokens).toBeLessThanOrEqual(0.15 * 4_000 + 60);
    expect(lineOf(session)).toMatch(/^AGENTS\.md: \d+ of 3\d{3} tokens; skills\/small\.md: \d+ tokens$/);
    expect(session.reading.pressure).toBeLessThanOrEqual(1);
  });

  it.each([
    ['is gone', 'missing.md', /missing\.md cannot be read \(ENOENT\)/],
    ['lies outside its folder', '../outside.md', /outside\.md lies outside pins\.root/],
    ['leads out of its folder', 'link.md', /link\.md lies outside pins\.root/],
    ['is a folder', 'skills', /skills is no file/],
  ])('AC-14: a source that %s is reported once, and the compaction goes on', async (_, file, words) => {
    const { root } = workspace('faulty', RULES);
    writeFileSync(join(root, '..', 'outside.md'), 'SECRET OF ANOTHER FOLDER');
    rmSync(join(root, 'link.md'), { force: true });
    symlinkSync(join(root, '..', 'outside.md'), join(root, 'link.md'));
    const { session, told } = await sessionIn(root, [file]);
    await session.append(...read([...START, ...talk(14, 200)]));
    const { kind } = await session.operator.compact({ target: 0.3 });
    expect(kind).toBe('committed');
    const warnings = told.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
    expect(warnings).toEqual([expect.stringMatching(words)]);
    expect(lineOf(session)).toMatch(words);
    expect(putBackIn(session)).toEqual([]);
    expect(JSON.stringify((await session.prepare()).messages)).not.toContain('ANOTHER FOLDER');
  });

  it('AC-14: a file that can no longer be read is restored as it was last read', async () => {
    const { root } = workspace('gone', RULES);
    const { session } = await sessionIn(root, ['AGENTS.md']);
    await session.append(...read(START));
    await later(session, 1);
    await session.operator.compact({ target: 0.3 });
    rmSync(join(root, 'AGENTS.md'));
    await later(session, 2);
    await session.operator.compact({ target: 0.3 });
    expect(putBackIn(session).join()).toContain(RULES);
  });

  it('AC-14: a host adds instructions by a function, and an agent can have files of its own', async () => {
    const { root, write } = workspace('agents', RULES);
    write('skills/review.md', 'Review in threes.');
    const agents = { 'primary/reviewer': { pins: { sources: ['skills/review.md'] } } };
    const spillway = await engine(4_000, {
      pins: { firstUser: false, root, sources: ['AGENTS.md'] },
      agents,
    });
    const instructions = () => Promise.resolve([{ name: 'skill deploy', text: 'Deploy on Fridays never.' }]);
    const texts: string[] = [];
    for (const options of [{ instructions }, { agentPath: 'primary/reviewer' }]) {
      const session = spillway.session(options);
      await session.append(...read([...START, ...talk(14, 200)]));
      await session.operator.compact({ target: 0.3 });
      texts.push(putBackIn(session).join('\n'));
    }
    expect(texts[0]).toContain('Never touch the billing service.');
    expect(texts[0]).toContain('Deploy on Fridays never.');
    expect(texts[1]).toContain('Review in threes.');
    expect(texts[1]).not.toContain('billing');
  });

  it.each([
    ['throws at once', (): never => fail(), /threw/],
    ['never settles', () => new Promise<never>(() => undefined), /has not settled in 1000 ms/],
    ['gives nothing of the kind', () => Promise.resolve([{ name: 'x', text: 3 }]), /no list of names/],
    ['gives a text', () => 'Answer in German.', /no list of names/],
  ])(
    'AC-14: a function of the host that %s is reported, and files are restored without it',
    async (_, own, words) => {
      const { root } = workspace('own', RULES);
      const { session, told } = await sessionIn(root, ['AGENTS.md'], 4_000, {
        pluginLimits: { preCompactMs: 1_000 },
        own,
      });
      await session.append(...read([...START, ...talk(14, 200)]));
      await session.operator.compact({ target: 0.3 });
      expect(putBackIn(session).join()).toContain(RULES);
      const warnings = told.flatMap((event) => (event.kind === 'warning' ? [event.message] : []));
      expect(warnings).toEqual([expect.stringMatching(words)]);
    },
  );

  it('AC-14: a compaction that would gain too little with the instructions commits without them', async () => {
    const { root } = workspace('grown', prose(550, 9));
    const settings = { roster: ['full'], thresholds: { fullThreshold: 0.8 }, minGain: 0.05 };
    const { session } = await sessionIn(root, ['AGENTS.md'], 4_000, settings);
    await session.append(...read([...START, ...talk(4, 60), user(prose(2_650, 4))]));
    const { run } = await session.prepare();
    expect([run.kind, putBackIn(session)]).toEqual(['committed', []]);
  });

  it('AC-14: if the function of the host fails, its earlier text is restored, and the record says so', async () => {
    const spillway = await engine(4_000, { pins: { firstUser: false } });
    let reads = 0;
    const instructions = async () => {
      if (reads++ > 0) throw new Error('no network');
      return [{ name: 'skill deploy', text: 'Deploy on Fridays never.' }];
    };
    const session = spillway.session({ instructions });
    await session.append(...read([...START, ...talk(14, 200)]));
    await session.operator.compact({ target: 0.3 });
    await later(session, 1);
    await session.operator.compact({ target: 0.3 });
    expect(putBackIn(session).join('')).toContain('Deploy on Fridays never.');
    expect(lineOf(session)).toContain('the function that reads them threw');
  });

  it('AC-14: a request with little room for the instructions still fits', async () => {
    const { root } = workspace('tight', prose(500, 1));
    const { session } = await sessionIn(root, ['AGENTS.md'], 700);
    await session.append(
      ...read([system(prose(150, 1)), user(prose(100, 3)), ...talk(6, 100), user(prose(330, 2))]),
    );
    const { reading } = await session.prepare();
    expect(reading.pressure).toBeLessThanOrEqual(1);
  });

  it('AC-14: a configuration file names instruction files relative to its own folder', async () => {
    const { root } = workspace('file', RULES);
    const chat = folder.file('chat.json', JSON.stringify({ messages: [...START, ...talk(30, 200)] }));
    const config = join(root, 'spillway.yaml');
    writeFileSync(config, 'pins: {root: ., sources: [AGENTS.md], firstUser: false}\n');
    const out = folder.file('out.json', '');
    const { code } = await cli([
      'compact',
      chat,
      '--window',
      '5000',
      '--target',
      '0.3',
      '--config',
      config,
      '--out',
      out,
    ]);
    expect(code).toBe(0);
    const { readFileSync } = await import('node:fs');
    expect(readFileSync(out, 'utf8')).toContain('Instructions of AGENTS.md, as they stand there now');
  });
});
