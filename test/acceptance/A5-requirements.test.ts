import { prose, says, step, system, user, times, type Chat } from '../support/chats.js';
import { answered, preparedAt, sessionOf, shownText } from './support.js';

const BUDGET = 5_000;

const LIST = `Acceptance criteria:
- [ ] \`GET /parcels/:id\` answers 404 for an unknown id, never 500
- [ ] the package \`parcel-codes\` stays at 4.2.x
- [x] migration \`0042_parcels.sql\` runs twice without harm`;

/** Many tool calls that read files. */
const work = (steps: number): Chat[] =>
  times(steps, (i) => step('read_file', { path: `src/parcels/part${i}.ts` }, prose(150, i)));

describe('A5: a compaction preserves', () => {
  it('A5: checklists and acceptance criteria of the user, letter for letter', async () => {
    const session = await sessionOf(BUDGET, [
      system('Be brief.'),
      user('Start with the parcels.'),
      says('Starting.'),
      user(`${prose(700, 70)}\n\n${LIST}\n\n${prose(100, 71)}`),
      ...work(30),
    ]);
    for (let i = 0; i < 5; i++) {
      await preparedAt(session, 0.99, 900 + i);
      session.append(answered(`a${i}`, 'Going on.'));
    }
    expect(session.view.some(({ source }) => source?.id === 'm3')).toBe(false);
    // Continued lines are indented, so that none of them can begin a section.
    const whole = session.view.map(shownText).join('\n');
    expect(whole).toContain(LIST.replaceAll('\n', '\n  '));
  });

  it('A5: decisions with their reason, the state of the plan and changed files, without a model', async () => {
    const todos = (last: string) => ({
      todos: [
        { content: 'read the parcel code', status: 'completed' },
        { content: 'answer 404', status: last },
      ],
    });
    const session = await sessionOf(BUDGET, [
      system('Be brief.'),
      user('Mend the parcels.'),
      says('I chose `parcel-codes` instead of `barcodes` because it validates check digits.'),
      ...step('TodoWrite', todos('in_progress'), 'ok'),
      ...step('write_file', { path: 'src/parcels/answer.ts', content: 'x' }, 'written'),
      ...step('TodoWrite', todos('pending'), 'ok'),
      ...work(40),
      says('So far.'),
    ]);
    await session.operator.compact({ target: 0.3 });
    const sent = session.view.map(shownText).join('\n');
    expect(sent).toContain('I chose `parcel-codes` instead of `barcodes` because it validates check digits.');
    expect(sent).toContain('  - read the parcel code (completed)\n  - answer 404 (pending)\n');
    expect(sent).toMatch(/^\[files changed by edit tools\] src\/parcels\/answer\.ts$/m);
  });
});
