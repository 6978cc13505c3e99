import type { ViewMessage } from '../../transcript/index.js';

/** A message of a request as operators see it: what it is, or what it stands for, and why. */
export function shown({ message, source, replaced, made, size, from, to }: ViewMessage): object {
  const [mark] = replaced?.values() ?? [];
  const by = mark ? { stage: mark.stage, reason: mark.reason } : made;
  return {
    id: message.id,
    role: message.role,
    ...(message.trust !== undefined && { trust: message.trust }),
    parts: message.parts,
    tokens: size.tokens,
    from,
    to,
    status: source ? (mark ? 'replaced' : 'original') : 'summary',
    ...(by && { by }),
  };
}
