export { contextOf, IllegalList, standingIn, type ContextMessage, type Standing } from './context.js';
export {
  compactorStage,
  checkCompacted,
  type Compact,
  type Compacted,
  type CompactorStage,
} from './compactor.js';
export { editsOfList, type ListOrigin } from './edits.js';
export { reducerStage, type Reduce, type Reduced, type ReducerBudget, type ReducerStage } from './reducer.js';
