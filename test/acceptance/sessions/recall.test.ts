import { generateKeyPairSync } from 'node:crypto';
import { recalledText, recallTool, type Message, type Recalled, type Session } from '../../../src/index.js';
import { callOf, prose, resultOf, says, step, system, user, times, type Chat } from '../../support/chats.js';
import { engine, read, sessionOf, shownText, talk } from '../support.js';
import { KINDS, place } from './stores.js';

const START = [system('Be brief.'), user('Build a mill at Oakford.'), says('Gladly.')];
const LIST = times(400, (i) => `entry ${i}: the sluice of mill number ${i} is open`).join('\n');

/** `work` comes after START (its first message is m3), and enough talk follows that a compaction removes it. */
async function compacted(work: readonly Chat[], settings = {}): Promise<Session> {
  const session = await sessionOf(12_000, [...START, ...work, ...talk(48, 110), user('And now?')], settings);
  await session.prepare();
  return session;
}

const asked = (request: unknown): never => request as never;
const textsOf = (found: readonly Recalled[]): string[] => found.map(({ text }) => text);
const tokensOf = (text: string): number => Math.ceil(text.length / 4);

describe('N11: recall with arguments that models write', () => {
  it('gives no more passages than it was asked for', async () => {
    const session = await compacted(
      times(6, (i) => says(`The sluice of mill ${i} is open. ${prose(60, i)}`)),
    );
    const query = 'sluice of the mill';
    expect((await session.recall({ query })).length).toBeGreaterThan(3);
    expect(await session.recall({ query, limit: 2 })).toHaveLength(2);
  });

  it.each([
    ['a message', 'm4'],
    ['a part', 'm4#0'],
    ['a number', 4],
    ['its digits', '4'],
    ['the mark in brackets', '[recall m4]'],
    ['the words of the mark', 'recall m4'],
    ['a stub', '[look result, 412 tokens, compacted; recall m4#0]'],
    ['a cut', '[… about 390 of 412 tokens cut; recall m4#0 …]'],
    ['quotation marks', '"m4"'],
    ['a range', 'm3..m5'],
    ['a range the wrong way round', 'm5..m3'],
    ['a list', 'm4, m5'],
    ['a list without blanks', 'm4,m5'],
    ['a list of a mark that was shortened', '[recall m4, m5 …]'],
    ['a list as JSON', ['m4', 'm5']],
    ['the head of a summary', 'Earlier in this session (compacted m3..m5; recall by handle):'],
    ['the head of a digest', '[Digest of earlier messages in order; recall m3..m5]'],
    [
      'the head of a digest of an older release',
      '[Digest of earlier messages m3..m5, in order; “[…]” where words are left out; recall m3..m5]',
    ],
    ['a line of calls of a digest', '[2 calls m3..m5] look gate → “recall m1 first”'],
    ['a line of one call', '[call m4] look gate'],
    ['a line of a speaker', 'Assistant [m4]: as I said, recall m1'],
    ['a line of removed calls', '[Removed: look gate; recall m3..m4]'],
    [
      'a line of digested calls',
      '[2 earlier tool exchanges; recall m3..m5. Tool output in quotation marks.]',
    ],
  ])('accepts as a handle %s', async (_, handle) => {
    const session = await compacted(step('look', { at: 'gate' }, 'The key is K-4711.'));
    expect(recalledText(await session.recall(asked({ handle, query: null, limit: null })))).toContain(
      'K-4711',
    );
  });

  it('accepts optional fields that models fill in', async () => {
    const session = await compacted(step('look', { at: 'gate' }, 'The key is K-4711.'));
    for (const request of [
      { handle: null, query: 'K-4711' },
      { handle: '', query: 'K-4711', limit: '3' },
      { query: ['K-4711', 'key'], maxTokens: 1e9, limit: 1e9 },
    ]) {
      expect(recalledText(await session.recall(asked(request)))).toContain('K-4711');
    }
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['a text', 'm4'],
    ['no field', {}],
    ['empty fields', { handle: '', query: null }],
    ['an unknown field', { handel: 'm4' }],
    ['a handle that is an object', { handle: { id: 'm4' } }],
    ['a query that is a number', { query: 7 }],
    ['a limit of none', { query: 'key', limit: 0 }],
    ['a limit below none', { query: 'key', limit: -3 }],
    ['a limit that is no number', { query: 'key', limit: 'many' }],
    ['too little room for a word', { handle: 'm3', maxTokens: 99 }],
    ['no number', { handle: 'm3', maxTokens: Number.NaN }],
  ])('refuses wrong arguments with RECALL_INVALID: %s', async (_, request) => {
    const session = await compacted([]);
    await expect(session.recall(asked(request))).rejects.toMatchObject({ code: 'RECALL_INVALID' });
  });

  it('names the message of a list that is not known', async () => {
    const session = await compacted([]);
    const failed = session.recall({ handle: 'm3, m999' });
    await expect(failed).rejects.toMatchObject({ code: 'MESSAGE_UNKNOWN' });
    await expect(failed).rejects.toThrow(/"m999" is not known/);
    const long = ['x', ']x', '.', ', ', 'a@1', 'a#1', 'recall a,', 'recall '].map((one) =>
      one.repeat(100_000),
    );
    for (const handle of ['m3#9', 'm3@', 'm3..m999', '@5', '#', '..', `${']'.repeat(100_000)}x`, ...long]) {
      await expect(session.recall({ handle })).rejects.toMatchObject({ code: 'MESSAGE_UNKNOWN' });
    }
  });

  it('refuses a message that was rolled back, or that is of another session', async () => {
    const session = await compacted([]);
    await session.append(...(read([user('Gone soon.')]).map((one) => ({ ...one, id: 'gone' })) as Message[]));
    await session.operator.rollback('m3');
    const gone = session.recall({ handle: 'gone' });
    await expect(gone).rejects.toMatchObject({ code: 'MESSAGE_UNKNOWN' });
    await expect(gone).rejects.toThrow(/was rolled back/);
    const spillway = await engine(12_000);
    const other = spillway.session();
    await other.append(...read([user('Mine.')]).map((one) => ({ ...one, id: 'other' })));
    await expect(session.recall({ handle: 'other' })).rejects.toMatchObject({ code: 'MESSAGE_UNKNOWN' });
  });

  it('accepts ids that hold the characters of handles', async () => {
    const session = (await engine(12_000)).session();
    const ids = ['a..b', 'a', 'b', 'x#0', 'y@5', 'one, two', 'recall z', '[q]'];
    const messages = read(ids.map((id) => user(`I am ${id}!`)));
    await session.append(...messages.map((one, i) => ({ ...one, id: ids[i]! })));
    for (const id of ids) {
      expect(textsOf(await session.recall({ handle: id }))).toEqual([`I am ${id}!`]);
    }
  });
});

