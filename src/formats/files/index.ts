/** How one format gets at the bytes of another's files, and writes them in its own way. */
export { bytesOf } from './readers.js';
export { sourceOfUrl, urlOf, type FileReader, type FileSource } from './source.js';
export { anthropicFileBlock, fileOfBlock } from './anthropic.js';
export { responsesFilePart } from './openai-responses.js';
export { aiSdkFilePart, aiSdkResultFile, fileOfItem } from './ai-sdk.js';
export { geminiFilePart } from './gemini.js';
