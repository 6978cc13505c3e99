import { isLoose, isText, type Loose } from './loose.js';
import { type Complain } from './openai-responses-loose.js';

/** Each kind of item by itself: the shape that OpenAI holds it to. */

const ROLES: readonly unknown[] = ['user', 'system', 'developer', 'assistant'];
const MODEL_ENTRIES: readonly unknown[] = ['output_text', 'refusal'];
const INPUT_ENTRIES: readonly unknown[] = ['input_text', 'input_image', 'input_file', 'input_audio'];

export function checkMessage({ role, content }: Loose, at: number, complain: Complain): void {
  if (!ROLES.includes(role)) complain('P0', at, `role ${String(role)} is not known`);
  if (typeof content === 'string') return;
  if (!Array.isArray(content) || content.length === 0) {
    complain('P0', at, 'content is neither a text nor a list with entries');
    return;
  }
  checkEntries(content, role === 'assistant' ? MODEL_ENTRIES : INPUT_ENTRIES, at, complain);
}

function checkEntries(
  list: readonly unknown[],
  allowed: readonly unknown[],
  at: number,
  complain: Complain,
): void {
  for (const entry of list) {
    const { type, text, refusal, ...rest } = isLoose(entry) ? entry : {};
    if (!allowed.includes(type)) complain('P0', at, `an entry of type ${String(type)} does not fit here`);
    else if (type === 'refusal' && typeof refusal !== 'string') complain('P0', at, 'a refusal without words');
    else if (String(type).endsWith('_text') && typeof text !== 'string')
      complain('P0', at, 'a text without words');
    else if (type === 'input_image' && !isText(rest.image_url) && !isText(rest.file_id)) {
      complain('P0', at, 'an image without address or upload');
    } else if (
      type === 'input_file' &&
      !isText(rest.file_data) &&
      !isText(rest.file_url) &&
      !isText(rest.file_id)
    ) {
      complain('P0', at, 'a file without bytes, address or upload');
    }
  }
}

/** What the call of each type says, and the type of that field. */
const ARGUMENTS: Readonly<Record<string, readonly (readonly [field: string, type: string])[]>> = {
  function_call: [['arguments', 'string']],
  custom_tool_call: [['input', 'string']],
  local_shell_call: [['action', 'object']],
  shell_call: [['action', 'object']],
  apply_patch_call: [['operation', 'object']],
  mcp_approval_request: [['arguments', 'string']],
};
const NAMED = new Set(['function_call', 'custom_tool_call', 'mcp_approval_request']);

export function checkCall(item: Loose, type: string, at: number, complain: Complain): void {
  if (NAMED.has(type) && !/^[a-zA-Z0-9_-]{1,128}$/.test(typeof item.name === 'string' ? item.name : '')) {
    complain('P1', at, `a call to ${String(item.name)}, which is no name`);
  }
  for (const [field, wanted] of ARGUMENTS[type] ?? []) {
    const value = item[field];
    if (typeof value !== wanted || value === null)
      complain('P1', at, `${field} of a call is ${typeof value}`);
  }
}

export function checkResult(item: Loose, type: string, at: number, complain: Complain): void {
  const { output } = item;
  switch (type) {
    case 'function_call_output':
    case 'custom_tool_call_output':
      if (Array.isArray(output)) checkEntries(output, INPUT_ENTRIES, at, complain);
      else if (typeof output !== 'string') complain('P1', at, `the output of a call is ${typeof output}`);
      return;
    case 'local_shell_call_output':
      if (typeof output !== 'string') complain('P1', at, `the output of a shell is ${typeof output}`);
      return;
    case 'shell_call_output':
      if (!Array.isArray(output) || !output.every(isChunk))
        complain('P1', at, 'the output of a shell has no chunks');
      return;
    case 'computer_call_output':
      if (!isLoose(output) || (!isText(output.image_url) && !isText(output.file_id))) {
        complain('P1', at, 'the output of a computer is no screenshot');
      }
      return;
    case 'apply_patch_call_output':
      if (item.status !== 'completed' && item.status !== 'failed')
        complain('P1', at, 'a patch without outcome');
      return;
    case 'mcp_approval_response':
      if (typeof item.approve !== 'boolean') complain('P1', at, 'an approval that says neither yes nor no');
  }
}

function isChunk(chunk: unknown): boolean {
  return (
    isLoose(chunk) &&
    typeof chunk.stdout === 'string' &&
    typeof chunk.stderr === 'string' &&
    isLoose(chunk.outcome)
  );
}

export function checkSealed(item: Loose, at: number, { store }: Loose, complain: Complain): void {
  if (!Array.isArray(item.summary)) complain('P2', at, 'reasoning without a list of summaries');
  if (isText(item.encrypted_content)) return;
  if (store === false) complain('P2', at, 'reasoning without sealed content, and nothing is stored');
  else if (!isText(item.id)) complain('P2', at, 'reasoning with neither id nor sealed content');
}
