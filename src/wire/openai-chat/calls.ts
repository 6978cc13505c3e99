import type { ToolCallPart } from '../../transcript/index.js';
import { isFields, isText, jsonText, kindOf, listOf, type Fields } from '../record.js';
import { LEGACY_CALL, type WireMessage } from './wire.js';
import { SAID, type Report } from '../conversation/repairs.js';

/** A call as it was found: `derived` says that its id is ours, because the wire has none. */
export interface FoundCall {
  readonly part: ToolCallPart;
  readonly derived: boolean;
}

/** The calls of an assistant message. Ids that are missing come from the message's position. */
export function parseCalls(wire: WireMessage, messageId: string, report: Report): FoundCall[] {
  const calls = listOf(wire.tool_calls).map((call, index) => parseCall(call, index, messageId, report));
  if (isFields(wire[LEGACY_CALL])) {
    const { name, args } = namedCall(wire[LEGACY_CALL], 'arguments', report);
    const callId = `call_${messageId}`;
    const part: ToolCallPart = { type: 'tool-call', callId, name, arguments: args, wire: LEGACY_CALL };
    calls.push({ part, derived: true });
  }
  return calls;
}

function parseCall(call: unknown, index: number, messageId: string, report: Report): FoundCall {
  const fields = isFields(call) ? call : {};
  const derived = !isText(fields.id);
  const callId = derived ? `call_${messageId}_${index}` : String(fields.id);
  if (derived) report('missing-call-id', SAID.noCallId(index, callId));
  const { name, args } = isFields(fields.custom)
    ? namedCall(fields.custom, 'input', report)
    : namedCall(isFields(fields.function) ? fields.function : {}, 'arguments', report);
  return { part: { type: 'tool-call', callId, name, arguments: args, wire: index }, derived };
}

function namedCall(named: Fields, field: string, report: Report): { name: string; args: string } {
  const value = named[field];
  const name = typeof named.name === 'string' ? named.name : 'unknown';
  if (typeof value === 'string') return { name, args: value };
  report('arguments-not-text', `the arguments of ${name} are ${kindOf(value)}; written as JSON text`);
  return { name, args: value === undefined ? '{}' : jsonText(value) };
}
