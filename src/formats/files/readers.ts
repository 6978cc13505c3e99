import { fileSource, type FileReader, type FileSource } from './source.js';
import { anthropicFiles } from './anthropic.js';
import { chatFiles } from './openai-chat.js';
import type { FilePart, Message } from '../../transcript/index.js';

/** One entry a wire format: how the others get at the bytes of its files. */
const readers: Readonly<Record<string, FileReader>> = {
  anthropic: anthropicFiles,
  'openai-chat': chatFiles,
};

/** The bytes of a file part, whichever format it came in; undefined where nobody can say. */
export function bytesOf(message: Message, part: FilePart): FileSource | undefined {
  return fileSource(message, part, readers);
}
