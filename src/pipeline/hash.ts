import { createHash } from 'node:crypto';
import type { Plan } from '../transcript/index.js';

/** Names a plan by its content: what was previewed is what is applied. Keys are written in a fixed order by `planRun`. */
export function hashPlan(plan: Omit<Plan, 'hash'>): string {
  return createHash('sha256').update(JSON.stringify(plan)).digest('hex');
}
