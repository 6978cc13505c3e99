import type { OpaquePart, ToolCallPart } from '../../transcript/index.js';
import { type Fields, fieldsOf, isText } from '../record.js';

/** Anthropic's blocks and LangChain's own, and OpenAI's programs, of tools that the provider runs itself. */
const CALL = /._tool_use$|^server_tool_call$|^program$/;
const RESULT = /._tool_result$|^server_tool_call_result$|^program_output$/;

/** Which call a block is, or answers, where a tool of the provider's made it: that one may pause between the two. */
export function serverCallOf(block: Fields): Pick<OpaquePart, 'calls' | 'answers'> {
  const { type } = block;
  if (!isText(type)) return {};
  const id = block.call_id ?? block.id;
  if (CALL.test(type)) return isText(id) ? { calls: id } : {};
  const answered = block.tool_use_id ?? block.toolCallId ?? block.tool_call_id ?? block.call_id;
  return RESULT.test(type) && isText(answered) ? { answers: answered } : {};
}

/** The program of the provider's that makes a call, by the `caller` that the call names. */
export function madeBy(caller: unknown): Pick<ToolCallPart, 'by'> {
  const { tool_id: ofAnthropic, toolId, caller_id: ofOpenAi, callerId } = fieldsOf(caller);
  const by = [ofAnthropic, toolId, ofOpenAi, callerId].find(isText);
  return by === undefined ? {} : { by };
}
