import { SpillwayError } from '../errors/index.js';
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

/** A wire format by its name; one of your own is taken as it is. Throws `INPUT_FORMAT`. */
export function formatNamed(format: string | WireFormat): WireFormat {
  if (typeof format !== 'string') return format;
  const known = formats.get(format);
  if (known) return known;
  throw new SpillwayError('INPUT_FORMAT', {
    subject: 'wire format',
    found: format,
    allowed: [...formats.keys()].join(', '),
    remedy: 'Name one of these, or pass a format of your own.',
  });
}
