/** The six wire formats, for parsing and serialising, and the code that readers of recordings share with them. */
export { anthropic, fitCacheMarks } from './anthropic/index.js';
export { aiSdk } from './ai-sdk/index.js';
export { bareMessage, langchain } from './langchain/index.js';
export { gemini } from './gemini/index.js';
export { isKnownRole, openaiChat, withTurns } from './openai-chat/index.js';
export { openaiResponses } from './openai-responses/index.js';
export { readOverflow, readOverflowOf } from './provider/overflow.js';
export { isSignatureRefusal } from './provider/signature-refusal.js';
export { sameMessage } from './provider/same-message.js';
export { withoutHostTrimming, type Untrimmed } from './provider/truncation.js';
export { countIn } from './provider/lore.js';
export { sameItem } from './conversation/same-item.js';
export { refuseForeign } from './faults.js';
export { wordsIn } from './files.js';
export { instructionsIn, isInstruction, isProgramWritten } from './conversation/reading.js';
export {
  entryOf,
  fieldsOf,
  isFields,
  isText,
  jsonIn,
  jsonText,
  kindOf,
  listOf,
  numberIn,
  type Fields,
} from './record.js';
export { formatNamed, formats } from './registry.js';
