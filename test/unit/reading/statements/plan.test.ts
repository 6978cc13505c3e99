import { describe, expect, it } from '@jest/globals';
import type { StatementIndex } from '../../../../src/reading/index.js';
import { isDone, isGone } from '../../../../src/reading/statements/step-states.js';
import { ledgerOf, step } from './logs.js';

const todos = (states: Readonly<Record<string, string>>, answer = 'ok', isError = false) =>
  step(
    'TodoWrite',
    { todos: Object.entries(states).map(([content, status]) => ({ content, status })) },
    answer,
    isError,
  );

const open = ({ plan }: StatementIndex): string[] =>
  plan.steps.filter(({ done, isGone: gone }) => !done && !gone).map(({ text }) => text);
const stepsOf = ({ plan }: StatementIndex): (string | undefined)[][] =>
  plan.steps.map(({ text, state, evidence }) => [text, state, evidence]);

describe('states of steps', () => {
  it.each(
    'completed|DONE|done.|DONE ✅|✅|✔ erledigt|Abgeschlossen|fertig|terminé|termine\u0301|Fait|hecho|completado|concluído|完了|已完成|완료|готово|Выполнено|पूर्ण|مكتمل|x'.split(
      '|',
    ),
  )('%s is done', (state) => {
    expect([isDone(state), isGone(state)]).toEqual([true, false]);
  });

  it.each(['cancelled', 'Canceled', 'verworfen', 'annulé', '取消', 'отменено'])('%s is gone', (state) => {
    expect([isDone(state), isGone(state)]).toEqual([false, true]);
  });

  it.each(
    'pending|in_progress|not done|undone|❌|✅❌|nicht erledigt|à faire|未完了|未完成|не готово|half done|to do|open||~'.split(
      '|',
    ),
  )('%j is neither', (state) => {
    expect([isDone(state), isGone(state)]).toEqual([false, false]);
  });
});

describe('a plan that is written again', () => {
  it.each([
    ['TodoWrite', { todos: [] }],
    ['TodoWrite', { todos: '[]' }],
    ['update_plan', { explanation: 'All gone.', plan: [] }],
    ['todo_write', { merge: false, todos: [] }],
  ])('is gone where %s writes an empty list', (tool, args) => {
    const ledger = ledgerOf(todos({ deploy: 'pending', test: 'completed' }), step(tool, args, 'ok'));
    expect(ledger.plan.steps).toEqual([]);
    expect(ledger.plan.finished.map(({ text }) => text)).toEqual(['test']);
  });

  it.each([
    ['todo_write', { merge: true, todos: [] }],
    ['TaskUpdate', { taskId: '9', addBlocks: [] }],
    ['TodoRead', {}],
  ])('stands where %s writes none: %j', (tool, args) => {
    expect(open(ledgerOf(todos({ deploy: 'pending' }), step(tool, args, 'ok')))).toEqual(['deploy']);
  });

  it.each([
    ['<tool_use_error>InputValidationError: no status</tool_use_error>', false],
    ['Error: no such list', false],
    ["The user doesn't want to proceed with this tool use. The tool use was rejected.", false],
    ['boom', true],
  ])('is what it was before a write that failed: %s', (answer, isError) => {
    const ledger = ledgerOf(
      todos({ deploy: 'pending' }),
      todos({ deploy: 'completed', more: 'pending' }, answer, isError),
    );
    expect(stepsOf(ledger)).toEqual([['deploy', 'pending', undefined]]);
    expect(ledger.plan.finished).toEqual([]);
  });

  it('keeps writes behind one that failed, and what was done before it for the next', () => {
    const [made, madeResult] = todos({ a: 'pending' }, 'Error: busy');
    const [again, againResult] = todos({ b: 'pending' });
    const ledger = ledgerOf(
      todos({ z: 'in_progress' }),
      step('Edit', { file_path: 'src/z.ts' }, 'updated'),
      [made!, again!, madeResult!, againResult!],
      todos({ z: 'completed', b: 'pending' }, 'Error: busy'),
      todos({ z: 'completed', b: 'pending' }),
    );
    expect(stepsOf(ledger).map(([text, state]) => [text, state])).toEqual([
      ['z', 'completed'],
      ['b', 'pending'],
    ]);
  });

  it('keeps the numbers of steps that were made beside one that failed', () => {
    const [first, firstResult] = step('TaskCreate', { subject: 'look' }, 'Task #1 created');
    const [second, secondResult] = step('TaskCreate', { subject: 'fix' }, 'Error: busy');
    const ledger = ledgerOf(
      [first!, second!, firstResult!, secondResult!],
      step('TaskUpdate', { taskId: '1', status: 'completed' }, 'Updated'),
    );
    expect(stepsOf(ledger).map(([text, state]) => [text, state])).toEqual([['look', 'completed']]);
  });

  it('holds a write until its result says that it failed', () => {
    const [call] = todos({ deploy: 'pending' });
    expect(open(ledgerOf([call!]))).toEqual(['deploy']);
  });
});

describe('what was done for a step', () => {
  it.each([
    ['Edit', { file_path: 'src/a.ts' }, 'Error: string not found'],
    ['Edit', { file_path: 'src/a.ts' }, 'The user rejected permission to use this specific tool call.'],
    ['bash', { command: "sed -i 's/a/b/' src/a.ts" }, 'Exit code: 1\nsed: no such file'],
    ['bash', { command: 'mv src/b.ts src/a.ts' }, "Exit code: 1\nmv: cannot stat 'src/b.ts'"],
  ])('is no %s that failed: %j', (tool, args, answer) => {
    const ledger = ledgerOf(todos({ fix: 'pending' }), step(tool, args, answer), todos({ fix: 'completed' }));
    expect(stepsOf(ledger)).toEqual([['fix', 'completed', undefined]]);
  });

  it('is an edit that did not', () => {
    const ledger = ledgerOf(
      todos({ fix: 'pending' }),
      step('Edit', { file_path: 'src/a.ts' }, 'updated'),
      todos({ fix: 'erledigt' }),
    );
    expect(stepsOf(ledger)).toEqual([['fix', 'erledigt', 'changed src/a.ts']]);
  });
});
