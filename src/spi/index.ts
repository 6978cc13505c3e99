export * from './stage.js';
export * from './view.js';
export * from './token-counter.js';
export * from './wire-format.js';
export * from './provider.js';
export * from './summarizer.js';
export * from './session-store.js';
export * from './plugin.js';
/** Types of lower floors that a view refers to. */
export type { References, ReadStatus, Supersession } from '../text/facts/index.js';
export { grouped } from '../tokens/index.js';
/** The tools for stages: the built-in stages use nothing else. */
export * from './tools/index.js';
/** Functions over lists of messages as stages, and the conversion of a list to edits. */
export * from './lists/index.js';
export {
  cutArguments,
  cutText,
  isCut,
  isStub,
  keyLines,
  stubFor,
  type Count,
  type CutRequest,
  type Digest,
  type DigestRequest,
  type KeyLineOptions,
  type StubFacts,
} from '../text/digest/index.js';
export {
  callLabel,
  noteOfResult,
  oneLine,
  outcomeOf,
  plainName,
  proseOf,
  quoted,
  type ResultNote,
} from '../text/reading/index.js';
export {
  isToolCall,
  isToolResult,
  partHandle,
  spanHandle,
  textOf,
  type Edit,
  type FilePart,
  type Handle,
  type Made,
  type Message,
  type Part,
  type Replace,
  type Steps,
  type Supersede,
  type TextPart,
  type ToolCallPart,
  type ToolResultPart,
  type ViewMessage,
} from '../transcript/index.js';
