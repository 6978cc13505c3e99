export { Breakers, BreakerOpen, createBreaker, type Breaker, type BreakerState } from './breaker.js';
export { judgeAnswer, type GateRequest, type Verdict } from './gate.js';
export { createRedact, type Redact, type Redacted } from './redact.js';
