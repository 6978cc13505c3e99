export { Spillway, type ListedKnobs, type ListedPlugin, type ListedStage } from './spillway.js';
export type { HookInFlight } from './plugins/index.js';
export type { ReadInstructions } from './hooks/instructions.js';
export type { SessionOptions } from './session-options.js';
export type { EngineEvent, EventPlace } from './engine-events.js';
export { SessionMap, type SessionMapOptions } from './session-map.js';
export { Session } from './session.js';
export { sessionIn } from './wiring.js';
export type { Follower } from './client/follow.js';
export type { Recall } from './recall/index.js';
export type { SessionOperator } from './operator/session-operator.js';
export type { Effects, Pipeline, SessionServices } from './services.js';
export { costsOf, type Costs, type CostLine } from './costs.js';
export type { Gauge } from './gauge.js';
export type { Prepared, RunReport } from './prepared.js';
export { replaySession, type ReplayedCall } from './replay.js';
export type { RunOverrides } from './policies.js';
export type { AuditTrail } from './audit.js';
export type { Flight } from './call-line.js';
export type { CallRecord } from './calls.js';
export {
  forgetLimits,
  learnedLimits,
  type LearnedLimit,
  type SeenLimit,
  type TenantLimit,
} from './learned-limits.js';
export type { GiveBackRequest, GivenBack, WordsGivenBack } from './operator/give-back.js';
export type { UndoRequest } from './operator/history.js';
export type { DryRun, PlanChanges } from './operator/plans.js';
export type { Injection, PrepareOptions } from './requests.js';
export type { Compared, Followed, FollowOptions } from './client/follow.js';
export { commandAnswer } from './client/history.js';
export type { OverflowVerdict } from './reaction.js';
export { prefixCacheOf, type NetCost, type PrefixCache } from './net-cost.js';
export type {
  Disposition,
  ExplainedCall,
  ExplainedMessage,
  Finding,
  TranscriptEntry,
} from './operator/past.js';
export { recalledText, recallTool, type Recalled, type RecallRequest } from './recall/index.js';
export { listSessions, type ListedSession } from './persistence/stored-thread.js';
export { inSlices } from './slices.js';
