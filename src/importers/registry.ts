import { formats } from '../wire/index.js';
import { liveMcpBench, miniSweAgent, tau2Bench, tauBench } from './chat-runs/index.js';
import { claudeCode } from './claude-code/index.js';
import { codex } from './codex/index.js';
import { copilot } from './copilot/index.js';
import { corpus } from './corpus/index.js';
import { geminiCli, geminiCliLines } from './gemini-cli/index.js';
import type { LineImporter, WholeImporter } from './importer.js';
import { openCode } from './opencode/index.js';
import { pi } from './pi/index.js';
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
export const wholeImporters: readonly WholeImporter[] = [
  openCode,
  geminiCli,
  miniSweAgent,
  tauBench,
  tau2Bench,
  liveMcpBench,
  ...wireValues(formats),
];

/** Every name that `readSession` takes as `format`, besides `auto`. */
export const formatNames: readonly string[] = [
  ...new Set([
    ...formats.keys(),
    ...lineImporters.map((importer) => importer.name),
    ...wholeImporters.map((importer) => importer.name),
  ]),
];
