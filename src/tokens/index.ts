export { createExactCounter, type Encoding } from './exact.js';
export { heuristicCounter } from './heuristic.js';
export { countedAhead, memoised } from './memo.js';
export {
  CALL_TOKENS,
  createMeasure,
  IMAGE_TOKENS,
  LOW_DETAIL_IMAGE_TOKENS,
  countOf,
  measureTools,
  MESSAGE_TOKENS,
} from './measure.js';
export {
  DEFAULT_WINDOW,
  type LimitOverride,
  type Limits,
  type LimitSource,
  type ModelLimits,
} from './limits.js';
export { createCatalogue, type Catalogue, type LearnedLimits } from './catalogue.js';
export { copyOfBudget, deriveBudget, grouped, type Budget, type BudgetRequest } from './budget.js';
export {
  basisOf,
  calibrate,
  estimateOf,
  inputOf,
  ratioAt,
  UNCALIBRATED,
  type Basis,
  type Calibration,
  type Usage,
  type UsageReport,
} from './calibration.js';
export { overflowed, readPressure, type Binding, type Reading, type ReadingRequest } from './reading.js';
export { loadPrices, type PriceOf } from './published.js';
