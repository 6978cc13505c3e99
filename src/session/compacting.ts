import { EarlyFill } from './ahead/early.js';
import { Committer } from './commit.js';
import { Compaction } from './compaction.js';
import { PluginHooks } from './hooks/plugin-hooks.js';
import { Passes } from './passes.js';
import { Planner } from './planner.js';
import type { OpenedThread } from './persistence/stored-thread.js';
import type { SessionParts } from './session-parts.js';
import { StaleReasoning } from './stale-reasoning.js';
import type { Thread } from './thread.js';
import { Triggers } from './triggers.js';

/** Everything that makes a session's compactions, put together. */
export interface Compacting {
  readonly planner: Planner;
  readonly triggers: Triggers;
  readonly early: EarlyFill;
  readonly committer: Committer;
  readonly stale: StaleReasoning;
  readonly hooks: PluginHooks;
  readonly compaction: Compaction;
}

/** `opened`: where the session is kept, with what another process left prepared. */
export function compactingOf(thread: Thread, parts: SessionParts, opened?: OpenedThread): Compacting {
  const planner = new Planner(thread, parts);
  const triggers = new Triggers(thread, parts);
  const early = new EarlyFill(thread, planner, parts, opened?.prepared);
  const committer = new Committer(thread, parts);
  const passes = new Passes(planner, committer, parts.timer);
  const stale = new StaleReasoning(passes);
  const hooks = new PluginHooks(thread, parts);
  const services = { thread, planner, triggers, passes, stale, committer, early, hooks, parts };
  return { planner, triggers, early, committer, stale, hooks, compaction: new Compaction(services) };
}
