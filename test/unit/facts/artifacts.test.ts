import { describe, expect, it } from '@jest/globals';
import { ReferenceIndex } from '../../../src/facts/index.js';
import { LogReader, type Log } from '../../../src/transcript/index.js';
import { call, logOf, message, step } from './logs.js';

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
      { path: 'b.ts', state: 'deleted', first: 2, last: 8, changed: 8, reads: 0, writes: 3 },
      { path: 'c.ts', state: 'created', first: 8, last: 8, changed: 8, reads: 0, writes: 1 },
      { path: 'd.ts', state: 'deleted', first: 8, last: 8, changed: 8, reads: 0, writes: 1 },
    ]);
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
