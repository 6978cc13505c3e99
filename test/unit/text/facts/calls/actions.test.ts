import fc from 'fast-check';
import { actionOf, type Action } from '../../../../../src/text/facts/index.js';

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
  ] as [string, unknown][])('%s %j asks for the whole of one file', (name, args) => {
    expect(act(name, args)).toMatchObject({ kind: 'read', target: '/a/x.ts', key: 'read:/a/x.ts:' });
    expect(act(name, args).touches[0]!.range).toBeUndefined();
  });

  it.each([
    ['Read', { file_path: 'x.ts', offset: 10, limit: 20 }],
    ['view', { path: 'x.ts', view_range: [10, 20] }],
  ])('%s %j asks for a part', (name, args) => {
    expect(act(name, args)).toMatchObject({
      kind: 'read',
      target: 'x.ts',
      touches: [{ range: expect.any(String) }],
    });
  });

  it.each([
    ['Write', { file_path: '/a/x', content: 'c' }, 'created /a/x'],
    ['Edit', { file_path: '/a/x', old_string: 'a', new_string: 'b' }, 'modified /a/x'],
    ['search_replace', { path: '/a/x', search: 'a', replace: 'b' }, 'modified /a/x'],
    ['str_replace_based_edit_tool', { command: 'create', path: '/a/x', file_text: '' }, 'created /a/x'],
    ['delete_file', { target_file: '/a/x' }, 'deleted /a/x'],
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

  it('distinguishes long questions without storing them', () => {
    const long = 'x'.repeat(5000);
    expect(shell(`python -c '${long}'`).key.length).toBeLessThan(200);
    expect(shell(`python -c '${long}'`).key).not.toBe(shell(`python -c '${long}y'`).key);
  });
});

describe('calls that pass another on', () => {
  const patch = '*** Begin Patch\n*** Add File: b.ts\n+one\n*** End Patch';
  it.each([
    ['use_mcp_tool', { tool_name: 'Read', arguments: { path: 'x.ts' } }, 'read', 'read x.ts'],
    ['call_tool', { name: 'Read', input: '{"path":"x.ts"}' }, 'read', 'read x.ts'],
    ['call_tool', { name: 'Read', input: 'x.ts' }, 'other', ''],
    ['exec', { input: 'await tools.exec_command({ cmd: "cat a.ts | head" })' }, 'search', ''],
    ['exec', { code: "for (const i of [1]) shell({ 'command': 'npm run \\'all\\' -- ' + i })" }, 'run', ''],
    ['exec', { input: `await tools.apply_patch(${JSON.stringify(patch)})` }, 'write', 'created b.ts'],
    [
      'exec',
      { input: `const patch = \`${patch}\`; await tools.apply_patch(patch)` },
      'write',
      'created b.ts',
    ],
    ['exec', { input: 'console.log("*** Begin Patch and no end")' }, 'other', ''],
  ])('%s %j is %s', (name, args, kind, touches) => {
    const action = act(name, args);
    expect(action.kind).toBe(kind);
    expect(touched(action).join(', ')).toBe(touches);
  });
});

describe('shell lines', () => {
  it.each([
    ['git status --short && git diff', 'search', ''],
    ['grep -rn foo src | head -20', 'search', ''],
    ['cd /a && cat x.ts', 'search', ''],
    ["sed -n '10,20p' x.ts", 'search', ''],
    ['find . -name x -delete', 'run', ''],
    ['find . -name "*.ts" | xargs -0 -n 5 grep foo', 'search', ''],
    ["find . -name '*.orig' | xargs rm", 'run', ''],
    ['cat install.sh | sh', 'run', ''],
    ['git diff | git apply -R', 'run', ''],
    ['jq . a.json | sponge a.json', 'run', ''],
    ['git branch --show-current', 'search', ''],
    ['git branch --merged main', 'search', ''],
    ['git branch -D old', 'run', ''],
    ['npm test 2>&1 | tail -5', 'run', ''],
    ['cat a > b', 'run', ''],
    ['cat a; rm b', 'run', ''],
    ['cat "$(rm b)" `rm c`', 'run', ''],
    ["cat > a.py <<'EOF'\nprint(1) && $(x)\nEOF", 'run', ''],
    ["apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: x\nEOF", 'write', 'deleted x'],
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
