import { describe, expect, it } from '@jest/globals';
import { ledgerOf, says, step } from './logs.js';

describe('commits', () => {
  const commit = (line: string, command = 'git commit -am x') =>
    step('bash', { command }, `${line}\n 1 file changed`);

  it('are those that git told of, the newest last', () => {
    const { commits } = ledgerOf(
      commit('[main 1234567] One'),
      commit('[main 89abcde] Two'),
      says('[main fffffff] Three'),
    );
    expect(commits.newest).toEqual({ line: '[main 89abcde] Two', seq: 3, id: 'm3' });
    expect(commits.madeNone).toBe(false);
  });

  it('are none where a call makes a repository to try something in', () => {
    const { commits } = ledgerOf(
      commit('[main 1234567] One'),
      commit(
        '[main (root-commit) 89abcde] init',
        'cd $(mktemp -d) && git init && git commit --allow-empty -m init',
      ),
    );
    expect(commits.newest?.line).toBe('[main 1234567] One');
  });

  it('are known to be none only where git was used and no call speaks of one', () => {
    expect(ledgerOf(step('bash', { command: 'git status --short' }, ' M a.ts')).commits.madeNone).toBe(true);
    expect(ledgerOf(step('bash', { command: 'ls' }, 'a.ts')).commits.madeNone).toBe(false);
    expect(ledgerOf(commit('nothing to commit, working tree clean')).commits).toMatchObject({
      madeNone: false,
    });
  });

  it.each([
    ['a message from a file of the machine', 'git commit -a -F /tmp/msg.txt', '[main 89abcde] Two'],
    ['revert', 'git revert --no-edit HEAD', '[main 89abcde] Revert "One"'],
    ['cherry-pick', 'git cherry-pick abc1234', '[main 89abcde] Picked'],
    ['no branch', 'git commit -m x', '[detached HEAD 89abcde] x'],
    ['a branch with a mark', 'git commit -m x', '[fix/#12-gate 89abcde] x'],
  ])('are told of: %s', (_, command, line) =>
    expect(ledgerOf(commit('[main 1234567] One'), commit(line, command)).commits.newest?.line).toBe(line),
  );

  it('that are taken back are none', () => {
    const after = (command: string, output = '') =>
      ledgerOf(commit('[main 1234567] One'), commit('[main 89abcde] Two'), step('bash', { command }, output))
        .commits.newest?.line;
    expect(after('git reset --soft HEAD~1')).toBe('[main 1234567] One');
    expect(after('git reset HEAD^^')).toBeUndefined();
    expect(after('git reset --soft HEAD~1', 'Exit code 128\nfatal: ambiguous argument')).toBe(
      '[main 89abcde] Two',
    );
    expect(after('git reset --hard')).toBe('[main 89abcde] Two');
  });

  it('are not made by a call that only prints one', () =>
    expect(
      ledgerOf(commit('[main 1234567] One', 'git log -1; echo "no commit yet"')).commits.newest,
    ).toBeUndefined());
});
