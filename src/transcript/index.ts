export * from './message.js';
export { checkMessage } from './check-message.js';
export * from './exchange.js';
export { Log, type LeftMessage, type ReadonlyLog } from './log.js';
export { LogReader, type LogFold } from './log-reader.js';
export {
  copied,
  isPlain,
  jsonOf,
  listFrom,
  NotCopyable,
  whyNotCopyable,
  type CopyOptions,
} from './copied.js';
export * from './edit.js';
export * from './view.js';
export { replacePart, withContent } from './replace.js';
export { Projection, renderAll } from './projection.js';
export { firstAtLeast } from './first-at-least.js';
export { WeakCache } from './weak-cache.js';
export * from './plan.js';
export * from './ledger-event.js';
export { GENESIS, Ledger, movedOn, type HoldOf } from './ledger.js';
export * from './handle.js';
export { endOfString, isRecord, NumberLiteral, objectIn, parseJson, parseSaid, writeJson } from './json.js';
export { parsingJson } from './parsing-json.js';
export {
  isRecallAnswer,
  isRecallCall,
  NOTHING_RECALLED,
  offersRecall,
  RECALL_TOOL,
  RECALLED,
} from './recalled.js';
export { atOnce, madeIn, type Made, type Steps } from './steps.js';
export { pinWhole, type IsPinned } from './pins.js';