it.each([3_000, 6_000, 12_000])(
  'N11: every mark in a request can be used as a handle as it is, at a budget of %i',
  async (budget) => {
    const work = times(30, (i) => [
      ...step('read', { path: `src/file${i}.ts` }, `file ${i}\n${prose(200, i)}`),
      ...step('write', { path: `src/file${i}.ts`, content: prose(150, 60 + i) }, 'ok'),
      user(`Now file ${i}. ${prose(40, 500 + i)}`),
      says(`Done with ${i}. ${prose(40, 700 + i)}`),
    ]);
    const session = await sessionOf(budget, [...START, ...work, user('And now?')]);
    await session.prepare();
    const shown = session.view.map(shownText).join('\n');
    const marks =
      shown.match(
        /^\[[^\n]*?recall [^\]\n]+\]|^\[(?:call|\d+ calls) [^\]\n]+\].*|^[A-Z]\w+(?: \w+)? \[m\d+\]:.*/gm,
      ) ?? [];
    expect(marks.length).toBeGreaterThan(1);
    for (const mark of marks) {
      expect((await session.recall({ handle: mark })).length).toBeGreaterThan(0);
    }
  },
);

describe('N11: recall of long messages', () => {
  const twoTexts = { role: 'user', content: ['Read this:', LIST].map((text) => ({ type: 'text', text })) };
  it.each<[string, readonly Chat[], string]>([
    ['a message', step('list', { of: 'mills' }, LIST), 'm4@1'],
    ['a part that stands behind another', [twoTexts, says('Done.')], 'm3#1@1'],
  ])('gives all of one in pages, each within its room: %s', async (_, work, from) => {
    const session = await compacted(work);
    let handle: string | null = from;
    let all = LIST.slice(0, 1);
    for (let pages = 0; handle !== null; pages++) {
      expect(pages).toBeLessThan(60);
      const found: readonly Recalled[] = await session.recall({ handle, maxTokens: 400 });
      expect(tokensOf(recalledText(found))).toBeLessThanOrEqual(400);
      const lines = found[0]!.text.split('\n').filter((line) => !line.startsWith('[…'));
      all += `${lines.join('\n')}\n`;
      handle = found[0]!.next ?? null;
    }
    expect(all.trim()).toBe(LIST);
  });

  it('gives the short ones of a range complete, and shares the rest of the room among the long ones', async () => {
    const work = [says('The gate is shut.'), ...step('list', { of: 'mills' }, LIST), says('Rain is near.')];
    const session = await compacted(work);
    const found = await session.recall({ handle: 'm3..m6', maxTokens: 500 });
    const texts = textsOf(found);
    expect(texts[0]).toBe('The gate is shut.');
    expect(texts[3]).toBe('Rain is near.');
    expect(texts[2]).toMatch(
      /^entry 0: .*\[… [\d,]+ characters; recall m5@\d+ …\].*mill number 399 is open$/s,
    );
    expect(tokensOf(texts[2]!)).toBeGreaterThan(300);
    expect(tokensOf(recalledText(found))).toBeLessThanOrEqual(500);
  });

  it('names those that have no room', async () => {
    const session = await compacted([]);
    const found = await session.recall({ handle: 'm3..m90', maxTokens: 400 });
    const { next } = found.at(-1)!;
    expect(next).toMatch(/m\d+\.\.m90$/);
    expect(found.at(-1)!.text).toContain(`recall ${next!.split(', ').at(-1)}`);
    const seen = [...found, ...(await session.recall({ handle: next!, maxTokens: 50_000 }))];
    expect(new Set(seen.map(({ place: at }) => at)).size).toBe(88);
  });
});

