import type { Message, Part, ToolCallPart } from '../../transcript/index.js';
import { answeredId } from '../conversation/past.js';
import { type PieceContext, listParser } from '../conversation/reader.js';
import { toolsAndModel, callIdOf, logMessage } from '../conversation/reading.js';
import { REPAIRS, type Report } from '../conversation/repairs.js';
import { asText, isFields, isText, jsonText, kindOf, listOf, type Fields } from '../record.js';
import {
  FORMAT,
  isKnownRole,
  parseContent,
  REASONING_DETAILS,
  REASONING_FIELDS,
  ROLES,
  type WireMessage,
} from './wire.js';

/** A request body or a bare list. Each message keeps the object it came from as `wire`, unchanged. */
export const parser = listParser({
  format: FORMAT,
  allowed: 'a list of chat messages, or an object with such a list as `messages`',
  pass: 'a chat completions request body',
  field: 'messages',
  open: (body) => ({ list: body.messages, otherFields: toolsAndModel(body) }),
  idOf: ({ id }) => id,
  // `functions`, which `tools` replaced, has calls without ids, so that results cannot be told apart.
  foreign: ({ role, function_call: legacy }) =>
    role === 'function' || isFields(legacy) ? 'a call of `functions`' : undefined,
  isKnown: ({ role }) => isKnownRole(role),
  messagesOf: ([wire], piece) => [messageOf(wire, piece)],
});

function messageOf(wire: WireMessage, piece: PieceContext): Message {
  const { id, report } = piece;
  const name = typeof wire.name === 'string' ? { name: wire.name } : {};
  const about = { id, wire, wireFormat: FORMAT, ...name };
  const role = ROLES.get(wire.role);
  const content = parseContent(wire.content, report);
  if (!role) report('unknown-role', REPAIRS.unknownRole(jsonText(wire.role) || 'missing'));
  if (role === 'tool') {
    const callId = answeredId(wire, piece);
    return logMessage(role, about, [{ type: 'tool-result', callId, ...name, content }]);
  }
  if (role !== 'assistant') return logMessage(role, about, content);
  const calls = callsIn(wire, id, report);
  return logMessage(role, about, [...thinkingIn(wire), ...content, ...refusalIn(wire), ...calls]);
}

function thinkingIn(wire: WireMessage): Part[] {
  // The signatures and sealed data of all providers behind a router, joined.
  const details = listOf(wire[REASONING_DETAILS]).filter(isFields);
  const proof = details.flatMap((one) => [one.signature, one.data].filter(isText)).join('');
  const signed = proof === '' ? {} : { signature: proof };
  // OpenRouter sends the same thinking in both fields: count it once, write it back to both.
  const fields = REASONING_FIELDS.filter(
    (field, at) =>
      isText(wire[field]) && !REASONING_FIELDS.slice(0, at).some((other) => wire[other] === wire[field]),
  );
  const parts = fields.map((field): Part => ({
    type: 'reasoning',
    text: asText(wire[field]),
    ...signed,
    wire: field,
  }));
  if (parts.length > 0 || proof === '') return parts;
  return [{ type: 'reasoning', text: '', ...signed, wire: REASONING_DETAILS }];
}

const refusalIn = ({ refusal }: WireMessage): Part[] =>
  isText(refusal) ? [{ type: 'text', text: refusal, wire: 'refusal' }] : [];

/** The calls of an assistant message. Missing ids are made from the message's position. */
function callsIn(wire: WireMessage, messageId: string, report: Report): ToolCallPart[] {
  return listOf(wire.tool_calls).map((call, index): ToolCallPart => {
    const { id, custom, function: called } = isFields(call) ? call : {};
    const callId = callIdOf(id, messageId, index, report);
    const said = isFields(custom) ? toolIn(custom, 'input', report) : toolIn(called, 'arguments', report);
    return { type: 'tool-call', callId, ...said, wire: index };
  });
}

function toolIn(call: unknown, field: string, report: Report): Pick<ToolCallPart, 'name' | 'arguments'> {
  const { name: own, [field]: args } = isFields(call) ? call : ({} as Fields);
  const name = typeof own === 'string' ? own : 'unknown';
  if (typeof args === 'string') return { name, arguments: args };
  report('arguments-not-text', `the arguments of ${name} are ${kindOf(args)}; written as JSON text`);
  return { name, arguments: args === undefined ? '{}' : jsonText(args) };
}
