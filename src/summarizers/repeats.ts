import { actionOf } from '../facts/index.js';
import {
  isToolCall,
  isToolResult,
  textOf,
  type LogMessage,
  type ToolCallPart,
  type ToolResultPart,
} from '../transcript/index.js';

/** Shorter results say it in less than a line that stands for them would save. In characters. */
const LEAST_COPY = 500;

/** Which call each result answers: the nearest earlier one with its id, as ids may come again. */
export function callsByResult(messages: readonly LogMessage[]): Map<ToolResultPart, ToolCallPart> {
  const open = new Map<string, ToolCallPart>();
  const calls = new Map<ToolResultPart, ToolCallPart>();
  for (const { parts } of messages)
    for (const part of parts) {
      if (isToolCall(part)) open.set(part.callId, part);
      else if (isToolResult(part)) {
        const call = open.get(part.callId);
        if (call) calls.set(part, call);
      }
    }
  return calls;
}

/** Results that a later one of these messages shows again: the answer to the same question, or the same text. */
export function repeatedResults(
  messages: readonly LogMessage[],
  calls: ReadonlyMap<ToolResultPart, ToolCallPart>,
): Set<ToolResultPart> {
  const repeated = new Set<ToolResultPart>();
  const asked = new Set<string>();
  const texts = new Set<string>();
  for (const { parts } of messages.toReversed())
    for (const part of parts.toReversed()) {
      if (!isToolResult(part)) continue;
      const text = textOf(part);
      if (text.length < LEAST_COPY) continue;
      const call = calls.get(part);
      const key = call ? actionOf(call).key : '';
      if (texts.has(text) || (key !== '' && asked.has(key))) repeated.add(part);
      texts.add(text);
      // What failed does not show what an earlier answer showed.
      if (key !== '' && part.isError !== true) asked.add(key);
    }
  return repeated;
}
