import type { Part } from '../../../src/transcript/index.js';
import { Bench } from '../../support/bench.js';
import {
  answer,
  call,
  calls,
  reminder,
  result,
  says,
  system,
  text,
  thought,
  user,
  type Draft,
} from '../../support/messages.js';

/** `step 1,2,4 waits c2`: kind, log positions, calls without a result. */
function grouping(...drafts: readonly Draft[]): string[] {
  return Bench.of(...drafts).log.exchanges.map(({ kind, seqs, unanswered, paused }) => {
    const waits = [...[...unanswered].map(([id, n]) => (n > 1 ? `${id}×${n}` : id)), ...paused];
    return `${kind} ${seqs.join(',')}${waits.length > 0 ? ` waits ${waits.join(' ')}` : ''}`;
  });
}

const approval: Part = { type: 'opaque', kind: 'tool-approval-response', bytes: 60 };
const search = (id: string): Part => ({ type: 'opaque', kind: 'server_tool_use', bytes: 60, calls: id });
const found = (id: string): Part => ({
  type: 'opaque',
  kind: 'web_search_tool_result',
  bytes: 60,
  answers: id,
});
const two = calls(call('a', {}, 'c1'), call('b', {}, 'c2'));

describe('exchanges', () => {
  it.each<[string, Draft[], string[]]>([
    [
      'a system message at the start and midway',
      [system('s'), user('u'), system('t'), says('a')],
      ['plain 0', 'plain 1', 'plain 2', 'plain 3'],
    ],
    ['one call and its result', [calls(call('a')), result('c1', 'r')], ['step 0,1']],
    ['parallel calls, results in any order', [two, result('c2', 'r'), result('c1', 'r')], ['step 0,1,2']],
    [
      'parallel calls, all results in one message',
      [two, user(answer('c1', 'r'), answer('c2', 'r'))],
      ['step 0,1'],
    ],
    [
      'words beside results in one message',
      [two, user(answer('c1', 'r'), text('stop'))],
      ['step 0,1 waits c2'],
    ],
    [
      'a yes to a call, then its result',
      [calls(call('a')), { role: 'tool', origin: 'user', parts: [approval] }, result('c1', 'r')],
      ['step 0,1,2'],
    ],
    ['a tool of the provider, answered in its message', [says(search('s1'), found('s1'), 'a')], ['plain 0']],
    ['a pause of the provider', [says('b', search('s1'))], ['step 0 waits s1']],
    [
      'a pause, and where the provider goes on',
      [says(search('s1')), says(found('s1'), 'a'), user('u')],
      ['step 0,1', 'plain 2'],
    ],
    [
      'a call to a host amid one to the provider',
      [calls(search('s1'), call('a')), result('c1', 'r'), says(found('s1'), 'a')],
      ['step 0,1,2'],
    ],
    [
      'calls that a program of the provider makes, step by step',
      [
        calls(search('s1'), { ...call('a', {}, 'c1'), by: 's1' }),
        result('c1', 'r'),
        calls({ ...call('a', {}, 'c2'), by: 's1' }),
        result('c2', 'r'),
        says(found('s1'), 'a'),
      ],
      ['step 0,1,2,3,4'],
    ],
    [
      'a program that waits for its calls, said behind words',
      [calls(search('s1'), text('b'), { ...call('a', {}, 'c1'), by: 's1' }), result('c1', 'r')],
      ['step 0,1 waits s1'],
    ],
    [
      'a call whose program is over',
      [says(search('s1'), found('s1')), calls({ ...call('a', {}, 'c1'), by: 's1' }), result('c1', 'r')],
      ['plain 0', 'step 1,2'],
    ],
    ['a tool of the provider that spoke on without a result', [says(search('s1'), 'a')], ['plain 0']],
    [
      'a call nobody answered',
      [calls(call('a')), user('u'), says('a')],
      ['step 0 waits c1', 'plain 1', 'plain 2'],
    ],
    [
      'an interrupted parallel step',
      [two, result('c1', 'r'), user('u'), says('a')],
      ['step 0,1 waits c2', 'plain 2', 'plain 3'],
    ],
    [
      'a result displaced by a user message',
      [calls(call('a')), user('wait'), result('c1', 'r')],
      ['step 0,2', 'plain 1'],
    ],
    [
      'a result displaced by a reminder',
      [two, result('c1', 'r'), reminder('x'), result('c2', 'r')],
      ['step 0,1,3', 'plain 2'],
    ],
    [
      'a result after the assistant spoke',
      [calls(call('a')), says('x'), result('c1', 'r')],
      ['step 0 waits c1', 'plain 1', 'stray 2'],
    ],
    [
      'a result after the next step began',
      [calls(call('a')), calls(call('b', {}, 'c2')), result('c1', 'r'), result('c2', 'r')],
      ['step 0 waits c1', 'step 1,3', 'stray 2'],
    ],
    ['a duplicate result', [calls(call('a')), result('c1', 'r'), result('c1', 'r')], ['step 0,1', 'stray 2']],
    ['an orphan result', [user('u'), result('c9', 'r')], ['plain 0', 'stray 1']],
    ['a result before anything', [result('c1', 'r'), calls(call('a'))], ['stray 0', 'step 1 waits c1']],
    [
      'an id used again in a later step',
      [calls(call('a')), result('c1', 'r'), calls(call('a')), result('c1', 's')],
      ['step 0,1', 'step 2,3'],
    ],
    [
      'an id used again while the earlier call waits',
      [calls(call('a')), user('u'), calls(call('a')), result('c1', 's')],
      ['step 0 waits c1', 'plain 1', 'step 2,3'],
    ],
    [
      'two calls of one message under one id',
      [calls(call('a'), call('b')), result('c1', 'r'), result('c1', 's')],
      ['step 0,1,2'],
    ],
    [
      'two calls under one id, one answered',
      [calls(call('a'), call('b')), result('c1', 'r')],
      ['step 0,1 waits c1'],
    ],
    ['a result without content', [calls(call('a')), result('c1')], ['step 0,1']],
    ['a tool the provider executed', [says(call('a'), answer('c1', 'r'), text('so'))], ['step 0']],
    ['thinking before a call', [calls(thought('hm', 'sig'), call('a')), result('c1', 'r')], ['step 0,1']],
    ['a message that says nothing', [says(), user('')], ['plain 0', 'plain 1']],
    ['a session that begins with the assistant', [says('hello'), user('u')], ['plain 0', 'plain 1']],
  ])('%s', (_name, drafts, expected) => {
    expect(grouping(...drafts)).toEqual(expected);
  });

  it('answer for every log position, and for no other', () => {
    const { log } = Bench.of(calls(call('a')), user('wait'), result('c1', 'r'));
    expect([0, 1, 2].map((seq) => log.exchangeOf(seq).index)).toEqual([0, 1, 0]);
    expect(() => log.exchangeOf(3)).toThrow(RangeError);
    expect(() => log.exchangeOf(-1)).toThrow(RangeError);
  });
});
