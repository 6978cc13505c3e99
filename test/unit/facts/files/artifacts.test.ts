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

/** What became of each file that calls changed, by what they ran and what came of it. */
function statesAfter(
  ...runs: readonly (readonly [command: string, output: string])[]
): Record<string, string> {
  const steps = runs.map(([command, output]) => step('bash', { command }, output));
  const { artifacts } = indexOf(logOf(...steps));
  const changed = [...artifacts.all()].filter(({ state }) => state !== 'read');
  return Object.fromEntries(changed.map(({ path, state }) => [path, state]));
}

describe('a command that failed', () => {
  it.each<[string, string, Record<string, string>]>([
    ['rm src/a.ts', 'Permission to use Bash with command rm src/a.ts has been denied.', {}],
    ['npm test && rm src/a.ts', 'Exit code 1\n1 failed', {}],
    ['sed -i s/a/b/ src/a.ts && npm test', 'Exit code 1\n1 failed', { 'src/a.ts': 'modified' }],
    ['mv src/x.ts src/y.ts', "mv: cannot stat 'src/x.ts': No such file or directory", {}],
    [
      'rm src/a.ts src/b.ts',
      "rm: cannot remove 'src/a.ts': No such file or directory",
      { 'src/b.ts': 'deleted' },
    ],
    ['echo x > /etc/hosts', 'bash: /etc/hosts: Permission denied', {}],
    ['cd /nowhere && sed -i s/a/b/ x.ts', 'bash: cd: /nowhere: No such file or directory', {}],
    ['bash -lc "npm test && rm src/a.ts"', 'Process exited with code 1', {}],
    // What another program says of a file is no refusal of this one's.
    [
      'rm src/a.ts && ls src/a.ts',
      "ls: cannot access 'src/a.ts': No such file or directory",
      { 'src/a.ts': 'deleted' },
    ],
    [
      'sed -i s/a/b/ src/c.json; node x.js',
      "ENOENT: no such file or directory, open '/tmp/c.json'",
      { 'src/c.json': 'modified' },
    ],
    [
      'rm old/i.ts; sed -i s/a/b/ src/i.ts',
      "rm: cannot remove 'old/i.ts': No such file or directory",
      { 'src/i.ts': 'modified' },
    ],
  ])('%j, %j', (command, output, states) => expect(statesAfter([command, output])).toEqual(states));
});

describe('a command that writes files anew', () => {
  const patch = '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+b\n';
  it.each<[string, string[]]>([
    ["perl -pi -e 's/a/b/' src/a.ts", ['src/a.ts']],
    ["perl -e 'print 1' src/a.ts", []],
    ["gsed -i 's/a/b/' src/a.ts", ['src/a.ts']],
    ['npx prettier --write src/a.ts src', ['src/a.ts']],
    ['npx prettier --check src/a.ts', []],
    ['gofmt -w main.go', ['main.go']],
    ['black --check a.py', []],
    ['ruff format a.py', ['a.py']],
    [`patch -p1 <<'EOF'\n${patch}EOF`, ['src/a.ts']],
    [`git apply <<'EOF'\n${patch}EOF`, ['src/a.ts']],
  ])('%j', (command, paths) => expect(Object.keys(statesAfter([command, '']))).toEqual(paths));
});

