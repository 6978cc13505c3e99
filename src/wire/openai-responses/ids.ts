import { createHash } from 'node:crypto';
import { wellFormed } from '../conversation/well-formed.js';

/** OpenAI's own limit: a longer `call_id` is answered with 400. */
const MAX_CALL_ID = 64;

/** OpenAI's rule for names in calls; a tool name of another provider may hold dots and slashes. */
const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

/**
 * The id under which a call of another format is sent: itself where the provider takes it, else a shorter one made from
 * it, so that both sides of the pair always get the same. Ids that came in on this wire are never changed: their server
 * made them (some use 450 characters).
 */
export function takenId(callId: string): string {
  if (callId !== '' && callId.length <= MAX_CALL_ID) return wellFormed(callId);
  const digest = createHash('sha256').update(callId).digest('hex').slice(0, 24);
  return `call_${digest}`;
}

/** An id that no call before it in this request has: `id`, `id_2`, `id_3`, …, within the limit. */
export function freeId(callId: string, taken: ReadonlySet<string>): string {
  let id = callId;
  for (let count = 2; taken.has(id); count++) {
    const ending = `_${count}`;
    const long = callId.length + ending.length > MAX_CALL_ID;
    id = `${long ? takenId(`${callId} again`) : callId}${ending}`;
  }
  return id;
}

export function takenName(name: string): string {
  if (NAME.test(name)) return name;
  return name.replace(/[^a-zA-Z0-9_-]+/g, '_').slice(0, 128) || 'unknown';
}
