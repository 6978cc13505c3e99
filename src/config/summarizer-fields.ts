import { z } from 'zod/v4';
import { address, count, flag, MAX_MS, oneOf, orEmpty, positive, share } from './fields.js';

/** `https://name:password@host` is refused: no request goes there, and records would show the password. */
const HAS_LOGIN = /^[^/]*\/\/[^/?#]*@/;

export const SummarizerFields = {
  provider: oneOf(['openai-compatible', 'openai', 'anthropic'], 'openai-compatible').describe(
    "Which provider's interface the endpoint has.",
  ),
  model: orEmpty(z.string()).describe(
    'Model that writes summaries. Empty: the model that the session talks to.',
  ),
  baseUrl: orEmpty(address.refine((url) => !HAS_LOGIN.test(url), 'A key goes into apiKeyEnv.')).describe(
    'Address of the endpoint, up to /v1. Empty: the address of the provider.',
  ),
  apiKeyEnv: orEmpty(z.string()).describe(
    'Name of the environment variable that holds the key. The key itself is in no file.',
  ),
  window: orEmpty(z.int().min(1_000)).describe(
    'Most tokens that the summarizer reads in one call. Empty: the known window of its model.',
  ),
};

/** How a summarizer is asked. */
export const FillFields = z.strictObject({
  deadlineMs: positive
    .max(MAX_MS)
    .default(30_000)
    .describe('Most milliseconds that a compaction waits for text. Later text is not used.'),
  prepareAt: orEmpty(share).describe(
    'Pressure at which the next compaction and its text are prepared between turns, before it is due. Empty: only when it is due.',
  ),
  wait: flag(true).describe(
    'Whether a compaction that is due waits for its text. Off: it takes text that was prepared between turns, else the deterministic text.',
  ),
  queue: oneOf(['store', 'process'], 'store').describe(
    'Who prepares text between turns. store: any process on the store, if it has a queue (PostgreSQL). process: the process that needs it.',
  ),
  work: flag(true).describe(
    'Whether this process does jobs of a shared queue. Off: it leaves them to others.',
  ),
  concurrency: positive.max(64).default(4).describe('Most calls of the summarizer at a time.'),
  toolResultChars: count
    .default(2_000)
    .describe(
      'Longest tool result that a summarizer is shown, in characters; less if room is short. Of longer ones it sees head and tail.',
    ),
  chunks: positive
    .max(64)
    .default(1)
    .describe('Pieces that a span is summarised in. More if a piece would not fit the summarizer.'),
  oversized: oneOf(['cut', 'retry'], 'cut').describe(
    'What happens to a summary that is too long. cut: it is cut visibly. retry: it is first requested again, with tool results of 200, 150, 100, 50 and 0 characters.',
  ),
  generations: count
    .max(100)
    .default(0)
    .describe(
      'How many summaries may lie between a summary and the originals. 0: each summary is written from the originals. More: a summary is written from the one before, which costs less and drifts, until the next is due from the originals.',
    ),
  maxCost: orEmpty(z.number().min(0)).describe(
    'Most US dollars that a session spends on summaries, as far as prices are known. Empty: no limit.',
  ),
  maxTokens: orEmpty(count).describe(
    'Most tokens, in and out, that a session spends on summaries. Empty: no limit.',
  ),
  maxCostPerHour: orEmpty(z.number().min(0)).describe(
    'Most US dollars that all sessions together spend on summaries within an hour, as far as prices are known. Empty: no limit.',
  ),
  maxTokensPerHour: orEmpty(count).describe(
    'Most tokens, in and out, that all sessions together spend on summaries within an hour. Empty: no limit.',
  ),
  prompts: orEmpty(z.string()).describe(
    'Folder with your own prompts. Spillway writes missing prompts into it. Empty: the prompts that come with Spillway.',
  ),
  promptFiles: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Files that replace single prompts: {auto: ./our-summary.md}. Names are those of the folder of prompts.',
    ),
});
