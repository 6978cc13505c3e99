export { Breakers, BreakerOpen, createBreaker, type Breaker, type BreakerState } from './breaker.js';
export { artifactKey, MemoryArtifacts, storedArtifacts, type Artifact, type Artifacts } from './artifacts.js';
export { chunksOf, type Chunk, type ChunkRequest } from './chunks.js';
export {
  Filler,
  slotted,
  type AheadRequest,
  type Filled,
  type FillerParts,
  type FillRequest,
} from './fill.js';
export { judgeAnswer, type GateRequest, type Verdict } from './gate.js';
export { languageOf } from './language.js';
export { createModelSummarizer, type ModelSettings, type SummarizerFields } from './model.js';
export {
  filledIn,
  loadPrompts,
  parsePrompt,
  PROMPT_FILES,
  PROMPT_NAMES,
  writePrompts,
  type Prompt,
  type Prompts,
} from './prompts.js';
export { slotSource, type SlotSource } from './source.js';
export { makeFolder } from './make-folder.js';
export { promptsFor } from './open.js';
export { BoughtOnce } from './once.js';
export {
  openFillers,
  type FillersRequest,
  type FillSettings,
  type OpenFiller,
  type OpenRequest,
} from './open.js';