describe('N11: recall by a query', () => {
  it('finds the passage around a match, with its place, the best first', async () => {
    const far = `${LIST}\nerror: cannot open 'config/sluice.json' (ENOENT)\n${LIST}`;
    const session = await compacted(step('list', { of: 'mills' }, far));
    const found = await session.recall({ query: "cannot open 'config/sluice.json'" });
    expect(found[0]).toMatchObject({
      role: 'tool',
      about: expect.stringMatching(/^result of list/),
      place: 4,
    });
    expect(found[0]!.handle).toMatch(/^m4@\d+$/);
    expect(found[0]!.text).toContain('(ENOENT)');
    expect(found[0]!.text.length).toBeLessThan(1_500);
    const [again] = await session.recall({ handle: found[0]!.handle, maxTokens: 300 });
    expect(again!.text.startsWith(found[0]!.text.slice(0, 200))).toBe(true);
    expect(recalledText(found)).toContain(`[${found[0]!.handle}] tool, result of list`);
  });

  it('finds names and paths letter by letter, and by their pieces', async () => {
    const session = await compacted([
      ...step(
        'grep',
        { pattern: 'a' },
        `src/mill/loadWheelPlan.ts:12: export function loadWheelPlan()\n${prose(300, 1)}`,
      ),
      ...step('grep', { pattern: 'b' }, `a plan to load a wheel\n${prose(300, 2)}`),
    ]);
    for (const query of ['loadWheelPlan', 'src/mill/loadWheelPlan.ts']) {
      expect((await session.recall({ query }))[0]).toMatchObject({ place: 4 });
    }
    const places = (await session.recall({ query: 'wheel plan' })).map((one) => one.place);
    expect(new Set(places)).toEqual(new Set([4, 6]));
  });

  it('ranks what was said before what a program printed, if both say the same', async () => {
    const line = 'The dam at Oakford needs seven new planks before winter.';
    const session = await compacted([...step('notes', {}, `${line} `), says(line)]);
    expect((await session.recall({ query: 'dam Oakford planks' }))[0]).toMatchObject({ role: 'assistant' });
  });

  it('gives copies of one text once', async () => {
    const page = `The toll of the bridge is 42 pence.\n${prose(100, 5)}`;
    const session = await compacted([1, 2, 3].flatMap((n) => step('read', { n }, page)));
    const found = await session.recall({ query: 'toll of the bridge' });
    expect(found.filter(({ text }) => text.includes('42 pence'))).toHaveLength(1);
  });

  it('gives equal runs of one check once, although their times and headings differ', async () => {
    const run = (n: number): string =>
      `Chunk ID: 8cf${n}a\nWall time: 0.${n} seconds\nOutput:\nbolt of the weir is loose\n--- FAIL: TestWeir (0.0${n}s)\nFAIL mill/weir 0.5${n}2s\n${prose(100, 5)}`;
    const session = await compacted([1, 2, 3].flatMap((n) => step('check', { n }, run(n))));
    const found = await session.recall({ query: 'why does TestWeir fail?' });
    expect(found.filter(({ text }) => text.includes('bolt of the weir'))).toHaveLength(1);
  });

  it('finds nothing that is in view, which its handle still gives', async () => {
    const session = await compacted([says('The vane points north.')]);
    await session.append(
      ...read([says('The vane points north, still: vane 77.')]).map((m) => ({ ...m, id: 'new' })),
    );
    const found = await session.recall({ query: 'vane points north' });
    expect(found.map(({ handle }) => handle)).toEqual(['m3']);
    expect(textsOf(await session.recall({ handle: 'new' }))).toEqual([
      'The vane points north, still: vane 77.',
    ]);
  });

  it('searches all of a session that is over the budget and was never sent', async () => {
    const session = await sessionOf(2_000, [...START, says('The vane points north.'), ...talk(20, 110)]);
    expect((await session.recall({ query: 'vane points north' }))[0]).toMatchObject({ handle: 'm3' });
  });

  it('searches within what a handle names if both are given', async () => {
    const session = await compacted([
      ...step('list', { of: 'mills' }, LIST),
      ...step('list', { of: 'weirs' }, LIST.replaceAll('mill', 'weir')),
    ]);
    const found = await session.recall({ handle: 'm4', query: 'number 222', maxTokens: 300 });
    expect(found.every(({ place: at }) => at === 4)).toBe(true);
    expect(found[0]!.text).toContain('mill number 222 ');
    const [whole] = await session.recall({ handle: 'm4' });
    const [told] = await session.recall({ handle: 'm4', query: 'zeppelin' });
    expect(told!.text).toMatch(/^\[No passage holds the words; from the beginning:\]\n/);
    expect(told!.text).toContain(whole!.text.slice(0, 200));
  });

  it.each(KINDS)('finds the same in a session that was opened again: %s', async (kind) => {
    const { store, again } = await place(kind);
    const kept = await (await engine(12_000, {}, { store })).open({ id: 's' });
    await kept.append(
      ...read([...START, ...step('look', {}, `${LIST}\nkey K-4711`), ...talk(48, 110), user('Now?')]),
    );
    await kept.prepare();
    const opened = await (await engine(12_000, {}, { store: await again() })).open({ id: 's' });
    const query = 'where is the key K-4711';
    expect(await opened.recall({ query })).toEqual(await kept.recall({ query }));
    expect((await opened.recall({ query }))[0]!.text).toContain('K-4711');
  });
});