describe('work that is undone', () => {
  const edit = ['sed -i s/a/b/ src/a.ts', ''] as const;
  it.each<[string, readonly (readonly [string, string])[], Record<string, string>]>([
    ['checkout', [edit, ['git checkout -- src/a.ts', '']], {}],
    ['checkout of a folder', [edit, ['git checkout -- src', '']], {}],
    ['restore', [edit, ['git restore src/a.ts', '']], {}],
    [
      'restore of what is staged alone',
      [edit, ['git restore --staged src/a.ts', '']],
      { 'src/a.ts': 'modified' },
    ],
    ['a branch that is checked out', [edit, ['git checkout main', '']], { 'src/a.ts': 'modified' }],
    ['reset', [edit, ['rm src/b.ts', ''], ['git reset --hard', 'HEAD is now at 1234567']], {}],
    ['stash', [edit, ['git stash', 'Saved working directory']], {}],
    [
      'stash and pop',
      [edit, ['git stash', 'Saved'], ['git stash pop', 'Dropped']],
      { 'src/a.ts': 'modified' },
    ],
    [
      'reset, of what no commit has',
      [
        ['cp a.ts new.ts', ''],
        ['git reset --hard', ''],
      ],
      { 'new.ts': 'created' },
    ],
    [
      'checkout, of what a commit has',
      [edit, ['git commit -am one', '[main 1234567] one'], edit, ['git checkout -- src/a.ts', '']],
      { 'src/a.ts': 'modified' },
    ],
    [
      'clean',
      [
        ['cp a.ts src/new.ts', ''],
        ['git clean -fd', 'Removing src/new.ts'],
      ],
      { 'src/new.ts': 'deleted' },
    ],
    [
      'a folder that is deleted',
      [
        ['cp a.ts old/new.ts', ''],
        ['rm -rf old', ''],
      ],
      { 'old/new.ts': 'deleted' },
    ],
    [
      'a folder that is moved',
      [
        ['cp a.ts old/new.ts', ''],
        ['mv old lib', ''],
      ],
      { 'old/new.ts': 'deleted', 'lib/new.ts': 'created' },
    ],
    [
      'a part of it that is put away',
      [edit, ['sed -i s/a/b/ src/b.ts', ''], ['git stash push src/a.ts', '']],
      { 'src/b.ts': 'modified' },
    ],
    [
      'another commit’s, that is taken',
      [edit, ['git checkout main -- src/a.ts', '']],
      { 'src/a.ts': 'modified' },
    ],
    ['a copy to a name without an ending', [['cp .env.example .env', '']], { '.env': 'created' }],
    [
      'a move to a name with a capital',
      [['mv Dockerfile.dev Dockerfile', '']],
      { 'Dockerfile.dev': 'deleted', Dockerfile: 'created' },
    ],
    [
      'a file that is moved into a folder',
      [['mv src/a.ts lib', '']],
      { 'src/a.ts': 'deleted', 'lib/a.ts': 'created' },
    ],
    [
      'a file that is put back from a copy',
      [
        ['cp a.ts a.ts.orig', ''],
        ['cp a.ts.orig a.ts', ''],
      ],
      { 'a.ts.orig': 'created', 'a.ts': 'modified' },
    ],
  ])('%s', (_, runs, states) => expect(statesAfter(...runs)).toEqual(states));

  it('by an editor', () => {
    const index = indexOf(
      logOf(
        step(
          'str_replace_editor',
          { command: 'str_replace', path: 'a.ts', old_str: 'x', new_str: 'y' },
          'edited',
        ),
        step('str_replace_editor', { command: 'undo_edit', path: 'a.ts' }, 'Last edit undone'),
      ),
    );
    expect(index.artifacts.get('a.ts')).toMatchObject({ state: 'read' });
  });
});

describe('a file that a commit does not name', () => {
  const stat = (made: string) => `[main 1234567] one\n 2 files changed, 9 insertions(+)\n${made}`;
  const uncommitted = (output: string) =>
    indexOf(
      logOf(
        step('bash', { command: 'cp x src/a.ts && cp x src/draft.ts' }, ''),
        step('bash', { command: 'git add src/a.ts && git commit -m one' }, output),
      ),
    ).artifacts.get('src/draft.ts')?.uncommitted;
  it('is in none', () => expect(uncommitted(stat(' create mode 100644 src/a.ts'))).toBe(true));
  it('is, where it names it', () =>
    expect(
      uncommitted(stat(' create mode 100644 src/a.ts\n create mode 100644 src/draft.ts')),
    ).toBeUndefined());
  it('may be, where it names none', () => expect(uncommitted('[main 1234567] one')).toBeUndefined());
});
