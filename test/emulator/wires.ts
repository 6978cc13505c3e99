import { anthropicMessages } from './anthropic-messages.js';
import { openaiChat } from './openai-chat.js';
import { openaiResponses } from './openai-responses.js';
import type { EmulatedWire } from './wire.js';

export const WIRES: readonly EmulatedWire[] = [openaiChat, openaiResponses, anthropicMessages];
