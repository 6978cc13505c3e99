import { describe, expect, it } from '@jest/globals';
import { kinds, sessionFiles, told } from './files.js';

const read = sessionFiles();
const pretty = (value: unknown) => JSON.stringify(value, undefined, 1);
const call = (id: string) => ({
  index: 0,
  id,
  type: 'function',
  function: { name: 'bash', arguments: '{}' },
});
const MESSAGES = [
  { role: 'system', content: 'rules' },
  { role: 'user', content: 'go' },
  {
    role: 'assistant',
    content: null,
    tool_calls: [call('c')],
    function_call: null,
    extra: { cost: 1, response: {} },
  },
  { role: 'tool', content: 'ok', tool_call_id: 'c', extra: { returncode: 0 } },
];
const TOLD = ['system: rules', 'user: go', 'assistant: call c bash({})', 'tool: c: ok'];

describe('recorded runs in chat', () => {
  it.each([
    [
      'mini-swe-agent',
      {
        info: { config: { model: { model_name: 'deepseek' } }, mini_version: '2' },
        messages: [...MESSAGES, { role: 'exit', content: 'patch' }],
        trajectory_format: 'mini-swe-agent-1.1',
      },
      ['not-a-message'],
    ],
    ['tau-bench', { task_id: 2, reward: 0, info: {}, traj: MESSAGES, trial: 1 }, []],
    ['tau-bench', [{ task_id: 2, traj: MESSAGES, trial: 1 }], []],
    ['livemcpbench', { task_id: 't', Question: 'go', messages: MESSAGES }, []],
    ['livemcpbench', [{ task_id: 't', Question: 'go', messages: MESSAGES }], []],
  ])('%s: the messages alone are kept', async (format, file, notices) => {
    for (const text of [pretty(file), JSON.stringify(file)]) {
      const found = await read(text);
      expect(found.format).toBe(format);
      expect(told(found)).toEqual(TOLD);
      expect(kinds(found)).toEqual(notices);
      expect(found.parsed.messages[2]!.wire).toEqual({
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'bash', arguments: '{}' } }],
      });
    }
  });

  it('names the recordings where a file holds several', async () => {
    const runs = [1, 2].map((task_id) => ({ task_id, traj: MESSAGES, trial: 0 }));
    await expect(read(pretty(runs))).rejects.toThrow('2 recordings: task 1 trial 0, task 2 trial 0');
  });

  const turn = (fields: object, turn_idx: number) => ({ tool_calls: null, ...fields, turn_idx });
  const own = { id: 'u', name: 'toggle', arguments: {}, requestor: 'user' };
  const made = { id: 'a', name: 'look', arguments: { id: 1 }, requestor: 'assistant' };
  const answers = [
    { id: 'a', role: 'tool', content: 'one', requestor: 'assistant' },
    { id: 'b', role: 'tool', content: null, requestor: 'assistant' },
  ];
  const simulation = {
    id: 'sim',
    task_id: '29',
    messages: [
      turn({ role: 'assistant', content: 'hello' }, 0),
      turn({ role: 'user', content: 'fix it' }, 1),
      turn({ role: 'assistant', content: null, tool_calls: [made, { ...made, id: 'b' }] }, 2),
      turn({ role: 'tool', tool_messages: answers }, 3),
      turn({ role: 'user', content: null, tool_calls: [own] }, 4),
      turn({ id: 'u', role: 'tool', content: 'toggled', requestor: 'user' }, 5),
      turn({ role: 'user', content: 'done' }, 6),
    ],
  };
  const TAU2 = [
    'assistant: hello',
    'user: fix it',
    'assistant: call a look({"id":1}) | call b look({"id":1})',
    'tool: a: one',
    'tool: b: ',
    'user: done',
  ];

  it('tau2-bench: the agent never sees the calls of the simulated user', async () => {
    const found = await read(pretty(simulation));
    expect(found.format).toBe('tau2-bench');
    expect(told(found)).toEqual(TAU2);
    expect(kinds(found)).toEqual(['sidechain']);
  });

  it('tau2-bench: a result file gives the policy as the system message', async () => {
    const results = { info: { environment_info: { policy: 'be kind' } }, simulations: [simulation] };
    expect(told(await read(pretty(results)))).toEqual(['system: be kind', ...TAU2]);
    await expect(read(pretty({ simulations: [simulation, simulation] }))).rejects.toThrow(
      '2 recordings: sim, sim',
    );
  });
});
