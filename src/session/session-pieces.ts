import type { Message } from '../transcript/index.js';
import { EarlyFill } from './ahead/early.js';
import { CallLine } from './call-line.js';
import { ClientSide } from './client/client-side.js';
import { Compaction } from './compaction.js';
import { PluginHooks } from './hooks/plugin-hooks.js';
import { LoopEnd } from './loop-end.js';
import { History } from './operator/history.js';
import { Plans } from './operator/plans.js';
import { SessionOperator } from './operator/session-operator.js';
import { Persistence } from './persistence/persistence.js';
import type { OpenedThread } from './persistence/stored-thread.js';
import { Reaction } from './reaction.js';
import { Recall } from './recall/index.js';
import { Requests } from './requests.js';
import { Runs } from './runs.js';
import type { SessionParts } from './session-parts.js';
import { Thread } from './thread.js';
import { UsageReports } from './usage-reports.js';

/** What the pieces of a session ask of the session itself. */
interface OwnDoors {
  readonly append: (message: Message) => Promise<void>;
  readonly appendAll: (messages: readonly Message[]) => Promise<void>;
  readonly load: () => Promise<unknown>;
  /** Tells the agent to go on if it has next steps. */
  readonly tellToContinue: () => Promise<void>;
  /** Has the next request compacted, also after a restart. */
  readonly queue: () => void;
}

/** Makes the pieces of a session, each of which owns its own state. `opened`: where it is kept, if anywhere. */
export function sessionPieces(parts: SessionParts, opened: OpenedThread | undefined, doors: OwnDoors) {
  const { append, appendAll, load, tellToContinue, queue } = doors;
  const thread = new Thread(parts, opened?.contents);
  const core = { thread, parts };
  const persistence = new Persistence(thread, parts, opened);
  const requests = new Requests(core, opened?.calls);
  const early = new EarlyFill(core, opened?.prepared);
  const hooks = new PluginHooks(core);
  const compaction = new Compaction({ ...core, early, hooks });
  const line = new CallLine();
  const runs = new Runs({ ...core, compaction, persistence, line, tellToContinue });
  const history = new History(core);
  const plans = new Plans({ ...core, history, hooks });
  return {
    ...core,
    persistence,
    requests,
    line,
    runs,
    loopEnd: new LoopEnd(core),
    recall: new Recall({ ...core, persistence }),
    reaction: new Reaction({ ...core, persistence }),
    client: new ClientSide({
      ...core,
      history,
      append: appendAll,
      load: () => persistence.load(),
      afterRuns: (change) => runs.between(() => persistence.changeStored(change)),
    }),
    reports: new UsageReports({ ...core, early, persistence, requests, queue }),
    operator: new SessionOperator({
      ...core,
      persistence,
      requests,
      history,
      plans,
      append,
      load,
      compactNow: (trigger, how) => runs.compactWhenIdle(trigger, how),
    }),
  };
}
