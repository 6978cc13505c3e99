import { LOG_RULES } from './log-rules.js';
import { REOPEN_RULES } from './reopen-rules.js';
import type { StoreRule } from './rule.js';
import { SIDE_RULES } from './side-rules.js';
import { WRITE_RULES } from './write-rules.js';

export type { OpenStore, StoreRule } from './rule.js';

/** All rules for a `SessionStore`, in order. Each rule needs its own empty store. */
export const STORE_RULES: readonly StoreRule[] = [
  ...LOG_RULES,
  ...WRITE_RULES,
  ...SIDE_RULES,
  ...REOPEN_RULES,
].sort((a, b) => (a.id < b.id ? -1 : 1));
