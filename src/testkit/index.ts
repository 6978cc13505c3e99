/** Validators for Spillway's requests. Those in `wire/` import nothing of Spillway, so that they repeat no mistake. */
export { validateAnthropic, type AnthropicFault, type AnthropicRule } from './wire/anthropic.js';
export { validateOpenAiChat, type Rule, type Violation } from './wire/openai-chat.js';
export {
  validateOpenAiResponses,
  type ResponsesRule,
  type ResponsesViolation,
} from './wire/openai-responses.js';
export {
  validateGemini,
  type GeminiRule,
  type GeminiValidatorOptions,
  type GeminiViolation,
} from './wire/gemini.js';
export type {
  WireFault,
  WireOptions as AiSdkOptions,
  WireOptions as LangChainOptions,
  WireOptions as ResponsesValidatorOptions,
  WireOptions as ValidatorOptions,
} from './wire/faults.js';
export { validators, type WireValidator } from './validators.js';
export {
  judge,
  RuleBroken,
  type ContractRule,
  type Exercise,
  type NotExercised,
  type Verdict,
} from './rule.js';
/** The rules for a store, for any test runner. */
export { STORE_RULES, type OpenStore, type StoreRule } from './stores/index.js';
export { validateAiSdk, type AiSdkFault, type AiSdkRule } from './wire/ai-sdk.js';
/** The rules for a stage. */
export { STAGE_RULES, type StageRule } from './stages/rules.js';
export type { StageSubject } from './stages/sweep.js';
/** Generated sessions for tests. */
export { Dice, historyOf, ORDERLY, TRAITS, type HistoryOptions, type Trait } from './histories/index.js';
export { validateLangChain, type LangChainFault, type LangChainRule } from './wire/langchain.js';
/** The rules for a wire format. */
export { FORMAT_RULES, type FormatSubject } from './formats/index.js';
/** The rules for a summarizer. */
export { SUMMARIZER_RULES } from './summarizer-rules.js';
/** The rules for a plugin. */
export { PLUGIN_RULES, type PluginSubject } from './plugin-rules.js';
/** All contracts, and the parts of a module that they apply to. */
export {
  candidatesIn,
  pluginCandidates,
  CONTRACTS,
  type Candidate,
  type ConformSettings,
  type ContractKind,
  type ListedContract,
  type Waivable,
} from './contracts.js';
