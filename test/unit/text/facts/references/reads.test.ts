import { ReferenceIndex } from '../../../../../src/text/facts/index.js';
import { LogReader, type Message } from '../../../../../src/transcript/index.js';
import { call, logOf, message, result, says, step } from '../logs.js';

const FILE = 'line of a file\n'.repeat(20);

function statuses(...messages: readonly (Message | readonly Message[])[]): (string | undefined)[] {
  const log = logOf(...messages);
  const index = new ReferenceIndex(log);
  new LogReader(log, index).catchUp();
  return log.exchanges.map(({ index: i }) => index.supersededBy(i) ?? index.readStatus(i));
}

const read = (args: object, answer = FILE) => step('read', { path: 'a.ts', ...args }, answer);
const bash = (command: string, answer = 'ok') => step('bash', { command }, answer);

describe('a result is repeated', () => {
  it('when the same call is made again later', () => {
    expect(statuses(bash('git status'), bash('git status'))).toEqual(['repeated', 'current']);
    expect(statuses(bash('npm test', FILE), bash('npm test'))).toEqual(['repeated', 'current']);
  });

  it('not by a read of another part of the file, nor by a call in the same exchange', () => {
    expect(statuses(read({ offset: 5 }), read({ offset: 50 }))).toEqual(['current', 'current']);
    const twice = message('assistant', [
      call('x', 'bash', { command: 'ls' }),
      call('y', 'bash', { command: 'ls' }),
    ]);
    expect(statuses(twice, result('x', 'a'), result('y', 'a'))).toEqual(['current']);
  });

  it('not while the new call has no result, nor when it fails', () => {
    const open = message('assistant', [call('z', 'bash', { command: 'ls' })]);
    expect(statuses(bash('ls'), open)).toEqual(['current', 'current']);
    expect(statuses(bash('ls'), step('bash', { command: 'ls' }, 'no', true))).toEqual(['current', 'current']);
  });

  it('not by a call that returns a short note instead of the file', () => {
    expect(statuses(read({}), read({}, 'File unchanged since last read.'))).toEqual(['current', 'current']);
    expect(statuses(read({}), read({}), read({}, 'Unchanged.'))).toEqual(['repeated', 'current', 'current']);
  });

  it('only if every call of its exchange is made again', () => {
    const both = message('assistant', [
      call('p', 'bash', { command: 'ls' }),
      call('q', 'bash', { command: 'make' }),
    ]);
    expect(statuses(both, result('p', 'a'), result('q', 'b'), bash('ls'))).toEqual(['current', 'current']);
    expect(statuses(both, result('p', 'a'), result('q', 'b'), bash('ls'), bash('make'))[0]).toBe('repeated');
  });

  it('never for a write or for a tool that polls', () => {
    expect(statuses(step('poll_job', { id: 1 }, 'a'), step('poll_job', { id: 1 }, 'b'))).toEqual([
      'current',
      'current',
    ]);
    const write = () => step('write', { path: 'a.ts', content: 'x' }, 'ok');
    expect(statuses(write(), write())).toEqual(['current', 'current']);
  });
});

describe('a read is superseded', () => {
  it('as an edit when the file is edited later', () => {
    expect(statuses(read({ offset: 5 }), step('edit', { path: './a.ts' }, 'ok'))).toEqual([
      'edit',
      'current',
    ]);
  });

  it('as a rewrite when the complete file is read later, not when only a part is', () => {
    expect(statuses(read({ offset: 5, limit: 9 }), read({}))).toEqual(['rewrite', 'current']);
    expect(statuses(read({}), read({ offset: 5, limit: 9 }))).toEqual(['current', 'current']);
  });

  it('only if every file that it shows is changed', () => {
    const both = step('read_files', { paths: ['a.ts', 'b.ts'] }, FILE);
    const edit = step('edit', { path: 'a.ts' }, 'ok');
    expect(statuses(both, edit)[0]).toBe('current');
    expect(statuses(both, edit, step('edit', { path: 'b.ts' }, 'ok'))[0]).toBe('edit');
  });

  it('not by a failed edit, nor by an edit of a file of the same name in another folder', () => {
    expect(statuses(read({}), step('edit', { path: 'a.ts' }, 'no match', true))[0]).toBe('current');
    expect(statuses(read({}), step('edit', { path: '/other/a.ts' }, 'ok'))[0]).toBe('current');
  });

  it('judges a late result where it stands', () => {
    const late = [
      message('assistant', [call('l', 'read', { path: 'a.ts' })]),
      says('waiting'),
      result('l', FILE),
    ];
    expect(statuses(late, step('edit', { path: 'a.ts' }, 'ok'))).toEqual([
      'current',
      'current',
      'edit',
      'current',
    ]);
  });
});
