import { SpillwayError } from '../errors/index.js';
import type { WireFormat } from '../spi/index.js';
import { liveMcpBench, miniSweAgent, tau2Bench, tauBench } from './chat-runs/index.js';
import { aiSdk } from './ai-sdk/index.js';
import { anthropic } from './anthropic/index.js';
import { claudeCode } from './claude-code/index.js';
import { codex } from './codex/index.js';
import { copilot } from './copilot/index.js';
import { corpus } from './corpus/index.js';
import { gemini } from './gemini/index.js';
import { geminiCli, geminiCliLines } from './gemini-cli/index.js';
import type { LineImporter, WholeImporter } from './importer.js';
import { langchain } from './langchain/index.js';
import { openaiChat } from './openai-chat/index.js';
import { openaiResponses } from './openai-responses/index.js';
import { openCode } from './opencode/index.js';
import { pi } from './pi/index.js';
import { wireValues } from './recognise.js';

/** Wire formats a session can speak, by name. How each shows in a file stands in `recognise.ts`. */
export const formats: ReadonlyMap<string, WireFormat> = new Map(
  [openaiChat, anthropic, openaiResponses, gemini, aiSdk, langchain].map((format) => [format.name, format]),
);

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
