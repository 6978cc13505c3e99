import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { actionOf, type Action } from '../../../../src/facts/index.js';

function act(name: string, args: unknown): Action {
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return actionOf({ type: 'tool-call', callId: 'c', name, arguments: text });
}

const touched = (action: Action) => action.touches.map(({ path, how }) => `${how} ${path}`);
const shell = (command: unknown, more: object = {}) => act('bash', { command, ...more });

describe('tools by name', () => {
  it.each([
    ['Read', { file_path: '/a/x.ts' }],
    ['read_file', { path: '/a/x.ts' }],
    ['mcp__fs__readFile', { filePath: '/a/./x.ts' }],
    ['str_replace_editor', { command: 'view', path: '/a/x.ts', view_range: [1, -1] }],
    ['ViewCode', { files: [{ file_path: '/a/x.ts', span_ids: [] }] }],
    ['open_file', { uri: 'file:///a/x.ts', offset: 0 }],
    ['bash', { command: 'cat /a/x.ts' }],
    ['bash', { command: 'cd /a && cat x.ts' }],
    ['shell', { command: ['bash', '-lc', 'cat x.ts'], workdir: '/a' }],
    ['exec_command', { cmd: "echo --- ; cat 'x.ts' 2>/dev/null", cwd: '/a' }],
    ['bash', 'cat /a/x.ts'],
  ] as [string, unknown][])('%s %j asks for the whole of one file', (name, args) => {
    expect(act(name, args)).toMatchObject({ kind: 'read', target: '/a/x.ts', key: 'read:/a/x.ts:' });
    expect(act(name, args).range).toBeUndefined();
  });

  it.each([
    ['Read', { file_path: 'x.ts', offset: 10, limit: 20 }],
    ['view', { path: 'x.ts', view_range: [10, 20] }],
    ['bash', { command: "sed -n '10,20p' x.ts" }],
    ['bash', { command: 'head -n 20 x.ts' }],
    ['bash', { command: 'nl -ba x.ts | tail -5' }],
  ])('%s %j asks for a part', (name, args) => {
    expect(act(name, args)).toMatchObject({ kind: 'read', target: 'x.ts', range: expect.any(String) });
  });

  it.each([
    ['Write', { file_path: '/a/x', content: 'c' }, 'created /a/x'],
    ['Edit', { file_path: '/a/x', old_string: 'a', new_string: 'b' }, 'modified /a/x'],
    ['search_replace', { path: '/a/x', search: 'a', replace: 'b' }, 'modified /a/x'],
    ['str_replace_based_edit_tool', { command: 'create', path: '/a/x', file_text: '' }, 'created /a/x'],
    ['delete_file', { target_file: '/a/x' }, 'deleted /a/x'],
    ['move_file', { source: '/a/x', destination: '/a/y' }, 'deleted /a/x, created /a/y'],
    [
      'apply_patch',
      { input: '*** Begin Patch\n*** Update File: x\n*** Move to: y\n*** Add File: z\n' },
      'deleted x, created y, created z',
    ],
    ['apply_patch', '--- a/x\n+++ b/x\n@@\n', 'modified x'],
  ])('%s %j writes', (name, args, touches) => {
    const action = act(name, args);
    expect(action).toMatchObject({ kind: 'write', key: '' });
    expect(touched(action).join(', ')).toBe(touches);
  });

  it.each([
    ['Grep', { pattern: 'x', path: 'src' }, 'search'],
    ['get_reservation_details', { reservation_id: 'JG7FMM' }, 'search'],
    ['webfetch', { url: 'https://example.org' }, 'search'],
    ['update_plan', { plan: [] }, 'other'],
    ['TodoWrite', { todos: [] }, 'other'],
    ['book_reservation', { user_id: 'u' }, 'other'],
    // Each answer is new: never the same question.
    ['write_stdin', { session_id: 1, chars: '' }, 'other'],
    ['BashOutput', { bash_id: '1' }, 'other'],
    ['task', { command: 'cat x', prompt: 'look' }, 'other'],
  ])('%s %j is %3$s', (name, args, kind) => expect(act(name, args).kind).toBe(kind));

  it('asks the same question whatever the order of arguments and the reason given', () => {
    const one = act('grep', { pattern: 'a', path: 'b', description: 'first' });
    expect(act('grep', { description: 'again', path: 'b', pattern: 'a' }).key).toBe(one.key);
    expect(act('grep', { path: 'b', pattern: 'c' }).key).not.toBe(one.key);
  });

  it('tells long questions apart without keeping them', () => {
    const long = 'x'.repeat(5000);
    expect(shell(`python -c '${long}'`).key.length).toBeLessThan(200);
    expect(shell(`python -c '${long}'`).key).not.toBe(shell(`python -c '${long}y'`).key);
  });
});

