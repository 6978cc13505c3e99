import { z, type ZodType } from 'zod/v4';
import { object } from './faults.js';
import { isText } from './loose.js';

/** The shape that OpenAI requires of each kind of item. */

const entry = (type: string, fields: z.ZodRawShape = {}) =>
  z.looseObject({ type: z.literal(type), ...fields });
const textField = { text: z.string() };
const oneOf = (...fields: readonly string[]) =>
  [
    (value: Readonly<Record<string, unknown>>) => fields.some((field) => isText(value[field])),
    `none of ${fields.join(', ')}`,
  ] as const;

const INPUT = z.discriminatedUnion('type', [
  entry('input_text', textField),
  entry('input_image').refine(...oneOf('image_url', 'file_id')),
  entry('input_file').refine(...oneOf('file_data', 'file_url', 'file_id')),
  entry('input_audio'),
]);
const OUTPUT = z.discriminatedUnion('type', [
  entry('output_text', textField),
  entry('refusal', { refusal: z.string() }),
]);

/** A function's output, if it is a list. */
export const ENTRIES = z.array(INPUT);

/** Messages by role: the model's content is sent back as output, all other content is input. */
export const MESSAGE = z.discriminatedUnion('role', [
  z.object({ role: z.literal('assistant'), content: z.union([z.string(), z.array(OUTPUT).min(1)]) }),
  z.object({
    role: z.enum(['user', 'system', 'developer']),
    content: z.union([z.string(), ENTRIES.min(1)]),
  }),
]);

/** A kind of call that the client runs, and its result. */
interface Pair {
  readonly result: string;
  /** The field of the call that its result refers to. */
  readonly id: string;
  /** Fields in which the result may name the call. */
  readonly names: readonly string[];
  readonly call: ZodType;
  readonly answer: ZodType;
}

function pair(result: string, call: z.ZodRawShape, answer: z.ZodRawShape, more: Partial<Pair> = {}): Pair {
  const shapes = { call: z.object(call), answer: z.object(answer) };
  return { result, id: 'call_id', names: ['call_id'], ...shapes, ...more };
}

const name = z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/);
const output = z.union([z.string(), z.array(z.unknown())]);
const chunk = z.object({ stdout: z.string(), stderr: z.string(), outcome: object });
const screenshot = z.looseObject({}).refine(...oneOf('image_url', 'file_id'));

/** Pairs by the type of the call. */
export const PAIRS: Readonly<Record<string, Pair>> = {
  function_call: pair('function_call_output', { name, arguments: z.string() }, { output }),
  custom_tool_call: pair('custom_tool_call_output', { name, input: z.string() }, { output }),
  local_shell_call: pair(
    'local_shell_call_output',
    { action: object },
    { output: z.string() },
    { names: ['call_id', 'id'] },
  ),
  shell_call: pair('shell_call_output', { action: object }, { output: z.array(chunk) }),
  apply_patch_call: pair(
    'apply_patch_call_output',
    { operation: object },
    { status: z.enum(['completed', 'failed']) },
  ),
  computer_call: pair('computer_call_output', {}, { output: screenshot }),
  mcp_approval_request: pair(
    'mcp_approval_response',
    { name, arguments: z.string() },
    { approve: z.boolean() },
    { id: 'id', names: ['approval_request_id'] },
  ),
  tool_search_call: pair('tool_search_output', {}, {}),
};
