import { z } from 'zod/v4';
import { address, count, flag, MAX_MS, positive, text, texts } from './fields.js';

/** A name in logs. */
const label = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/);

/** Where `spillway serve` listens, who has access, and where it sends requests. */
export const ServerFields = z
  .strictObject({
    host: text('127.0.0.1').describe('Address to listen on. Every address except loopback needs tokens.'),
    port: count.max(65_535).default(8_787).describe('Port to listen on. 0: any free port.'),
    tokens: z
      .array(
        z.strictObject({
          name: label.describe('Name of the holder in logs and in the audit.'),
          role: z
            .enum(['client', 'viewer', 'operator'])
            .describe('client: may use the proxy only. viewer: may also read. operator: may do everything.'),
          tokenEnv: z
            .string()
            .min(1)
            .describe(
              'Environment variable that holds the token, of 16 characters or more. The token itself is in no file.',
            ),
          tenant: label
            .optional()
            .describe(
              'Tenant whose sessions the token sees, and no others. Empty: sessions without a tenant; for viewers and operators, all sessions.',
            ),
        }),
      )
      .default([])
      .describe('Tokens that give access. Empty: anyone on this machine has access.'),
    origins: texts.describe('Web origins, in addition to its own, whose pages may call the HTTP API.'),
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
      .describe("Where the proxy sends requests. Clients' keys are passed on and never stored."),
    recall: count
      .max(32)
      .default(0)
      .describe(
        'How often a model may recall compacted messages within one call. 0: the recall tool is not offered.',
      ),
    commands: flag(false).describe(
      'A user message that is only /compact starts a compaction, and the proxy answers it.',
    ),
    bodyBytes: z.int().min(1_024).default(33_554_432).describe('Largest request body, in bytes.'),
    requestsPerMinute: count
      .default(6_000)
      .describe('Most requests a minute of one token, or of one address without tokens. 0: no limit.'),
    requestMs: z
      .int()
      .min(100)
      .max(MAX_MS)
      .default(120_000)
      .describe('How long a client may take to send one request. Slower clients are cut off.'),
    eventStreams: positive
      .default(32)
      .describe('Most open event streams of one token, or of all clients without tokens.'),
    drainMs: count
      .max(300_000)
      .default(5_000)
      .describe(
        'How long /ready reports that the service stops before it refuses new requests, if a load balancer asks /ready.',
      ),
    concurrency: positive.default(1_024).describe('Most requests in progress at a time.'),
    sessions: positive
      .default(1_000)
      .describe('Most sessions held in memory. Others are opened when they are used.'),
  })
  .prefault({})
  .describe('The service: `spillway serve`.');
