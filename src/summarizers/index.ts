export { artifactKey, TextBuyer, memoryOfTexts, type Artifact } from './artifacts.js';
export { Breakers, BreakerOpen, type BreakerState } from './breaker.js';
export { chunksOf, type Chunk } from './chunks.js';
export { Filler, type FillResult, type FillerParts } from './fill.js';
export { judgeAnswer, type Verdict } from './gate.js';
export { languageOf } from './language.js';
export type { SummarizerFields } from './model.js';
export { openFillers, promptsFor, type OpenFiller } from './open.js';
export {
  fillTemplate,
  loadPrompts,
  makeFolder,
  parsePrompt,
  PROMPT_FILES,
  PROMPT_NAMES,
  writePrompts,
  type Prompt,
} from './prompts.js';
export type { SlotSource } from './source.js';
