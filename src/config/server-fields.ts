import { z } from 'zod/v4';
import { address, count, flag, MOST_MS, positive, text, texts } from './fields.js';

/** What logs call somebody. */
const label = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/);

/** Where `spillway serve` listens, to whom it opens, and where it sends what it was sent. */
export const ServerFields = z
  .strictObject({
    host: text('127.0.0.1').describe('Address to listen on. Any but a loopback address needs tokens.'),
    port: count.max(65_535).default(8_787).describe('Port to listen on; 0: any that is free.'),
    tokens: z
      .array(
        z.strictObject({
          name: label.describe('What logs and audit call whoever has it.'),
          role: z
            .enum(['client', 'viewer', 'operator'])
            .describe('client: the proxy alone. viewer: reads as well. operator: everything.'),
          tokenEnv: z
            .string()
            .min(1)
            .describe(
              'Variable that holds the token, of 16 characters or more; the token stands in no file.',
            ),
          tenant: label
            .optional()
            .describe(
              'Whose sessions it sees, and no others. Empty: those of nobody in particular, and for viewers and operators all.',
            ),
        }),
      )
      .default([])
      .describe('Who may come in. Empty: anybody on this machine.'),
    origins: texts.describe('Web origins, beside its own, whose pages may call the HTTP API.'),
    upstreams: z
      .strictObject({
        openai: address
          .default('https://api.openai.com/v1')
          .describe("Base URL of an interface like OpenAI's, /v1 included."),
        anthropic: address
          .default('https://api.anthropic.com')
          .describe("Base URL of an interface like Anthropic's, without /v1."),
      })
      .prefault({})
      .describe('Where the proxy sends requests. Keys of clients are passed on and never kept.'),
    recall: count
      .max(32)
      .default(0)
      .describe(
        'Times that a model may read back, within one call, what was compacted; 0: the tool is not offered.',
      ),
    commands: flag(false).describe(
      'A user message of nothing but /compact compacts, and is answered by the proxy.',
    ),
    bodyBytes: z.int().min(1_024).default(33_554_432).describe('Largest request body, in bytes.'),
    requestsPerMinute: count
      .default(6_000)
      .describe('Most requests a minute of one token, or one address without tokens; 0: no limit.'),
    requestMs: z
      .int()
      .min(100)
      .max(MOST_MS)
      .default(120_000)
      .describe('How long a client may take over sending one request: who drips it byte by byte is cut off.'),
    eventStreams: positive
      .default(32)
      .describe('Most event streams open at a time for one token, or for all without tokens.'),
    drainMs: count
      .max(300_000)
      .default(5_000)
      .describe(
        'How long /ready says that the service stops before it takes no more, where somebody asks there.',
      ),
    concurrency: positive.default(1_024).describe('Most requests under way at a time.'),
    sessions: positive
      .default(1_000)
      .describe('Most sessions held in memory; the others are opened when asked for.'),
  })
  .prefault({})
  .describe('The service: `spillway serve`.');
