import { z } from 'zod/v4';
import { FLAGS } from '../../transcript/index.js';

/** Shapes of the HTTP API's answers. Shapes of library objects list what callers may rely on; the objects hold more. */

export const tokens = (description: string) => z.number().describe(description);
export const timeMs = z.number().describe('Milliseconds since the epoch.');

export const Fault = z
  .object({
    error: z.object({
      code: z.string().describe('One of docs/errors.md, or HTTP_ and a status.'),
      message: z.string(),
      retryable: z.boolean(),
      faults: z.array(z.looseObject({ subject: z.string(), remedy: z.string() })).optional(),
      facts: z.looseObject({}).optional(),
    }),
  })
  .meta({ id: 'Fault' });

export const CostLine = z
  .object({
    calls: z.number(),
    inputTokens: z.number(),
    cacheReadTokens: z.number(),
    cacheWriteTokens: z.number(),
    outputTokens: z.number(),
    cost: z.number().describe('US dollars of the calls whose price is known.'),
    unpriced: z.number().describe('Calls whose price is not known.'),
  })
  .meta({ id: 'CostLine' });

export const Costs = z
  .object({
    primary: CostLine.describe("The agent's own calls."),
    compactor: CostLine.describe('Calls of summarizers.'),
    recalled: CostLine.describe('The part of primary that automatic recall added to the requests.'),
  })
  .meta({ id: 'Costs' });

export const NetCost = z
  .looseObject({
    record: z.string(),
    savedPerCall: tokens('Tokens that each later call sends less.'),
    rewritten: tokens('Tokens behind the first change.'),
    net: z
      .number()
      .describe('Tokens saved so far, minus the cache re-write and the spending, in plain input tokens.'),
    netCost: z.number().nullable().describe('The same in US dollars.'),
  })
  .meta({ id: 'NetCost' });

export const Reading = z
  .looseObject({
    tokens: tokens('Rendered tokens on the scale that decides.'),
    pressure: z.number().describe('Tokens / budget.'),
    budget: z.looseObject({
      tokens: tokens('What a request may take.'),
      window: tokens('The window of the model.'),
    }),
  })
  .meta({ id: 'Reading' });

const Edit = z.looseObject({ kind: z.enum(['replace', 'supersede']), stage: z.string(), reason: z.string() });

const Size = z.looseObject({ tokens: z.number() });

export const Plan = z
  .looseObject({
    hash: z.string(),
    trigger: z.object({ kind: z.string(), detail: z.string() }),
    edits: z.array(Edit).describe('`without` and `text` name edits by their places in this list.'),
    before: Size,
    after: Size,
    stages: z.array(z.looseObject({ stage: z.string(), outcome: z.string() })),
  })
  .meta({ id: 'Plan' });

export const PlanChanges = z.strictObject({
  without: z.array(z.int().min(0)).optional().describe('Places of edits to leave out.'),
  keep: z.array(z.string()).optional().describe('Messages to keep: every edit that touches one is left out.'),
  text: z
    .record(z.string().regex(/^\d+$/), z.string())
    .optional()
    .describe('Replacement texts, by place of the edit.'),
});

/** An operator's judgement of a compaction. */
export const Flag = z.enum(FLAGS);

export const CompactionRecord = z
  .looseObject({
    id: z.string(),
    kind: z.enum(['compaction', 'prune']),
    status: z.enum(['committed', 'pending', 'undone']),
    plan: Plan,
    committedAt: timeMs,
    durationMs: z.number(),
    flag: Flag.optional(),
    notes: z.string().optional(),
  })
  .meta({ id: 'CompactionRecord' });

/** A record as lists show it: with its figures, without the edits and their text. */
export const CompactionSummary = CompactionRecord.extend({
  plan: Plan.partial({ edits: true }).meta({ id: 'PlanSummary' }),
}).meta({ id: 'CompactionSummary' });

export const RunReport = z
  .looseObject({
    kind: z.enum(['below-gate', 'waiting', 'noop', 'committed', 'pending', 'unreachable']),
    reason: z.string(),
    record: CompactionRecord.optional(),
    durationMs: z.number(),
  })
  .meta({ id: 'RunReport' });

export const DryRun = z
  .looseObject({
    kind: z.enum(['planned', 'noop', 'unreachable']),
    reason: z.string(),
    plan: Plan.optional(),
    before: Reading,
    after: Reading,
  })
  .meta({ id: 'DryRun' });

export const Message = z
  .looseObject({ id: z.string(), role: z.string(), parts: z.array(z.looseObject({ type: z.string() })) })
  .meta({ id: 'Message' });

const By = z.looseObject({ stage: z.string(), reason: z.string() }).optional();

export const TranscriptEntry = z
  .object({
    message: Message,
    status: z.enum(['kept', 'pinned', 'replaced', 'superseded', 'summary', 'rolled-back']),
    by: By,
  })
  .meta({ id: 'TranscriptEntry' });

export const ShownMessage = z
  .object({
    id: z.string(),
    role: z.string(),
    parts: z.array(z.looseObject({ type: z.string() })),
    tokens: z.number(),
    from: z.number().describe('Log position of the first message that it is or replaces.'),
    to: z.number().describe('Log position of the last.'),
    status: z.enum(['original', 'replaced', 'summary']),
    by: By,
  })
  .meta({ id: 'ShownMessage' });

