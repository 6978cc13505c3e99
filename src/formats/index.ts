/** Wire formats (both ways) and importers of recorded sessions (reading only). */
export { anthropic, fitCacheMarks } from './anthropic/index.js';
export { aiSdk } from './ai-sdk/index.js';
export { langchain } from './langchain/index.js';
export { gemini } from './gemini/index.js';
export { openaiChat } from './openai-chat/index.js';
export { openaiResponses } from './openai-responses/index.js';
export { claudeCode } from './claude-code/index.js';
export { corpus } from './corpus/index.js';
export type { ImportedSession, LineImporter, SessionReader, Taken, WholeImporter } from './importer.js';
export { formatNamed, formatNames, formats, lineImporters, wholeImporters } from './registry.js';
export { readSession, type ReadOptions, type ReadSession } from './read.js';
export { unreadable } from './reading/faults.js';
export type { Progress } from './reading/source.js';
export { wireOf } from './recognise.js';
export { isFields, type Fields } from './record.js';
