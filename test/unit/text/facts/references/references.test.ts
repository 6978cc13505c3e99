import fc from 'fast-check';
import { ReferenceIndex } from '../../../../../src/text/facts/index.js';
import { Log, LogReader, type Message } from '../../../../../src/transcript/index.js';
import { call, logOf, message, reminder, result, says, SIZE, step, text, user } from '../logs.js';

function indexOf(...messages: readonly (Message | readonly Message[])[]): ReferenceIndex {
  const log = logOf(...messages);
  const index = new ReferenceIndex(log);
  new LogReader(log, index).catchUp();
  return index;
}

describe('what later text refers to', () => {
  it('is credited to the exchange that brought the word in, at the newest use', () => {
    const index = indexOf(
      user('look around'),
      step('ls', { path: '/a' }, 'parseConfig.ts'),
      step('read', { path: '/a/parseConfig.ts' }, 'function readTheFlags() {}'),
      says('I will change readTheFlags.'),
      user('leave readTheFlags, look at parseConfig.ts'),
    );
    expect(index.lastUse(1)).toBe(6);
    expect(index.lastUse(2)).toBe(6);
    expect(index.lastUse(0)).toBe(undefined);
  });

  it('counts what a user says and what users brought in', () => {
    const index = indexOf(user('order W2378156 please'), says('W2378156 it is'), user('yes, W2378156'));
    expect(index.lastUse(0)).toBe(2);
  });

  it('does not count output, reminders, or the exchange itself', () => {
    const index = indexOf(
      step('ls', {}, 'parseConfig.ts'),
      step('ls', {}, 'parseConfig.ts'),
      reminder('parseConfig.ts was changed'),
      message('assistant', [text('on to parseConfig.ts')], 'synthetic'),
    );
    expect(index.lastUse(0)).toBeUndefined();
  });

  it('credits no exchange with words that the model wrote first or the system message contains', () => {
    const index = indexOf(
      message('system', [text('use the toolBelt')]),
      step('read', { path: 'parseConfig.ts' }, 'parseConfig.ts: toolBelt'),
      says('parseConfig.ts has the toolBelt'),
    );
    expect(index.lastUse(0)).toBeUndefined();
    expect(index.lastUse(1)).toBeUndefined();
  });

  it('finds uses inside escaped arguments, and in arguments that are no JSON', () => {
    const read = step('read', { path: 'x' }, 'fooBarBaz and quxQuuxQuuz');
    const index = indexOf(read, step('edit', { old: 'a\nfooBarBaz' }, 'ok'));
    expect(index.lastUse(0)).toBe(2);
    expect(indexOf(read, step('edit', '{"old":"quxQuuxQuuz', 'ok')).lastUse(0)).toBe(2);
  });

  it('knows a late result as an exchange of its own', () => {
    const index = indexOf(
      message('assistant', [call('c1', 'ls', {})]),
      says('still waiting'),
      result('c1', 'parseConfig.ts'),
      says('now parseConfig.ts'),
    );
    expect(index.lastUse(0)).toBeUndefined();
    expect(index.lastUse(2)).toBe(3);
  });
});

describe('one catch-up or many', () => {
  const words = fc.constantFrom(
    'parseConfig.ts',
    '/a/b/parseConfig.ts',
    'fooBarBaz',
    'ENT-221',
    '12345',
    'plain',
    '\ud800',
  );
  const some = fc.array(words, { maxLength: 4 }).map((list) => list.join(' '));
  const path = fc.constantFrom('a.ts', '/r/a.ts', 'b.ts');
  const steps = fc.oneof(
    some.map((it) => [user(it)]),
    some.map((it) => [says(it)]),
    some.map((it) => [reminder(it)]),
    fc.tuple(path, some).map(([p, it]) => step('read', { path: p }, it)),
    fc.tuple(path, some, fc.boolean()).map(([p, it, bad]) => step('edit', { path: p, text: it }, 'ok', bad)),
    fc.tuple(path, some).map(([p, it]) => step('bash', { command: `cat ${p} | head` }, it)),
    fc.tuple(some, some).map(([a, b]) => step('bash', a, b)),
    path.map((p) => [message('assistant', [call('open', 'read', { path: p })])]),
    some.map((it) => [result('open', it)]),
  );

  it('tells the same', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(steps, fc.boolean()), { maxLength: 25 }), (portions) => {
        const log = new Log();
        const often = new ReferenceIndex(log);
        const reader = new LogReader(log, often);
        let id = 0;
        for (const [messages, catchUp] of portions) {
          for (const one of messages) log.append({ ...one, id: `p${id++}` }, SIZE);
          if (catchUp) reader.catchUp();
        }
        reader.catchUp();
        reader.catchUp();
        const once = new ReferenceIndex(log);
        new LogReader(log, once).catchUp();
        expect(told(often, log)).toEqual(told(once, log));
      }),
    );
  });

  it('reads nothing of the log until it is asked to catch up', () => {
    const log = logOf(user('parseConfig.ts'), says('parseConfig.ts'));
    expect(new ReferenceIndex(log).lastUse(0)).toBeUndefined();
  });
});

function told(index: ReferenceIndex, log: Log): unknown {
  return log.exchanges.map(({ index: i }) => [index.lastUse(i), index.readStatus(i), index.supersededBy(i)]);
}
