import type { WireFormat } from '../spi/index.js';
import { claudeCode } from './claude-code/index.js';
import { corpus } from './corpus/index.js';
import type { LineImporter } from './importer.js';
import { chatLines, openaiChat } from './openai-chat/index.js';

/** Wire formats a session can speak, by name. */
export const formats: ReadonlyMap<string, WireFormat> = new Map([[openaiChat.name, openaiChat]]);

/** Files with one JSON object per line. In order of recognition: the surest marks first. */
export const importers: readonly LineImporter[] = [corpus, claudeCode, chatLines];

/** Every name that `readSession` takes as `format`, besides `auto`. */
export const formatNames: readonly string[] = [
  ...new Set([...formats.keys(), ...importers.map((importer) => importer.name)]),
];
