import { openaiChat } from '../../../src/formats/index.js';
import { originals } from './views.js';

const user = (content: string) => ({ role: 'user', content });
const says = (content: string) => ({ role: 'assistant', content });
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
});
const result = (id: string, content = `result of ${id}`) => ({ role: 'tool', tool_call_id: id, content });
const NONE = '[no result: the call was interrupted]';

function repaired(...messages: unknown[]) {
  const serialised = openaiChat.serialise(originals(openaiChat.parse(messages).messages));
  return {
    messages: serialised.messages,
    kinds: serialised.notices.map((notice) => `${notice.at} ${notice.kind}`),
  };
}

describe('a broken log of chat completions', () => {
  it('gets for each interrupted call a result that says so, after the real ones, in call order', () => {
    const { messages, kinds } = repaired(calls('a', 'b', 'c'), result('b'), user('stop'));
    expect(messages).toEqual([
      calls('a', 'b', 'c'),
      result('b'),
      result('a', NONE),
      result('c', NONE),
      user('stop'),
    ]);
    expect(kinds).toEqual(['m0 interrupted-call', 'm0 interrupted-call']);
  });

  it('gets no result for a call that still waits at the end', () => {
    expect(repaired(user('go'), calls('a', 'b'), result('a'))).toEqual({
      messages: [user('go'), calls('a', 'b'), result('a')],
      kinds: [],
    });
  });

  it('has a result after a user message moved up to its call', () => {
    const { messages, kinds } = repaired(
      calls('a', 'b'),
      result('a'),
      user('hurry'),
      result('b'),
      says('ok'),
    );
    expect(messages).toEqual([calls('a', 'b'), result('a'), result('b'), user('hurry'), says('ok')]);
    expect(kinds).toEqual(['m3 displaced-result']);
  });

  it('has a late result sent as a labelled user message, after the results of the step it came in', () => {
    const { messages, kinds } = repaired(
      calls('a'),
      user('go on'),
      calls('b'),
      result('a'),
      result('b'),
      says('ok'),
    );
    const late = user('[late result of call a to look]\nresult of a');
    expect(messages).toEqual([
      calls('a'),
      result('a', NONE),
      user('go on'),
      calls('b'),
      result('b'),
      late,
      says('ok'),
    ]);
    expect(kinds).toEqual(['m0 interrupted-call', 'm3 late-result', 'm4 displaced-result']);
  });

  it('has a second result, at once or later, sent as a labelled user message', () => {
    const { messages, kinds } = repaired(
      calls('a'),
      result('a'),
      result('a', 'x'),
      says('ok'),
      result('a', ''),
    );
    const again = '[another result of call a to look, which already had one]';
    expect(messages).toEqual([calls('a'), result('a'), user(`${again}\nx`), says('ok'), user(again)]);
    expect(kinds).toEqual(['m2 duplicate-result', 'm4 duplicate-result']);
  });

  it('has later late results labelled differently from the first, in the same step or another', () => {
    const again = (nth: number) => result('a', `${nth}. of a`);
    const { messages, kinds } = repaired(
      calls('a'),
      user('go on'),
      says('ok'),
      again(1),
      again(2),
      says('ok'),
      again(3),
    );
    expect(messages.filter((message) => JSON.stringify(message).includes('. of a'))).toEqual([
      user('[late result of call a to look]\n1. of a'),
      user('[another result of call a to look, which already had one]\n2. of a'),
      user('[another result of call a to look, which already had one]\n3. of a'),
    ]);
    expect(kinds.slice(1)).toEqual(['m3 late-result', 'm4 duplicate-result', 'm6 duplicate-result']);
  });

  it('has a result without a call sent as a labelled user message, with its words and pictures', () => {
    const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
    const label = '[result of a call that is not in this log]';
    const { messages } = repaired(user('hi'), result('z'), { ...result('y'), content: [picture] });
    expect(messages.slice(1)).toEqual([
      user(`${label}\nresult of z`),
      { role: 'user', content: [{ type: 'text', text: label }, picture] },
    ]);
  });

  it('may reuse a call id in a later step', () => {
    const log = [calls('a'), result('a'), says('ok'), calls('a'), result('a', 'other'), says('done')];
    expect(repaired(...log)).toEqual({ messages: log, kinds: [] });
  });

  it('has equal ids inside one message made distinct, in calls and results', () => {
    const { messages, kinds } = repaired(
      calls('a', 'a', 'a_2', 'a'),
      result('a', '1'),
      result('a_2', '3'),
      result('a', '2'),
    );
    expect(messages.slice(0, 1)).toEqual([calls('a', 'a_3', 'a_2', 'a_4')]);
    expect(messages.slice(1)).toEqual([result('a', '1'), result('a_2', '3'), result('a_3', '2')]);
    expect(kinds).toEqual(['m0 call-id', 'm0 call-id', 'm3 result-mended']);
  });

  it('has calls and results without ids paired by name, then by order', () => {
    const call = (name: string) => ({ type: 'function', function: { name, arguments: '{}' } });
    const log = [
      { role: 'assistant', content: '', tool_calls: [call('read'), call('write'), call('read')] },
      { role: 'tool', name: 'write', content: 'w' },
      { role: 'tool', content: 'r1' },
      { role: 'tool', content: 'r2' },
    ];
    const { messages } = repaired(...log);
    expect(messages).toEqual([
      { ...log[0], tool_calls: [0, 1, 2].map((i) => ({ ...log[0]!.tool_calls![i], id: `call_m0_${i}` })) },
      { role: 'tool', name: 'write', content: 'w', tool_call_id: 'call_m0_1' },
      { role: 'tool', content: 'r1', tool_call_id: 'call_m0_0' },
      { role: 'tool', content: 'r2', tool_call_id: 'call_m0_2' },
    ]);
  });

  it('is refused if it holds calls of `functions`, which have no ids', () => {
    const call = { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{' } };
    const answer = { role: 'function', name: 'look', content: 'seen' };
    for (const message of [call, answer])
      expect(() => repaired(user('hi'), message)).toThrow(expect.objectContaining({ code: 'INPUT_FORMAT' }));
  });

  it('has a message of an unknown role sent as a user message that names the role', () => {
    const { messages, kinds } = repaired(
      user('hi'),
      { role: 'critic', content: 'weak', name: 'C' },
      { role: 'x', y: 1 },
    );
    expect(messages.slice(1)).toEqual([
      user('[message of unknown role critic]\nweak'),
      user('[message of unknown role x]\n{"role":"x","y":1}'),
    ]);
    expect(kinds).toEqual(['m1 unknown-role', 'm2 unknown-role']);
  });

  it('gets empty content in an assistant message that says nothing; null stays next to calls', () => {
    const { messages } = repaired(
      user('hi'),
      { role: 'assistant', content: null, x: 1 },
      calls('a'),
      result('a'),
    );
    expect(messages).toEqual([user('hi'), { role: 'assistant', content: '', x: 1 }, calls('a'), result('a')]);
  });

  it('has an empty list of calls left out; a null list stays', () => {
    const empty = { role: 'assistant', content: 'x', tool_calls: [] };
    const none = { role: 'assistant', content: 'x', tool_calls: null, function_call: null };
    expect(repaired(empty, none)).toEqual({ messages: [says('x'), none], kinds: ['m0 no-calls'] });
  });

  it('has arguments that are an object made into text; text that is no JSON stays', () => {
    const call = (args: unknown) => ({
      ...calls('a').tool_calls[0],
      function: { name: 'look', arguments: args },
    });
    const log = [{ role: 'assistant', content: '', tool_calls: [call({ n: 1 })] }, result('a')];
    const { messages, kinds } = repaired(...log);
    expect(messages[0]).toEqual({ ...log[0], tool_calls: [call('{"n":1}')] });
    expect(kinds).toEqual(['m0 call-mended']);
    const broken = [{ role: 'assistant', content: '', tool_calls: [call('{"n": 1')] }, result('a')];
    expect(repaired(...broken)).toEqual({ messages: broken, kinds: [] });
  });

  it('keeps a system message in the middle in its place', () => {
    const log = [
      { role: 'developer', content: 'a' },
      user('hi'),
      says('yes'),
      { role: 'system', content: 'b' },
      user('on'),
    ];
    expect(repaired(...log)).toEqual({ messages: log, kinds: [] });
  });
});
