import { z } from 'zod/v4';

export const ClaimEnd = z
  .object({
    by: z.string().describe('The operator: the name of the token.'),
    at: z.number().describe('Milliseconds since the epoch.'),
    notes: z.string().optional(),
  })
  .meta({ id: 'ClaimEnd' });

const stands = {
  ref: z.string().describe('Names it: said again in another message, it is another claim.'),
  ended: ClaimEnd.optional().describe('An operator ended it: it is carried no more.'),
  id: z.string().describe('The message that says it.'),
  seq: z.number(),
  isSent: z.boolean().describe('The model still sees that message in its own words.'),
  record: z.string().optional().describe('The compaction that took it.'),
};

export const Claim = z
  .looseObject({
    kind: z.enum(['constraint', 'requirement', 'todo', 'error', 'check', 'instruction']),
    status: z.enum(['live', 'superseded', 'done']),
    text: z.string().describe('Verbatim.'),
    endedBy: z.string().optional().describe('The words, or the outcome, that ended it.'),
    later: z
      .object({ text: z.string(), id: z.string() })
      .optional()
      .describe(
        'Of a bound that holds: the newest words of the user that may lift some of it, and their message.',
      ),
    ...stands,
  })
  .meta({ id: 'Claim' });

export const ChangedFile = z
  .looseObject({
    path: z.string(),
    state: z.enum(['created', 'modified', 'deleted']),
    writes: z.number(),
    ...stands,
  })
  .meta({ id: 'ChangedFile' });

export const Claims = z.object({
  items: z.array(Claim),
  files: z.array(ChangedFile).describe('What calls changed; in the order in which files were first named.'),
  carried: z
    .looseObject({ id: z.string(), tokens: z.number().describe('What it takes of the request.') })
    .optional()
    .describe('The message that carries them, where anything has left the request.'),
});
