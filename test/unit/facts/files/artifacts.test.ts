import { describe, expect, it } from '@jest/globals';
import { ReferenceIndex } from '../../../../src/facts/index.js';
import { LogReader, type Log } from '../../../../src/transcript/index.js';
import { call, logOf, message, step } from '../logs.js';

function indexOf(log: Log): ReferenceIndex {
  const index = new ReferenceIndex(log);
  new LogReader(log, index).catchUp();
  return index;
}

describe('files of a session', () => {
  it('are replayed from what was done to them', () => {
    const index = indexOf(
      logOf(
        step('read', { path: 'a.ts' }, 'x'),
        step('write', { path: 'b.ts', content: 'x' }, 'ok'),
        step('edit', { path: 'b.ts' }, 'ok'),
        step('write', { path: 'a.ts', content: 'y' }, 'ok'),
        step('bash', { command: 'mv b.ts c.ts && rm d.ts' }, ''),
      ),
    );
    expect([...index.artifacts.all()]).toEqual([
      { path: 'a.ts', state: 'modified', first: 0, last: 6, changed: 6, reads: 1, writes: 1 },
      { path: 'b.ts', state: 'deleted', first: 2, last: 8, changed: 8, reads: 0, writes: 3, passing: true },
      { path: 'c.ts', state: 'created', first: 8, last: 8, changed: 8, reads: 0, writes: 1 },
      { path: 'd.ts', state: 'deleted', first: 8, last: 8, changed: 8, reads: 0, writes: 1 },
    ]);
  });

  it('are not changed by a call whose result says that it did nothing', () => {
    const index = indexOf(
      logOf(
        step(
          'edit',
          { path: 'a.ts' },
          '{"error": "[Operation Cancelled] Reason: User cancelled the operation."}',
        ),
        step('edit', { path: 'b.ts' }, 'String to replace not found in file.'),
        step('edit', { path: 'b.ts' }, 'The file b.ts has been updated.'),
      ),
    );
    expect([...index.artifacts.all()].map(({ path, changed }) => [path, changed])).toEqual([['b.ts', 4]]);
  });

  it('are gone where a commit says that it took them away', () => {
    const commit =
      '[main 1234567] Move it\n 2 files changed\n delete mode 100644 docs/plan.md\n create mode 100644 docs/b.md\n';
    const states = (output: string, command = 'git add -A && git commit -m "Move it"') =>
      [
        ...indexOf(
          logOf(
            step('write', { path: '/repo/docs/plan.md', content: 'x' }, 'ok'),
            step('write', { path: '/repo/docs/other-plan.md', content: 'x' }, 'ok'),
            step('bash', { command }, output),
          ),
        ).artifacts.all(),
      ].map(({ state }) => state);
    expect(states(commit)).toEqual(['deleted', 'created']);
    expect(states('[main 1234567] Move it\n 1 file changed')).toEqual(['created', 'created']);
    expect(states(commit.replace(/^.*\n/, ''), 'git log -1 --summary')).toEqual(['created', 'created']);
    expect(states(commit, 'cat notes')).toEqual(['created', 'created', 'read']);
  });

  it('do not count calls that failed or have no answer', () => {
    const index = indexOf(
      logOf(
        step('edit', { path: 'a.ts' }, 'no match', true),
        message('assistant', [call('open', 'edit', { path: 'a.ts' })]),
      ),
    );
    expect(index.artifacts.size).toBe(0);
    expect(index.artifacts.get('a.ts')).toBeUndefined();
  });
});