describe('N11: recall and itself', () => {
  const answered = async (session: Session, query: string, ids: string): Promise<void> => {
    const answer = recalledText(await session.recall({ query }));
    const chat = [callOf([[ids, recallTool.name, { query }]]), resultOf(ids, answer)];
    await session.append(...read(chat).map((one, i) => ({ ...one, id: `${ids}${i}` })));
  };

  it('never gives its own questions and answers', async () => {
    const session = await compacted(step('look', { at: 'gate' }, `The key is K-4711.\n${prose(100, 3)}`));
    await answered(session, 'where is the key K-4711', 'ra');
    await answered(session, 'the key K-4711', 'rb');
    await session.append(
      ...read([...talk(60, 110, 300), user('So?')]).map((one, i) => ({ ...one, id: `t${i}` })),
    );
    await session.prepare();
    const found = await session.recall({ query: 'where is the key K-4711' });
    expect(found[0]).toMatchObject({ handle: 'm4' });
    expect(found.filter(({ handle }) => handle.startsWith('r'))).toEqual([]);
    const [own] = await session.recall({ handle: 'ra1' });
    expect(own!.text).not.toContain('K-4711');
    expect(own!.text).toContain('m4');
  });

  it('gives what another tool printed, even if it begins like its own answers', async () => {
    const fake = 'Read back from this session (history, no instructions):\n\n[m1] user:\nThe key is K-4712.';
    const session = await compacted(step('cat', { file: 'notes' }, fake));
    expect(recalledText(await session.recall({ query: 'K-4712' }))).toContain('K-4712');
  });

  it('says so if an answer was given before', async () => {
    const session = await compacted(step('look', { at: 'gate' }, 'The key is K-4711.'));
    const first = recalledText(await session.recall({ query: 'K-4711' }));
    const second = recalledText(await session.recall({ query: 'K-4711' }));
    expect(first).not.toContain('given before');
    expect(second).toMatch(/all given before.*\[m4\] .*given before/s);
    expect(second).toContain('K-4711');
  });

  it('bounds each answer of a loop', async () => {
    const session = await compacted(step('list', { of: 'mills' }, LIST));
    for (const maxTokens of [100, 101, 130, 333, 2_000]) {
      for (const request of [{ query: 'sluice mill open' }, { handle: 'm4' }, { handle: 'm0..m90' }]) {
        const text = recalledText(await session.recall({ ...request, maxTokens }));
        expect(tokensOf(text)).toBeLessThanOrEqual(maxTokens);
      }
    }
  });
});

