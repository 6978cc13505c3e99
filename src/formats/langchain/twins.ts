import type { ToolCallPart } from '../../transcript/index.js';
import { asText, isFields, isText, itemAt, jsonText, type Fields } from '../record.js';

/** Blocks that repeat a call of `tool_calls` in the content, as the provider wrote them. */
const TWINS: ReadonlySet<unknown> = new Set(['tool_use', 'tool_call', 'tool_call_chunk', 'functionCall']);

export function isTwin(block: unknown): block is Fields {
  return isFields(block) && TWINS.has(block.type);
}

/**
 * Updates blocks that repeat a call: blocks with an id in order, because two calls may share one, and blocks without an
 * id by the calls of their name that had no id. `known` are the calls as the message has them.
 */
export function createTwinUpdater(
  made: readonly ToolCallPart[],
  written: readonly Fields[],
  known: readonly unknown[],
): (block: Fields) => Fields {
  const calls = new Map<string, Fields[]>();
  made.forEach(({ callId, name, wire }, at) => {
    const isNamed = isText(itemAt(known, wire)?.id);
    for (const key of isNamed ? [idOf(callId)] : [idOf(callId), nameOf(name)])
      calls.set(key, [...(calls.get(key) ?? []), written[at]!]);
  });
  const turns = new Map<string, number>();
  return (block) => {
    const key = isText(block.id) ? idOf(block.id) : nameOf(block.name);
    const candidates = calls.get(key);
    if (!candidates) return block;
    // The block types of the provider and of LangChain may both be present.
    const turn = `${asText(block.type)} ${key}`;
    const at = turns.get(turn) ?? 0;
    turns.set(turn, at + 1);
    return updatedTwin(block, candidates[Math.min(at, candidates.length - 1)]!);
  };
}

const idOf = (id: string): string => `id ${id}`;
const nameOf = (name: unknown): string => `name ${asText(name)}`;

function updatedTwin(block: Fields, call: Fields): Fields {
  const fields = (['input', 'args'] as const).filter(
    (field) => field in block && jsonText(block[field]) !== jsonText(call.args),
  );
  if (block.id === call.id && fields.length === 0) return block;
  return { ...block, id: call.id, ...Object.fromEntries(fields.map((field) => [field, call.args])) };
}
