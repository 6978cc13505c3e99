export { contextOf, IllegalList, standingIn, type ContextMessage, type Standing } from './context.js';
export { editsOfList, type ListOrigin } from './edits.js';
export { reducerStage, type Reduce, type Reduced, type ReducerBudget, type ReducerStage } from './reducer.js';
