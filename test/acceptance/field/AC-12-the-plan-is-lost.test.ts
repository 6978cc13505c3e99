import { openaiChat } from '../../../src/index.js';
import { engine, prose, says, shownText, step, system, user, times, type Chat } from '../support.js';

const REQUEST =
  'Move the booking service to the new queue: first the reader, then the writer, then switch the flag in deploy/flags.yaml.';
const STEPS = ['move the reader', 'move the writer', 'switch the flag', 'delete the old queue'];

const plan = (done: number): Chat[] =>
  step(
    'todowrite',
    {
      todos: STEPS.map((content, i) => ({
        content,
        status: i < done ? 'completed' : i === done ? 'in_progress' : 'pending',
      })),
    },
    'Todos updated',
  );

const reading = (from: number, count: number): Chat[] =>
  times(count, (i) => step('read', { filePath: `src/queue/file${from + i}.ts` }, prose(160, from + i)));

describe('AC-12: the plan is lost and work restarts', () => {
  it('AC-12: the request remains, and a digest repeats the plan with the step states that its tool last gave', async () => {
    const spillway = await engine(4_000, { pins: { firstUser: false } });
    const session = spillway.session();
    const chat: Chat[] = [
      system('You are a coding agent.'),
      user(REQUEST),
      ...plan(0),
      ...reading(0, 12),
      ...step('edit', { filePath: 'src/queue/reader.ts' }, 'edited'),
      ...step('bash', { command: 'npm test -- reader' }, '14 passed'),
      ...plan(1),
      ...reading(12, 14),
      ...step('edit', { filePath: 'src/queue/writer.ts' }, 'edited'),
      ...plan(2),
      ...reading(26, 50),
    ];
    for (const message of openaiChat.parse(chat).messages) {
      if (message.role === 'assistant') await session.prepare();
      session.append(message);
    }
    await session.prepare();
    expect(session.operator.history.length).toBeGreaterThanOrEqual(4);
    // The newest plan is still in view as it was written.
    expect(session.view.some(({ source, replaced }) => source?.id === 'm64' && !replaced)).toBe(true);
    expect(session.view.map(shownText).join('\n')).toContain(REQUEST);

    await session.operator.compact({ target: 0.15 });
    const sent = session.view.map(shownText).join('\n');
    expect(sent).toContain(REQUEST);
    expect(session.view.some(({ source }) => source?.id === 'm64')).toBe(false);
    expect(sent).toContain(
      `[plan, as its tool last updated it in m64] 2 open, 2 closed:
  - move the reader (completed)
  - move the writer (completed)
  - switch the flag (in_progress)
  - delete the old queue (pending)`,
    );
    // The work on the steps is still reported.
    expect(sent).toContain('edit src/queue/reader.ts');
  });

  it('AC-13: a digest repeats only the newest plan, and no finished steps of an earlier one', async () => {
    const session = (await engine(4_000)).session();
    const first = (status: string) =>
      step('update_plan', { plan: [{ step: 'write the importer', status }] }, 'Plan updated');
    const chat = [
      user('Import the old bookings.'),
      ...first('in_progress'),
      ...step('write', { path: 'src/import.ts', content: 'x' }, 'written'),
      ...first('completed'),
      ...step('update_plan', { plan: [{ step: 'import 2019', status: 'pending' }] }, 'Plan updated'),
      ...reading(0, 24),
      says('Next.'),
    ];
    session.append(...openaiChat.parse(chat).messages);
    await session.operator.compact({ target: 0.3 });
    const sent = session.view.map(shownText).join('\n');
    expect(sent).toContain('1 open, 0 closed:\n  - import 2019 (pending)');
    expect(sent).not.toContain('write the importer (');
  });

  it('AC-12: a plan that was emptied is not repeated, and neither is a plan whose write was refused', async () => {
    const session = (await engine(4_000)).session();
    const todos = (list: readonly object[], answer: string): Chat[] =>
      step('TodoWrite', { todos: list }, answer);
    const chat = [
      user('Ship the shop.'),
      ...todos([{ content: 'deploy to production', status: 'pending' }], 'Todos have been modified'),
      user('We do not deploy any more, take it off the list.'),
      ...todos([], 'Todos have been modified'),
      ...todos(
        [{ content: 'deploy again', status: 'pending' }],
        '<tool_use_error>InputValidationError: activeForm is missing</tool_use_error>',
      ),
      ...reading(0, 24),
      says('Next.'),
    ];
    session.append(...openaiChat.parse(chat).messages);
    await session.operator.compact({ target: 0.3 });
    const sent = session.view.map(shownText).join('\n');
    expect(sent).not.toContain('[plan, as its tool last updated it');
  });
});
