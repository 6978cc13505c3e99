import type { Message, Trigger } from '../../transcript/index.js';
import type { Persistence } from '../persistence/persistence.js';
import type { RunReport } from '../prepared.js';
import type { Requests } from '../requests.js';
import type { ManualRun } from '../runs.js';
import type { SessionCore } from '../session-parts.js';
import type { History } from './history.js';
import type { Plans } from './plans.js';

/** What the operator's side needs of its session. */
export interface OperatorParts extends SessionCore {
  readonly persistence: Persistence;
  readonly requests: Requests;
  readonly history: History;
  readonly plans: Plans;
  readonly append: (message: Message) => Promise<void>;
  readonly load: () => Promise<unknown>;
  /** One run, after whatever is under way. */
  readonly compactNow: (trigger: Trigger, how: ManualRun) => Promise<RunReport>;
}
