import type { Row } from '../row.js';
import { CLAUDE_CODE } from './claude-code.js';
import { CLINE } from './cline.js';
import { CODEX } from './codex.js';
import { COPILOT } from './copilot.js';
import { GEMINI_CLI } from './gemini-cli.js';
import { LANGCHAIN } from './langchain.js';
import { OPENCODE } from './opencode.js';
import { PI } from './pi.js';
import { SPILLWAY } from './spillway.js';
import { SWE_AGENTS } from './swe.js';

/** Every shape that is known, by host. Where two fit, the first wins. A plain API client adds none. */
export const HOSTS: readonly Row[] = [
  ...SPILLWAY,
  ...CODEX,
  ...OPENCODE,
  ...COPILOT,
  ...GEMINI_CLI,
  ...PI,
  ...SWE_AGENTS,
  ...LANGCHAIN,
  ...CLINE,
  ...CLAUDE_CODE,
];
