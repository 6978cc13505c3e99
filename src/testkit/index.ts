/** Judges of what Spillway sends. They import nothing of Spillway, so that no mistake is made twice. */
export { validateOpenAiChat, type Rule, type ValidatorOptions, type Violation } from './wire/openai-chat.js';
