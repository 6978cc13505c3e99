import type { OpaquePart, ToolCallPart } from '../../transcript/index.js';
import { type Fields, fieldsOf, isText } from '../record.js';

/** Types of blocks for tools that the provider runs itself: Anthropic's, LangChain's own, and OpenAI's programs. */
const CALL = /._tool_use$|^server_tool_call$|^program$/;
const RESULT = /._tool_result$|^server_tool_call_result$|^program_output$/;

/** The call that a block makes or answers, if the provider runs its tool: the provider may pause between the two. */
export function serverCallOf(block: Fields): Pick<OpaquePart, 'calls' | 'answers'> {
  const { type } = block;
  if (!isText(type)) return {};
  const id = block.call_id ?? block.id;
  if (CALL.test(type)) return isText(id) ? { calls: id } : {};
  const answered = block.tool_use_id ?? block.toolCallId ?? block.tool_call_id ?? block.call_id;
  return RESULT.test(type) && isText(answered) ? { answers: answered } : {};
}

/** The provider's program that makes a call, by the call's `caller`. */
export function programOf(caller: unknown): Pick<ToolCallPart, 'by'> {
  const { tool_id: ofAnthropic, toolId, caller_id: ofOpenAi, callerId } = fieldsOf(caller);
  const by = [ofAnthropic, toolId, ofOpenAi, callerId].find(isText);
  return by === undefined ? {} : { by };
}
