/** Judges of what Spillway sends. Those in `wire/` import nothing of Spillway, so that no mistake is made twice. */
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
/** What a store is held to, as rules that any test runner can run. */
export { STORE_RULES, type OpenStore, type StoreRule } from './stores/index.js';
export { validateAiSdk, type AiSdkFault, type AiSdkRule } from './wire/ai-sdk.js';
/** What a stage is held to. */
export { STAGE_RULES, type StageRule } from './stages/rules.js';
export type { StageSubject } from './stages/sweep.js';
/** Generated sessions to try anything on. */
export { Dice, historyOf, ORDERLY, TRAITS, type HistoryOptions, type Trait } from './histories/index.js';
export { validateLangChain, type LangChainFault, type LangChainRule } from './wire/langchain.js';
/** What a wire format is held to. */
export { FORMAT_RULES, type FormatSubject } from './formats/index.js';
/** What a summarizer is held to. */
export { SUMMARIZER_RULES } from './summarizer-rules.js';
/** What a plugin is held to. */
export { PLUGIN_RULES, type PluginSubject } from './plugin-rules.js';
/** All contracts, and what of a module can be put to them. */
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