export const Disposition = z
  .looseObject({
    id: z.string(),
    seq: z.number(),
    role: z.string(),
    status: z.enum(['kept', 'pinned', 'replaced', 'superseded']),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    by: By,
    record: z.string().optional().describe('The compaction that was responsible.'),
    since: z
      .string()
      .optional()
      .describe(
        'The oldest compaction in force that reaches the message. Undoing it and all after it restores the message.',
      ),
  })
  .meta({ id: 'Disposition' });

export const LogEntry = Disposition.extend({
  origin: z.enum(['user', 'model', 'tool', 'system', 'synthetic']),
  label: z.string().optional(),
  chars: z.number().describe('Characters of its whole text.'),
  preview: z.string().describe('Its first few lines.'),
}).meta({ id: 'LogEntry' });

export const CallRecord = z
  .looseObject({
    call: z.number(),
    at: timeMs,
    model: z.string().nullable(),
    tokens: z.number(),
    pressure: z.number(),
  })
  .meta({ id: 'CallRecord' });

export const WaitingPlan = z
  .object({ sessionId: z.string(), agentPath: z.string(), at: timeMs, plan: Plan })
  .meta({ id: 'WaitingPlan' });

export const Skipped = z
  .number()
  .describe('Sessions that could not be read and are left out. GET /sessions gives the fault of each.');

/** A session at a glance. To fill `title` and the figures from `reading` on, the session has to be opened. */
export const SessionSummary = z
  .object({
    id: z.string(),
    agentPath: z.string(),
    messages: z.number(),
    createdAt: timeMs.optional().describe('Absent if nothing of it is stored yet.'),
    updatedAt: timeMs.optional(),
    format: z.string().optional(),
    model: z.string().nullable().optional(),
    title: z.string().optional().describe('The first words of the user.'),
    forkOf: z.string().optional().describe('The session that it was forked from.'),
    reading: Reading.optional(),
    compactions: z.number().optional(),
    holds: z
      .number()
      .optional()
      .describe('Spans that an undo holds. No run touches them until they are released.'),
    /** Number of its compactions by flag. */
    flags: z.object({ good: z.number(), bad: z.number(), neutral: z.number() }).optional(),
    savedTokens: z.number().optional().describe('Tokens that its compactions save in the next request.'),
    net: z.number().optional().describe('Sum of the net costs of its compactions: plain input tokens.'),
    netCost: z.number().nullable().optional(),
    fallbacks: z.number().optional().describe('Slots that kept their deterministic text.'),
    costs: Costs.optional(),
    breakers: z.record(z.string(), z.enum(['closed', 'open', 'half-open'])).optional(),
    pending: z.string().optional().describe('Hash of the plan that waits for approval.'),
    fault: z
      .string()
      .optional()
      .describe('Code of the error that prevents reading it, as in docs/errors.md. Figures are then absent.'),
  })
  .meta({ id: 'SessionSummary' });

const counts = (description: string) => z.record(z.string(), z.number()).describe(description);

export const Effect = z
  .object({
    compactions: z.object({ committed: z.number(), undone: z.number() }),
    triggers: counts('Compactions, by why they ran.'),
    tokensBefore: tokens('Of the requests before each compaction, added up; undone ones left out.'),
    tokensAfter: tokens('And after it.'),
    stages: z.record(
      z.string(),
      z.object({
        ran: z.number(),
        applied: z.number().describe('Runs in which it changed something.'),
        edits: z.number(),
        tokens: tokens('Freed; below 0 where it carries something on.'),
        ms: z.number().describe('Total time.'),
      }),
    ),
    summaryTokens: z.array(z.number()).describe('Length of each summary, oldest first.'),
    modelCosts: z
      .array(z.number())
      .describe(
        'US dollars of each compaction that called a summarizer, oldest first. Calls without a price count 0.',
      ),
    fallbacks: z.number(),
    hooks: z.record(
      z.string(),
      z.object({ ran: z.number(), failed: z.number(), ms: z.number(), longestMs: z.number() }),
    ),
  })
  .meta({ id: 'Effect' });

/** A page of a list. `next` is the cursor of the next page. */
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), next: z.string().optional(), total: z.number().optional() });

const JsonSchema = z.looseObject({}).describe('JSON Schema: types, bounds, defaults, descriptions.');

export const Knob = z
  .object({
    path: z.string(),
    value: z.unknown(),
    origin: z.string().describe('default, profile NAME, file NAME, env NAME, code, or operator.'),
    description: z.string(),
    own: z.boolean().describe('Whether an operator set it here.'),
    before: z.unknown().optional().describe('If an operator set it: the value that would hold otherwise.'),
    by: z.string().optional().describe('Name of the token that set it last.'),
    at: z.number().optional().describe('When, in milliseconds since the epoch.'),
  })
  .meta({ id: 'Knob' });

export const Knobs = z.object({
  schema: JsonSchema,
  stages: z.record(z.string(), JsonSchema),
  plugins: z.record(z.string(), JsonSchema).describe('Knobs of each plugin that has any.'),
  values: z.array(Knob),
});
