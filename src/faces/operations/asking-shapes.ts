import { z } from 'zod/v4';
import { CallRecord, Disposition, timeMs, tokens } from './shapes.js';

/** Shapes of answers about the past: sent words, what compaction did to messages, content given back. */

export const Finding = z
  .looseObject({
    verdict: z.enum(['sent', 'compacted-out', 'later', 'never']),
    call: CallRecord,
    said: z.array(Disposition),
    sentIn: z.array(z.string()),
  })
  .meta({ id: 'Finding' });

export const Recalled = z
  .looseObject({ handle: z.string(), role: z.string(), text: z.string() })
  .meta({ id: 'Recalled' });

export const WordsGivenBack = z
  .looseObject({
    id: z.string().optional(),
    handle: z.string(),
    text: z.string().describe('The text that the model will get.'),
    tokens: tokens('Added to each request until a compaction takes them.'),
    share: z.number().describe('Of the budget.'),
    cost: z.number().nullable().describe('US dollars of the next call.'),
    laterCost: z.number().nullable().describe("Of each call after it, from the provider's cache."),
    room: tokens('Most that the next request has room for.'),
    fits: z.boolean(),
    compacts: z.boolean().describe('The next request is compacted first to make the room.'),
    inView: z.boolean().describe('All of it is already in the request.'),
  })
  .meta({ id: 'WordsGivenBack' });

export const GivenBack = z
  .looseObject({
    id: z.string(),
    handle: z.string(),
    askedAt: timeMs,
    tokens: tokens('What it takes.'),
    state: z.enum(['waiting', 'left-out', 'sent', 'seen']),
    call: z.number().optional().describe('The first call that carried it.'),
  })
  .meta({ id: 'GivenBack' });

export const AuditEvent = z
  .looseObject({ kind: z.string(), ref: z.string().optional(), at: timeMs, body: z.unknown() })
  .meta({ id: 'AuditEvent' });
