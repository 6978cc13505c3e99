import { formats } from '../../formats/index.js';
import { claudeCode } from './claude-code.js';
import { codex } from './codex.js';
import { copilot } from './copilot.js';
import { corpus } from './corpus.js';
import { geminiCli, geminiCliLines } from './gemini-cli.js';
import type { LineImporter, WholeImporter } from './recording.js';
import { openCode } from './opencode.js';
import { pi } from './pi.js';
import { wireValues } from './recognise.js';

/** Files with one JSON object per line, each told by the first lines. In order: the surest marks first. */
export const lineImporters: readonly LineImporter[] = [
  corpus,
  claudeCode,
  codex,
  geminiCliLines,
  copilot,
  pi,
];

/** Files that are one JSON value, each told by that value. In order: the surest marks first, bare requests last. */
export const wholeImporters: readonly WholeImporter[] = [openCode, geminiCli, ...wireValues(formats)];

/** Every name that `readSession` takes as `format`, besides `auto`. */
export const formatNames: readonly string[] = [
  ...new Set([
    ...formats.keys(),
    ...lineImporters.map((importer) => importer.name),
    ...wholeImporters.map((importer) => importer.name),
  ]),
];
