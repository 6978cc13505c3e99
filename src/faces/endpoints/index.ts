/** Providers' endpoints, except their wire formats: usage, answers of Spillway's own, recall as a tool. */
export { MESSAGES } from './anthropic.js';
export { CHAT } from './chat.js';
export { RESPONSES } from './responses.js';
export { eventText, type Endpoint, type Fault } from './endpoint.js';
export * from './turn.js';
export { isStream, lastAnswer, streamedAnswers, type RecallTurn } from './recall/recaller.js';
export * from './recall/blocks.js';
export * from './recall/wire.js';
export { firstCount, usageIn } from './usage.js';
