import fc from 'fast-check';
import { anthropic } from '../../../../src/formats/index.js';
import { validateAnthropic } from '../../../../src/testkit/index.js';
import { originals } from '../views.js';
import { assistant, everything, result, text, thinking, use, user, type Loose } from './bodies.js';

function through(body: Loose): { body: Loose; notices: readonly string[] } {
  const parsed = anthropic.parse(body);
  const { messages, beside, notices } = anthropic.serialise(originals(parsed.messages));
  return { body: { ...body, ...beside, messages }, notices: notices.map(({ kind }) => kind) };
}

describe('an Anthropic request that is not edited', () => {
  it('is sent as the same objects, if one message of the wire is one of the log', () => {
    const body = everything();
    const { messages } = through(body).body;
    for (const at of [1, 3, 4, 5, 6, 7, 8]) expect(messages[at]).toBe(body.messages[at]);
  });

  it.each([
    ['system as a string', { system: 'Be brief.', messages: [{ role: 'user', content: 'Hi.' }] }],
    ['an empty system', { system: '', messages: [{ role: 'user', content: 'Hi.' }] }],
    ['no system blocks', { system: [], messages: [{ role: 'user', content: 'Hi.' }] }],
    [
      'fields nobody knows',
      { messages: [{ role: 'user', x: 1, content: [{ type: 'text', text: 'a', y: 2 }] }] },
    ],
    [
      'a turn of the provider’s own tools that goes on',
      {
        messages: [
          { role: 'user', content: 'Hi.' },
          assistant({ type: 'server_tool_use', id: 'srvtoolu_9', name: 'web_search', input: {} }),
        ],
      },
    ],
    [
      'instructions that say nothing but how the turn is to be answered',
      { messages: [user(text('Hi.')), { role: 'system', output_config: { effort: 'high' } }] },
    ],
  ])('%s', (_, body) => {
    expect(validateAnthropic(body)).toEqual([]);
    const out = through(body);
    expect(JSON.stringify(out.body)).toBe(JSON.stringify(body));
    expect(out.notices).toEqual([]);
  });

  it('keeps a block of an unknown kind, with one notice', () => {
    const body = { messages: [user({ type: 'hologram', z: 1 }, text('see?'))] };
    const { notices } = anthropic.parse(body);
    expect(notices).toEqual([
      { at: 'm0', kind: 'unknown-part', what: 'block 0 of type hologram is not known; kept as it is' },
    ]);
    expect(through(body)).toEqual({ body, notices: [] });
  });

  it('is sent unchanged and without a notice for any legal history', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        expect(validateAnthropic(body)).toEqual([]);
        const out = through(body);
        expect(JSON.stringify(out.body)).toBe(JSON.stringify(body));
        expect(out.notices).toEqual([]);
      }),
      { numRuns: 300 },
    );
  });
});

describe('the log of a request', () => {
  const { messages, tools, model } = anthropic.parse(everything());

  it('holds results, reminders and words of one turn as separate messages', () => {
    expect(messages.map(({ id, role, origin }) => [id, role, origin].join(' '))).toEqual([
      'system system system',
      'm0 user synthetic',
      'm0-1 user user',
      'm1 assistant model',
      'm2 tool tool',
      'm2-1 tool tool',
      'm2-2 user synthetic',
      'm2-3 user user',
      'm3 assistant model',
      'm4 user user',
      'm5 user user',
      'm6 system system',
      'm7 assistant model',
      'm8 user user',
    ]);
    expect([tools?.length, model]).toEqual([1, 'claude-sonnet-4-5']);
  });

  it('has parts of every kind, with the provider’s own tools as opaque parts', () => {
    const kinds = (at: number): string[] => messages[at]!.parts.map(({ type }) => type);
    expect(kinds(2)).toEqual(['text', 'file', 'file', 'file', 'file', 'file', 'opaque']);
    expect(kinds(3)).toEqual(['reasoning', 'reasoning', 'text', 'tool-call', 'tool-call']);
    expect(kinds(8)).toEqual(['reasoning', 'opaque', 'opaque', 'opaque', 'opaque', 'text']);
    expect(messages[3]!.parts[3]).toMatchObject({
      arguments: '{"z":1,"a":{"c":2,"b":3}}',
      callId: 'toolu_1',
    });
    expect(messages[5]!.parts[0]).toMatchObject({ isError: true, callId: 'toolu_1' });
  });

  it.each([
    ['a chat result', [{ role: 'tool', tool_call_id: 'a', content: 'x' }]],
    ['a chat call', [{ role: 'assistant', content: null, tool_calls: [] }]],
    ['Gemini parts', [{ role: 'model', parts: [{ text: 'x' }] }]],
    ['no object', ['hi']],
  ])('refuses %s as input of another format', (_, list) => {
    expect(() => anthropic.parse({ messages: list })).toThrow(
      expect.objectContaining({ code: 'INPUT_FORMAT' }),
    );
  });
});

/** Legal requests of many shapes: parallel calls, results in another order, words after them, thinking. */
const bodies: fc.Arbitrary<Loose> = fc
  .array(fc.record({ a: fc.nat(5), b: fc.nat(5), c: fc.nat(9) }), { maxLength: 12 })
  .map((turns) => {
    const messages: Loose[] = [user(text('Go.'))];
    let calls = 0;
    for (const { a, b, c } of turns) {
      const think = c % 3 === 0 ? [thinking(`thought ${messages.length}`)] : [];
      const said = b % 2 ? [text(`words ${b}`)] : [];
      const made = Array.from({ length: a % 4 }, () => use(`toolu_${++calls}`, { b, a: [c] }));
      const blocks = [...think, ...said, ...made];
      messages.push(assistant(...(blocks.length > think.length ? blocks : [...blocks, text('ok')])));
      const results = made.map(({ id }) => result(String(id), c % 2 ? `r ${id}` : [text(`r ${id}`)]));
      if (c > 5) results.reverse();
      const more =
        made.length === 0 || c === 4
          ? [text('<system-reminder>x</system-reminder>'), text(`go on ${a}`)]
          : [];
      messages.push(user(...results, ...more));
      if (c === 8) messages.push({ role: 'user', content: 'Twice.' });
    }
    return { system: 'Be brief.', messages };
  });
