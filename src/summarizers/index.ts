export { Breakers, BreakerOpen, createBreaker, type Breaker, type BreakerState } from './breaker.js';
export { Filler, slotted, type Filled, type FillerParts, type FillRequest } from './fill.js';
export { judgeAnswer, type GateRequest, type Verdict } from './gate.js';
export { createModelSummarizer, type ModelSettings } from './model.js';
export { filledIn, loadPrompts, parsePrompt, PROMPT_NAMES, type Prompt, type Prompts } from './prompts.js';
export { chunksOf, slotSource, type ChunkRequest, type SlotSource } from './source.js';
export { openFillers, type FillersRequest, type FillSettings, type OpenFiller } from './open.js';
