import type { Message, ViewMessage } from '../../transcript/index.js';

/** Drafts each view message once, by its message object: a view that is written again allocates only where it changed. */
export function drafted<Draft>(make: (shown: ViewMessage) => Draft): (shown: ViewMessage) => Draft {
  const known = new WeakMap<Message, Draft>();
  return (shown) => {
    const found = known.get(shown.message);
    if (found !== undefined) return found;
    const draft = make(shown);
    known.set(shown.message, draft);
    return draft;
  };
}
