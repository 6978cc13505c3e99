/**
 * What every format needs that writes each result behind its call: pairing within a step, and the repair of what the
 * log itself holds broken.
 */
export { CallBook, type PastCall } from './call-book.js';
export { distinctIds } from './ids.js';
export { createRewriter, endOfStep, type Outbox } from './rewriter.js';
export { createStepWriter, type Answer, type Draft, type DraftCall, type StepDialect } from './writer.js';
