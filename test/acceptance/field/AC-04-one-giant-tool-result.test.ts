import { validateOpenAiChat } from '../../../src/testkit/index.js';
import { callOf, prose, resultOf, says, step, user, times, type Chat } from '../../support/chats.js';
import { jsonLines, readJson, sessionOf, shownText, spillway, temporaryFolder } from '../support.js';

const folder = temporaryFolder();
const GIANT = `The build begins.\n${prose(2_000_000, 1)}\nThe build failed: 3 errors.`;

describe('AC-04: one giant tool result, or a session of nothing but tools', () => {
  it('a fresh result far larger than the budget is cut to its head and tail, with a handle', async () => {
    const session = await sessionOf(10_000, [
      user('Build it.'),
      callOf([['b', 'Bash', { command: 'make' }]]),
      resultOf('b', GIANT),
    ]);
    const { view, reading, messages } = await session.prepare();
    expect(reading.pressure).toBeLessThanOrEqual(1);
    expect(validateOpenAiChat(messages)).toEqual([]);
    const shown = shownText(view[2]!);
    expect(shown.startsWith('The build begins.')).toBe(true);
    expect(shown.endsWith('3 errors.')).toBe(true);
    expect(shown).toMatch(/\[… about [\d,]+ of 2,000,0\d\d tokens cut; m2#0 …\]/);
    // At most 0.4 of the budget, so that there is room for an answer and the next call.
    expect(shown.length / 4).toBeLessThanOrEqual(4_000);
    expect(session.log.at(2).parts).toMatchObject([{ content: [{ text: GIANT }] }]);
  });

  it('an old giant result next to other results is shortened too', async () => {
    const chat = [
      user('Build it.'),
      ...step('Bash', { command: 'make' }, GIANT),
      ...step('Bash', { command: 'ls' }, 'a b c'),
      says('Failed.'),
      user('Why?'),
    ];
    const session = await sessionOf(10_000, chat);
    const { reading, view } = await session.prepare();
    expect(reading.pressure).toBeLessThanOrEqual(0.6);
    expect(shownText(view.find(({ message }) => message.role === 'tool')!).length).toBeLessThan(20_000);
  });

  it('a session of nothing but tools compacts', async () => {
    const chat: Chat[] = [
      user('Search until you find it.'),
      ...times(200, (i) => step('search', { i }, prose(300, i))),
    ];
    const session = await sessionOf(16_000, chat);
    const { run, reading, messages } = await session.prepare();
    expect(run.kind).toBe('committed');
    expect(reading.pressure).toBeLessThan(0.84);
    expect(validateOpenAiChat(messages)).toEqual([]);
    // Nothing refers to the calls: only output is removed, and no span is superseded.
    expect(run.record!.plan.edits.every(({ stage }) => stage === 'snip' || stage === 'micro')).toBe(true);
    expect(run.record!.plan.edits.some(({ stage }) => stage === 'snip')).toBe(true);
  });

  it('a session of nothing but tools fits even without a user message', async () => {
    const chat = times(100, (i) => step('search', { i }, `hit_number_${i} ${prose(300, i)}`));
    const session = await sessionOf(8_000, chat);
    const { reading, messages } = await session.prepare();
    expect(reading.pressure).toBeLessThanOrEqual(1);
    expect(validateOpenAiChat(messages)).toEqual([]);
  });

  it('the command line writes a giant request message by message, not as one string', async () => {
    const chat = [
      user('Build it.'),
      ...step('Bash', { command: 'make' }, GIANT),
      says('Failed.'),
      user('Why?'),
    ];
    const file = folder.file('giant.jsonl', jsonLines(chat));
    const out = `${folder.path}/sent.json`;
    const pieces: number[] = [];
    const ran = await spillway(['compact', file, '--window', '10000', '--out', out]);
    expect(ran.code).toBe(0);
    const sent = readJson(out) as unknown[];
    expect(sent).toHaveLength(4);
    const toStdout = await spillway(['compact', file, '--window', '0'], {}, (text) =>
      pieces.push(text.length),
    );
    expect(toStdout.code).toBe(0);
    // At least one write for each message.
    expect(pieces.length).toBeGreaterThanOrEqual(5);
    expect(JSON.parse(toStdout.out)).toEqual(chat);
  });
});
