import type { OpaquePart } from '../../transcript/index.js';
import { type Fields, isText } from '../record.js';

/** Anthropic's blocks and LangChain's own, of tools that the provider runs itself. */
const CALL = /._tool_use$|^server_tool_call$/;
const RESULT = /._tool_result$|^server_tool_call_result$/;

/** Which call a block is, or answers, where a tool of the provider's made it: that one may pause between the two. */
export function serverCallOf(block: Fields): Pick<OpaquePart, 'calls' | 'answers'> {
  const { type, id } = block;
  if (!isText(type)) return {};
  if (CALL.test(type)) return isText(id) ? { calls: id } : {};
  const answered = block.tool_use_id ?? block.toolCallId ?? block.tool_call_id;
  return RESULT.test(type) && isText(answered) ? { answers: answered } : {};
}