describe('N11: recall gives no secret away', () => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const lines = privateKey.trim().split('\n').slice(1, -1);

  it('if a message is searched piece by piece, or read page by page', async () => {
    const session = await compacted(
      step('bash', { command: 'cat id_rsa' }, `${prose(400, 8)}\n${privateKey}\n${prose(400, 9)}`),
    );
    const said: string[] = [];
    for (let i = 0; i < lines.length; i += 3) {
      for (const query of [lines[i]!, lines[i]!.slice(10, 30), lines[i]!.slice(0, 2)]) {
        said.push(recalledText(await session.recall({ handle: 'm4', query })));
        said.push(recalledText(await session.recall({ query })));
      }
    }
    for (let at = 0; at < 5_000; at += 50) {
      said.push(recalledText(await session.recall({ handle: `m4@${at}`, maxTokens: 100 })));
    }
    expect(lines.filter((line) => said.some((text) => text.includes(line.slice(8, 40))))).toEqual([]);
  });

  it('that was recognised elsewhere in the session and has no name next to it', async () => {
    const session = await compacted([
      ...step('cat', { file: '.env' }, 'DB_PASSWORD=tulip7garden9'),
      ...step('bash', { command: 'psql' }, 'connecting to mill with tulip7garden9 as miller'),
    ]);
    for (const request of [
      { handle: 'm6' },
      { query: 'connecting mill miller' },
      { query: 'tulip7garden9' },
    ]) {
      expect(recalledText(await session.recall(request))).not.toContain('tulip7garden9');
    }
  });

  it('that follows a line break in the arguments of a call, or is in its command', async () => {
    const token = `ghp_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`;
    const session = await compacted([
      ...step('write', { path: 'a.txt', content: `first line\n${token}\nlast line` }, 'ok'),
      ...step(
        'bash',
        { command: `curl -H "Authorization: token ${token}" https://mill.test` },
        'the mill answers',
      ),
    ]);
    for (const request of [
      { handle: 'm3' },
      { handle: 'm6' },
      { query: 'first line last line' },
      { query: 'mill answers' },
    ]) {
      expect(recalledText(await session.recall(request))).not.toContain(token.slice(0, 20));
    }
  });
});
