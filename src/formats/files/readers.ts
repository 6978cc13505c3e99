import { fileSource, type FileReader, type FileSource } from './source.js';
import { aiSdkFiles } from './ai-sdk.js';
import { anthropicFiles } from './anthropic.js';
import { geminiFiles } from './gemini.js';
import { responsesFiles } from './openai-responses.js';
import { bytesOf as newBytesOf } from '../files.js';
import type { FilePart, Message } from '../../transcript/index.js';

/** One entry a wire format: how the others get at the bytes of its files. */
const readers: Readonly<Record<string, FileReader>> = {
  'ai-sdk': aiSdkFiles,
  anthropic: anthropicFiles,
  gemini: geminiFiles,
  'openai-responses': responsesFiles,
};

/** The bytes of a file part, whichever format it came in; undefined where nobody can say. */
export function bytesOf(message: Message, part: FilePart): FileSource | undefined {
  return newBytesOf(message, part) ?? fileSource(message, part, readers);
}
