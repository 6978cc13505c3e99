import { isToolCall, isToolResult, type LogMessage } from '../transcript/index.js';
import { escaped, middleCut } from './quote.js';

/** Calls by which agents keep a plan: todo lists, plans with step states. */
const PLAN_TOOL = /todo|plan|task_?list|checklist/i;

/** Plans are short; of a longer argument head and tail are shown. In characters. */
const LONGEST_CHARS = 6_000;

/** All that an exchange does is to write its plan down. */
export function isPlanning(exchange: readonly LogMessage[]): boolean {
  const calls = exchange.flatMap(({ parts }) => parts.filter(isToolCall));
  return calls.length > 0 && calls.every(({ name }) => PLAN_TOOL.test(name));
}

/** How the agent's plan stood at the end of a source, as it was written down; undefined where there was none. */
export function todosOf(
  messages: readonly LogMessage[],
  redact: (text: string) => string,
): string | undefined {
  for (const { parts } of [...messages].reverse())
    for (const part of [...parts].reverse())
      if (isToolCall(part) && PLAN_TOOL.test(part.name) && !failed(messages, part.callId))
        return escaped(middleCut(redact(part.arguments), LONGEST_CHARS));
  return undefined;
}

function failed(messages: readonly LogMessage[], callId: string): boolean {
  return messages.some(({ parts }) =>
    parts.some((part) => isToolResult(part) && part.callId === callId && part.isError === true),
  );
}
