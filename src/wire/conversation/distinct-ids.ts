import type { ToolCallPart } from '../../transcript/index.js';
import { SAID, type Report } from './repairs.js';
import { wellFormed } from './well-formed.js';

/**
 * Ids for the calls of one message where two share one, or one cannot be encoded; empty where all can stay. Made from the
 * id and its count, so that the same message always gets the same ids. (The same id in another message is no harm: it
 * pairs with the results that follow it there.)
 */
export function distinctIds(calls: readonly ToolCallPart[], note: Report): readonly string[] {
  const sound = calls.map(({ callId }) => wellFormed(callId));
  const isSound = sound.every((id, at) => id === calls[at]!.callId);
  if (!isSound) note('lone-surrogate', SAID.surrogates);
  const taken = new Set(sound);
  if (taken.size === calls.length) return isSound ? [] : sound;
  const seen = new Map<string, number>();
  return sound.map((callId) => {
    let count = (seen.get(callId) ?? 0) + 1;
    let id = callId;
    for (; count > 1 && taken.has(id); count++) id = `${callId}_${count}`;
    seen.set(callId, Math.max(count - 1, 1));
    if (id !== callId) {
      taken.add(id);
      note('call-id', `two calls of one message are called ${callId}; one is sent as ${id}`);
    }
    return id;
  });
}