describe('shell lines', () => {
  it.each([
    ['git status --short && git diff', 'search', ''],
    ['grep -rn foo src | head -20', 'search', ''],
    ['cat *.ts', 'search', ''],
    ['find . -name x -delete', 'run', ''],
    ['find . -type f | xargs grep -l foo', 'search', ''],
    ['npm test 2>&1 | tail -5', 'run', ''],
    ["cat > a.py <<'EOF'\nprint(1) && $(x)\nEOF", 'write', 'created a.py'],
    ['cat <<EOF > a.py && python a.py\nprint(1)\nEOF\nrm b', 'run', 'created a.py, deleted b'],
    ['echo x >> .gitignore', 'write', 'modified .gitignore'],
    ["sed -i '' 's/a/b/' x.ts y.ts", 'write', 'modified x.ts, modified y.ts'],
    ['cd /a/b; mv x ../y', 'write', 'deleted /a/b/x, created /a/y'],
    ['rm -rf build/ && sudo rm "my file"', 'write', 'deleted build, deleted my file'],
    ["apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: x\nEOF", 'write', 'deleted x'],
    ['for f in a b; do cat $f; done', 'run', ''],
    ['cat "$(ls | head -1)"', 'run', ''],
    ['FOO=1 timeout 10 cat x | grep y', 'read', 'read x'],
    ['cat a b; sed -n 1,5p c', 'read', 'read a, read b, read c'],
    ['ls > /dev/null', 'search', ''],
    ["echo 'unclosed", 'run', ''],
  ])('%j is a %s', (line, kind, touches) => {
    const action = shell(line);
    expect(action.kind).toBe(kind);
    expect(touched(action).join(', ')).toBe(touches);
  });

  it('is total: any name, any arguments, the same answer twice', () => {
    const pieces = fc.constantFrom(
      'cat ',
      'x',
      '"',
      "'",
      '\\',
      '$',
      '(',
      '<<',
      '>',
      '2',
      '&',
      '|',
      '\n',
      ' ',
      '#',
      '\ud800',
      'EOF',
    );
    const line = fc.array(pieces, { maxLength: 20 }).map((some) => some.join(''));
    fc.assert(
      fc.property(
        fc.constantFrom('bash', 'edit', 'read', 'x', ''),
        fc.oneof(line, fc.json(), fc.string()),
        (name, args) => {
          expect(act(name, args)).toEqual(act(name, args));
          expect(shell(args)).toEqual(shell(args));
        },
      ),
    );
  });
});

describe('a command that is longer than anybody writes', () => {
  it.each([
    ['folders in folders', 'cd a && '.repeat(20_000)],
    ['commands', 'cat x.ts; '.repeat(20_000)],
    ['files', `cat ${'x.ts '.repeat(200_000)}`],
    ['filters', `cat ${'x.ts '.repeat(1_500)} ${'| grep x '.repeat(20_000)}`],
  ])('is a run of which nothing is known: %s', (_, command) => {
    expect(shell(command)).toMatchObject({ kind: 'run', touches: [] });
  });

  it('is still told where a here-document makes it long', () => {
    const action = shell(`cat > x.ts <<'END'\n${'a line\n'.repeat(20_000)}END\n`);
    expect(touched(action)).toEqual(['created x.ts']);
  });
});
