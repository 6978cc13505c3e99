export { Breakers, BreakerOpen, type BreakerState } from './breaker.js';
export { artifactKey, MemoryArtifacts, storedArtifacts, type Artifact } from './artifacts.js';
export { chunksOf, type Chunk } from './chunks.js';
export { Filler, type Filled, type FillerParts } from './fill.js';
export { judgeAnswer, type Verdict } from './gate.js';
export { languageOf } from './language.js';
export type { SummarizerFields } from './model.js';
export {
  filledIn,
  loadPrompts,
  parsePrompt,
  PROMPT_FILES,
  PROMPT_NAMES,
  writePrompts,
  type Prompt,
} from './prompts.js';
export type { SlotSource } from './source.js';
export { makeFolder } from './make-folder.js';
export { promptsFor } from './open.js';
export { BoughtOnce } from './once.js';
export { openFillers, type OpenFiller } from './open.js';
