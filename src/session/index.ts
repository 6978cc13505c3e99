export { Spillway, type Effects, type ListedStage, type SessionOptions } from './spillway.js';
export { Session } from './session.js';
export type { SessionParts } from './state.js';
export type { Costs, CostLine } from './costs.js';
export type { Gauge } from './gauge.js';
export type { Prepared, RunReport } from './prepared.js';
export type { Disposition } from './explain.js';
export { replaySession, type ReplayedCall } from './replay.js';
