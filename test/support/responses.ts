/** Legal requests of the Responses API, written by hand. */
export type Loose = Record<string, any>;

export const says = (role: string, text: string): Loose => ({
  type: 'message',
  role,
  content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
});
export const call = (id: string, args = '{"path":"a.ts"}'): Loose => ({
  type: 'function_call',
  id: `fc_${id}`,
  call_id: id,
  name: 'read',
  arguments: args,
  status: 'completed',
});
export const output = (id: string, text = `result of ${id}`): Loose => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
});
export const thought = (id: string): Loose => ({
  type: 'reasoning',
  id: `rs_${id}`,
  summary: [{ type: 'summary_text', text: `thinking of ${id}` }],
  encrypted_content: `sealed-${id}`,
});

/** Everything legal, once. */
export const everything = (): { input: Loose[] } & Loose => ({
  model: 'gpt-5.1',
  instructions: 'Be brief.',
  store: false,
  include: ['reasoning.encrypted_content'],
  tools: [{ type: 'function', name: 'read', parameters: { type: 'object' } }],
  input: [
    { role: 'developer', content: 'Work in src.' },
    { role: 'user', content: 'Mend the build.' },
    {
      type: 'message',
      role: 'user',
      content: [
        { type: 'input_text', text: 'It looks like this:', prompt_cache_breakpoint: { mode: 'explicit' } },
        { type: 'input_image', detail: 'low', image_url: 'data:image/png;base64,iVBORw0KGgo=' },
        { type: 'input_file', file_id: 'file_1' },
      ],
    },
    thought('1'),
    { ...says('assistant', 'Reading two files.'), id: 'msg_1', status: 'completed', phase: 'commentary' },
    call('a'),
    call('b', '{"path": "b.ts", "zeta": 1, "alpha": 2}'),
    output('b'),
    {
      ...output('a'),
      output: [
        { type: 'input_text', text: 'two blocks' },
        { type: 'input_image', detail: 'auto', image_url: 'https://example.com/a.png' },
      ],
    },
    thought('2'),
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'c', name: 'apply_patch', input: '*** Begin Patch' },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'Success.' },
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'build' } },
    { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['x'], results: null },
    {
      type: 'code_interpreter_call',
      id: 'ci_1',
      code: '1+1',
      container_id: 'cn',
      outputs: null,
      status: 'completed',
    },
    { type: 'image_generation_call', id: 'ig_1', result: 'iVBORw0KGgo=', status: 'completed' },
    { type: 'mcp_list_tools', id: 'mcpl_1', server_label: 'docs', tools: [] },
    {
      type: 'mcp_call',
      id: 'mcp_1',
      server_label: 'docs',
      name: 'find',
      arguments: '{"q":1}',
      output: 'found it',
      error: null,
    },
    { ...says('assistant', 'Found.'), id: 'msg_2' },
    { role: 'user', content: 'Go on, use the shell.' },
    thought('3'),
    {
      type: 'local_shell_call',
      id: 'lsh_1',
      call_id: 'd',
      status: 'completed',
      action: { type: 'exec', command: ['ls'], env: {} },
    },
    { type: 'local_shell_call_output', id: 'd', output: 'a.ts' },
    { type: 'shell_call', id: 'sh_1', call_id: 'e', action: { commands: ['ls -l'] }, status: 'completed' },
    {
      type: 'shell_call_output',
      call_id: 'e',
      output: [{ stdout: 'a.ts\n', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
    },
    {
      type: 'apply_patch_call',
      id: 'apc_1',
      call_id: 'f',
      status: 'completed',
      operation: { type: 'update_file', path: 'a.ts', diff: '@@\n-1\n+2' },
    },
    { type: 'apply_patch_call_output', call_id: 'f', status: 'completed' },
    {
      type: 'computer_call',
      id: 'cu_1',
      call_id: 'g',
      status: 'completed',
      pending_safety_checks: [],
      action: { type: 'screenshot' },
    },
    {
      type: 'computer_call_output',
      call_id: 'g',
      output: { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' },
    },
    { type: 'mcp_approval_request', id: 'mcpr_1', server_label: 'docs', name: 'drop', arguments: '{}' },
    { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: false, reason: 'no' },
    { type: 'program', id: 'prog_1', call_id: 'p', code: 'x()', fingerprint: 'f' },
    { ...call('h'), caller: { type: 'program', caller_id: 'p' } },
    output('h'),
    { type: 'program_output', id: 'po_1', call_id: 'p', result: '2', status: 'completed' },
    {
      type: 'message',
      id: 'msg_3',
      role: 'assistant',
      content: [{ type: 'refusal', refusal: 'I would rather not.' }],
    },
    { role: 'system', content: 'One more rule.' },
    { role: 'user', content: [{ type: 'input_text', text: 'And?' }] },
  ],
});
