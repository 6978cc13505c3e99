import { z } from 'zod/v4';
import { address, count, flag, MOST_MS, oneOf, orEmpty, positive, share } from './fields.js';

/** `https://name:password@host`: no request goes there, and records would tell it. */
const HAS_LOGIN = /^[^/]*\/\/[^/?#]*@/;

export const SummarizerFields = {
  provider: oneOf(['openai-compatible', 'openai', 'anthropic'], 'openai-compatible').describe(
    'Whose interface the endpoint speaks.',
  ),
  model: orEmpty(z.string()).describe(
    'Model that writes summaries. Empty: the model that the session talks to.',
  ),
  baseUrl: orEmpty(address.refine((url) => !HAS_LOGIN.test(url), 'A key goes into apiKeyEnv.')).describe(
    'Address of the endpoint, up to /v1. Empty: that of the provider.',
  ),
  apiKeyEnv: orEmpty(z.string()).describe(
    'Name of the environment variable that holds the key; the key itself stands in no file.',
  ),
  window: orEmpty(z.int().min(1_000)).describe(
    'Tokens the summarizer reads in one call. Empty: what is known of its model.',
  ),
};

/** How it is asked. */
export const FillFields = z.strictObject({
  deadlineMs: positive
    .max(MOST_MS)
    .default(30_000)
    .describe('Most milliseconds a compaction waits for text; what is late keeps its deterministic form.'),
  prepareAt: orEmpty(share).describe(
    'Pressure from which the next compaction and its text are prepared between turns, before it is due. Empty: only when it is due.',
  ),
  wait: flag(true).describe(
    'Whether a compaction that is due waits for its text. Off: it takes what was prepared between turns, else our own.',
  ),
  queue: oneOf(['store', 'process'], 'store').describe(
    'Who prepares: store: any process on the store, where it has a queue (PostgreSQL). process: the one that wants it.',
  ),
  work: flag(true).describe(
    'Whether this process does jobs of a shared queue; off: it leaves them to others.',
  ),
  concurrency: positive.max(64).default(4).describe('Calls of the summarizer at a time.'),
  toolResultChars: count
    .default(2_000)
    .describe(
      'Longest tool result that a summarizer is shown, less where room is short; longer ones keep head and tail. In characters.',
    ),
  chunks: positive
    .max(64)
    .default(1)
    .describe('Pieces that a span is summarised in; more where a piece would not fit the summarizer.'),
  oversized: oneOf(['cut', 'retry'], 'cut').describe(
    'A summary longer than its allowance is cut visibly, or first asked for again with tool results of 200, 150, 100, 50 and 0 characters.',
  ),
  generations: count
    .max(100)
    .default(0)
    .describe(
      'How many summaries may lie between a summary and the originals. 0: each is written from the originals. More: it goes on from the last one, which costs less and drifts, until it is due anew from the originals.',
    ),
  maxCost: orEmpty(z.number().min(0)).describe(
    'Most US dollars that a session spends on summaries, where prices are known. Empty: no limit.',
  ),
  maxTokens: orEmpty(count).describe(
    'Most tokens, in and out, that a session spends on summaries. Empty: no limit.',
  ),
  maxCostPerHour: orEmpty(z.number().min(0)).describe(
    'Most US dollars that all sessions together spend on summaries within an hour, where prices are known. Empty: no limit.',
  ),
  maxTokensPerHour: orEmpty(count).describe(
    'Most tokens, in and out, that all sessions together spend on summaries within an hour. Empty: no limit.',
  ),
  prompts: orEmpty(z.string()).describe(
    'Folder with prompts of your own; what is missing in it is written there. Empty: those that come with Spillway.',
  ),
  promptFiles: z
    .record(z.string(), z.string())
    .default({})
    .describe(
      'Files that take the place of single prompts: {auto: ./our-summary.md}. Names as in the folder of prompts.',
    ),
});
