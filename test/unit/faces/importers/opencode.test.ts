import { kinds, lines, sessionFiles, told } from './files.js';

const read = sessionFiles();
const tool = (callID: string, state: object) => ({ type: 'tool', callID, tool: 'bash', state });
const done = (output: string, more: object = {}) => ({
  status: 'completed',
  input: { command: 'ls' },
  output,
  ...more,
});
const user = (...parts: object[]) => ({ info: { id: 'u', role: 'user', time: { created: 5 } }, parts });
const assistant = (id: string, ...parts: object[]) => ({
  info: { id, role: 'assistant', modelID: 'gpt-5', time: { created: 6 } },
  parts,
});
const session = (...messages: object[]) => ({ info: { id: 'ses_1', version: '1.2.24' }, messages });
const pretty = (value: unknown) => JSON.stringify(value, undefined, 1);

describe('the OpenCode importer', () => {
  const whole = session(
    user(
      { type: 'text', text: 'go' },
      { type: 'text', text: 'noted', synthetic: true },
      { type: 'file', mime: 'image/png', url: 'data:image/png;base64,AAAA', filename: 'a.png' },
    ),
    assistant(
      'a',
      { type: 'step-start' },
      { type: 'reasoning', text: 'hm' },
      tool('c1', done('', { time: { compacted: 1 } })),
      tool('REDACTED', { status: 'error', input: {}, error: 'denied' }),
      tool('REDACTED', { status: 'running', input: {} }),
      { type: 'step-finish' },
      { type: 'step-start' },
      tool('c1', done('again')),
      { type: 'patch', files: [] },
    ),
    assistant('b', { type: 'reasoning', text: 'only thought' }),
    user({ type: 'subtask', agent: 'build', description: 'review', prompt: 'look' }),
    user({ type: 'text', text: 'continue', synthetic: true }),
    assistant('c', { type: 'text', text: 'done' }),
  );

  it('takes an export, several steps in one message and blacked-out ids included', async () => {
    const found = await read(pretty(whole));
    expect(found).toMatchObject({
      format: 'opencode',
      meta: { id: 'ses_1', model: 'gpt-5', agent_version: '1.2.24' },
    });
    expect(told(found)).toEqual([
      'user: go | noted | <image/png>',
      'assistant: hm | call c1 bash({"command":"ls"}) | call call_a_3 bash({}) | call call_a_4 bash({})',
      'tool: c1: ',
      'tool: failed call_a_3: denied',
      'assistant: call call_a_7 bash({"command":"ls"})',
      'tool: call_a_7: again',
      'user: [subtask build: review]\nlook',
      'user*: continue',
      'assistant: done',
    ]);
    expect(new Set(found.parsed.messages.map(({ id }) => id)).size).toBe(9);
    expect(found.parsed.messages[0]!.createdAt).toBe(5);
    expect(kinds(found)).toEqual(['interrupted-call', 'empty-message']);
  });

  it('takes it on one line, too, and by name', async () => {
    expect(told(await read(JSON.stringify(whole)))).toHaveLength(9);
    expect(told(await read(JSON.stringify(whole), 'opencode'))).toHaveLength(9);
  });

  it('reads the first of several exports, and says so', async () => {
    const other = session(assistant('b', { type: 'text', text: 'another' }));
    for (const two of [JSON.stringify([whole, other]), lines(whole, other)]) {
      const found = await read(two);
      expect(told(found)).toEqual(told(await read(pretty(whole))));
      expect(kinds(found)[0]).toBe('another-session');
    }
  });

  it('keeps unknown parts as text and refuses an export in which nobody speaks', async () => {
    const odd = await read(pretty(session(assistant('a', { type: 'hologram', text: 'x' }))));
    expect(told(odd)).toEqual(['assistant: {"type":"hologram","text":"x"}']);
    expect(kinds(odd)).toEqual(['unknown-part']);
    await expect(read(pretty(session(user())))).rejects.toMatchObject({ code: 'INPUT_FORMAT' });
  });

  it('keeps an error that is no text, and says nothing of a result that said nothing', async () => {
    const failed = { status: 'error', input: {}, error: { message: 'no room' } };
    const found = await read(
      pretty(session(assistant('a', tool('c', failed), tool('d', { status: 'completed', input: {} })))),
    );
    expect(told(found).slice(1)).toEqual(['tool: failed c: {"message":"no room"}', 'tool: d: ']);
  });
});
