import { noteOfResult } from '../../../../src/text/reading/index.js';
import type { ToolCallPart, ToolResultPart } from '../../../../src/transcript/index.js';

const call = (name: string, args: object): ToolCallPart => ({
  type: 'tool-call',
  callId: 'c',
  name,
  arguments: JSON.stringify(args),
});
const result = (text: string, isError = false): ToolResultPart => ({
  type: 'tool-result',
  callId: 'c',
  content: [{ type: 'text', text }],
  ...(isError && { isError }),
});

const source = 'import { fail } from "./fail.js";\nthrow new Error("no such gate");\nconst error = 1;';

describe('a result, by what was asked', () => {
  it.each([
    ['a file that speaks of errors', call('read_file', { path: 'a.ts' }), source],
    ['the same by a command', call('bash', { command: 'cat a.ts' }), source],
    [
      'a search',
      call('bash', { command: 'grep -rn error src' }),
      'src/a.ts:2: throw new Error("no such gate");',
    ],
    ['a search that finds nothing', call('bash', { command: 'rg error src' }), 'Command exited with code 1'],
    [
      'a search that could not look everywhere',
      call('bash', { command: 'rg door ../a ../b' }),
      '../a/door.go:4: func Door()\n\nCommand exited with code 2',
    ],
  ])('%s only shows it', (_, asked, text) =>
    expect(noteOfResult(asked, result(text))).toEqual({ isLook: true, ending: 'unknown', line: '' }),
  );

  it('a search tool has not failed if nothing matches', () => {
    const asked = call('Grep', { pattern: 'door' });
    expect(noteOfResult(asked, result('No matches found', true))).toMatchObject({ isLook: true });
    expect(noteOfResult(asked, result('Error: bad pattern', true))).toMatchObject({ ending: 'failed' });
  });

  it.each([
    [
      'a test behind a filter',
      call('bash', { command: 'npm test 2>&1 | tail -5' }),
      'FAIL a.test.ts\n1 failed, 2 passed\nexit code: 0',
      'FAIL a.test.ts 1 failed, 2 passed exit code: 0',
    ],
    [
      'a read of what is not there',
      call('view', { path: 'a.ts' }),
      'The path a.ts does not exist.',
      'The path a.ts does not exist.',
    ],
    [
      'a test',
      call('bash', { command: 'npm test' }),
      'FAIL a.test.ts\n1 failed, 2 passed',
      'FAIL a.test.ts 1 failed, 2 passed',
    ],
    [
      'a tool behind another',
      call('execute-tool', { tool_name: 'edit_file', params: { path: 'a.ts' } }),
      `content=[TextContent(type='text', text='{"content":[{"type":"text","text":"Input validation error"}],"isError": true}')] isError=False`,
      expect.stringContaining('Input validation error'),
    ],
  ])('%s failed', (_, asked, text, line) =>
    expect(noteOfResult(asked, result(text))).toEqual({ isLook: false, ending: 'failed', line }),
  );

  it('a quotation mark that is escaped begins no quotation: the filter behind it is seen', () => {
    const asked = call('bash', { command: 'printf \\" ; npm test | tail -5 ; echo "x"' });
    expect(noteOfResult(asked, result('Exit code: 0\nerror: bad'))).toMatchObject({ ending: 'failed' });
  });

  it('a result that did not fail is described by its words alone', () => {
    expect(noteOfResult(call('bash', { command: 'npm test' }), result('exit code 0\n3 passed'))).toEqual({
      isLook: false,
      ending: 'unknown',
      line: '3 passed',
    });
  });

  it('without its call by its own words, and by the name of its tool', () => {
    expect(noteOfResult(undefined, { ...result(source), name: 'read_file' })).toMatchObject({
      isLook: true,
      line: '',
    });
    expect(noteOfResult(undefined, result(source))).toMatchObject({ isLook: false });
    expect(noteOfResult(undefined, result('no', true))).toMatchObject({ ending: 'failed' });
  });
});
