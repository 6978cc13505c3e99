import { z } from 'zod/v4';
import { SpillwayError } from '../../errors/index.js';
import { recalledText, type RecallRequest } from '../../session/index.js';
import { textOf, type Part } from '../../transcript/index.js';
import { AuditEvent, Finding, GivenBack, Recalled, WordsGivenBack } from './asking-shapes.js';
import { shownMessage } from './plans.js';
import * as shapes from './shapes.js';
import { verb } from './verb.js';

/* Verbs that explain messages, list calls, read back original words, and report costs. */

/** Coerced, because every value in a query string is text. */
export const CallNumber = z.coerce.number().int().min(1);

export const flagText = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Models write numbers as text, and null for omitted fields. */
const numberOfModels = z.coerce.number().int().nullish();

const HANDLE = 'Handle as marks show it: m12, m12#0, m3..m9, "m4, m69", m80@1200.';

export const explain = verb(
  'The state of every message, by which stage and why: now, or in the call with that number.',
  { call: CallNumber.optional() },
  z.object({ call: shapes.CallRecord.optional(), messages: z.array(shapes.Disposition) }),
  async ({ operator }, { call: asked }) => {
    if (asked === undefined) return { messages: operator.explain() };
    const { call, messages } = await operator.explainCall(asked);
    return { call, messages };
  },
);

export const messages = {
  ...verb(
    'The messages as the model gets them; with include_superseded also those that it no longer sees.',
    { includeSuperseded: flagText.default(false) },
    z.array(shapes.TranscriptEntry),
    ({ operator }, asked) => operator.transcript(asked),
  ),
  isOldestFirst: true,
};

export const message = verb(
  'One message of the log in its original words, superseded or not.',
  { message: z.string().min(1) },
  shapes.Message,
  async ({ operator }, { message: id }) => {
    const entries = await operator.transcript({ includeSuperseded: true });
    const found = entries.find((entry) => entry.message.id === id);
    if (found) return found.message;
    throw new SpillwayError('MESSAGE_UNKNOWN', {
      subject: 'message',
      found: id,
      remedy: 'Name a message of the log.',
    });
  },
);

export const context = verb(
  'What would be sent now, message by message, and what each message replaces; or what the call with that number sent.',
  { call: CallNumber.optional() },
  z.object({
    reading: shapes.Reading.optional(),
    call: shapes.CallRecord.optional(),
    messages: z.array(shapes.ShownMessage),
  }),
  async ({ operator, reading, view: own }, { call: asked }) => {
    if (asked === undefined) return { reading, messages: own.map(shownMessage) };
    const { call, view } = await operator.explainCall(asked);
    return { call, messages: view.map(shownMessage) };
  },
);

export const find = verb(
  'Whether a call sent these words, or they were compacted, or came later, or never. Default: the newest call.',
  { words: z.string().min(1), call: CallNumber.nullish() },
  Finding,
  ({ operator }, { words, call }) => operator.find(words, call ?? undefined),
);

export const calls = verb(
  'Calls of the agent that were observed, newest first.',
  {},
  z.array(shapes.CallRecord),
  ({ operator }) => operator.calls.toReversed(),
);

export const recall = verb(
  'Reads back the original words of anything in the log, by handle or by words.',
  {
    handle: z.string().nullish().describe(HANDLE),
    query: z.string().nullish().describe('Words to search for; with a handle, within what it names.'),
    limit: numberOfModels,
    maxTokens: numberOfModels,
  },
  z.object({
    items: z.array(Recalled),
    text: z.string().describe('The answer as the tool gives it to a model.'),
  }),
  async (session, asked) => {
    const items = await session.recall(asked as RecallRequest);
    return { items, text: recalledText(items) };
  },
);

export const giveBack = verb(
  'Puts these original words into the next request once more. dry_run shows what that costs.',
  {
    handle: z.string().min(1).describe('As `recall` takes it: m12, m12#0, m3..m9, "m4, m69", m80@1200.'),
    query: z.string().min(1).optional().describe('Only the passages in it that hold these words.'),
    maxTokens: z.int().min(100).optional().describe('Most tokens of it. The handle of the rest is given.'),
    dryRun: z.boolean().default(false).describe('Show what it would cost, and do nothing.'),
  },
  WordsGivenBack,
  ({ operator }, { dryRun: preview, ...asked }) => operator.giveBack({ ...asked, preview }),
);

export const givenBack = verb(
  'Messages that were given back, oldest first, and whether the model has seen them.',
  {},
  z.object({ items: z.array(GivenBack) }),
  async ({ operator }) => ({ items: await operator.givenBack() }),
);

export const audit = verb(
  'What happened to compaction in the session, newest first.',
  {},
  z.array(AuditEvent),
  async ({ operator }) => (await operator.audit()).toReversed(),
);

export const costs = verb(
  'What the session spent, agent and compactor apart, and whether each compaction pays.',
  {},
  z.object({ costs: shapes.Costs, net: z.array(shapes.NetCost) }),
  ({ operator }) => ({ costs: operator.costs, net: operator.netCosts }),
);

/** The text of a part, for people who look through messages. */
export function partText(part: Part): string {
  if (part.type === 'tool-call') return `${part.name} ${part.arguments}`;
  return part.type === 'file' ? `[${part.mediaType}, ${part.bytes} bytes]` : textOf(part);
}
