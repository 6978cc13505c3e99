import { SpillwayError } from '../../errors/index.js';
import { listSessions, openStore, recalledText, type ExplainedMessage } from '../../index.js';
import type { StoredEvent } from '../../spi/index.js';
import type { CompactionRecord, Part } from '../../transcript/index.js';
import { EXIT } from '../exit.js';
import { amount, percent } from '../report/numbers.js';
import type { Terminal } from '../terminal.js';
import { endingOf } from './claims.js';
import { editLines, showing, storeOf, within, type StoredOptions } from './within.js';

export type { StoredOptions } from './within.js';
export { claims } from './claims.js';
export { costs, projectCosts } from './costs.js';
export { edit, release } from './edit.js';
export { limits } from './limits.js';

export async function sessions(options: StoredOptions, terminal: Terminal): Promise<number> {
  const store = await openStore(await storeOf(options, terminal));
  try {
    const threads = await listSessions(store);
    showing(options, terminal)(threads, () =>
      threads.length === 0
        ? ['no sessions']
        : threads.map(({ sessionId, agentPath, head, messages, updatedAt }) => {
            const when = new Date(updatedAt).toISOString();
            return `${sessionId}  ${agentPath}  ${amount(messages)} messages  ${amount(head.entries)} ledger entries  ${when}`;
          }),
    );
    return EXIT.done;
  } finally {
    await store.close();
  }
}

export function history(id: string, options: StoredOptions, terminal: Terminal): Promise<number> {
  return within(id, options, terminal, async (session) => {
    const show = showing(options, terminal);
    if (options.transcript || options.includeSuperseded) {
      const entries = await session.operator.transcript({
        includeSuperseded: options.includeSuperseded === true,
      });
      show(entries, () =>
        entries.map(({ message, status, by }) => {
          // One line, whatever is in it: as JSON writes it, without the quotes.
          const words = JSON.stringify(message.parts.map(wordsOf).join(' ')).slice(1, -1).slice(0, 80);
          return `${status.padEnd(11)} ${message.id}  ${message.role}  ${words}${by ? `  (${by.stage}: ${by.reason})` : ''}`;
        }),
      );
      return;
    }
    await session.load();
    const { history: records, pending } = session.operator;
    const trimming = (await session.operator.audit()).filter(({ kind }) => TRIMMING.includes(kind));
    const told = { ...(pending && { pending }), ...(trimming.length > 0 && { trimming }) };
    show({ records, ...told }, () => [
      ...(records.length === 0 ? ['nothing was compacted'] : records.map(recordLine)),
      ...(pending ? [`${pending.plan.hash.slice(0, 12)}  waits for approve or reject`] : []),
      ...TRIMMING.flatMap((kind) => trimmingLine(trimming.filter((event) => event.kind === kind))),
    ]);
  });
}

export function undo(
  id: string,
  { record, to, ...options }: StoredOptions,
  terminal: Terminal,
): Promise<number> {
  return within(id, options, terminal, async (session) => {
    const of = { ...(record !== undefined && { record }), ...(to !== undefined && { to }) };
    const undone = await session.operator.undo(of);
    showing(options, terminal)({ undone }, () =>
      undone.length === 0 ? ['nothing to undo'] : undone.map((one) => `undone: ${recordLine(one)}`),
    );
  });
}

export function rollback(
  id: string,
  message: string,
  options: StoredOptions,
  terminal: Terminal,
): Promise<number> {
  return within(id, options, terminal, async (session) => {
    const undone = await session.operator.rollback(message);
    showing(options, terminal)({ messages: session.log.length, undone }, () => [
      `the log ends at ${message} now, ${amount(session.log.length)} messages`,
      ...undone.map((one) => `undone: ${recordLine(one)}`),
    ]);
  });
}

export function flag(
  id: string,
  record: string,
  value: string,
  options: StoredOptions,
  terminal: Terminal,
): Promise<number> {
  return within(id, options, terminal, async (session) => {
    const flagged = await session.operator.flag(record, value as 'good' | 'bad' | 'neutral', options.notes);
    showing(options, terminal)(flagged, () => [recordLine(flagged)]);
  });
}

export function plan(id: string, options: StoredOptions, terminal: Terminal): Promise<number> {
  return within(id, options, terminal, async (session) => {
    const run = await session.operator.plan({
      ...(options.target !== undefined && { target: options.target }),
    });
    if (options.propose && run.plan) await session.operator.propose(run.plan);
    showing(options, terminal)(run, () => {
      const { plan: made } = run;
      if (!made) return [`${run.kind}: ${run.reason}`];
      const pressures = `${percent(run.before.pressure)} -> ${percent(run.after.pressure)}`;
      return [
        `plan ${made.hash}`,
        `${pressures}  ${amount(made.before.tokens)} -> ${amount(made.after.tokens)} tokens`,
        ...editLines(made),
        ...(options.propose ? ['waits for approve or reject'] : []),
      ];
    });
  });
}

export function approve(
  id: string,
  hash: string | undefined,
  options: StoredOptions,
  terminal: Terminal,
): Promise<number> {
  return within(id, options, terminal, async (session) => {
    const record = await session.operator.approve(hash);
    showing(options, terminal)(record, () => [recordLine(record)]);
  });
}

export function reject(
  id: string,
  hash: string | undefined,
  options: StoredOptions,
  terminal: Terminal,
): Promise<number> {
  return within(id, options, terminal, async (session) => {
    await session.operator.reject(hash, options.notes);
    showing(options, terminal)({ rejected: true }, () => ['rejected']);
  });
}

export function explain(id: string, options: StoredOptions, terminal: Terminal): Promise<number> {
  return within(id, options, terminal, async (session) => {
    const { find } = options;
    if (options.call === undefined) await session.load();
    const call = options.call ?? session.operator.calls.at(-1)?.call ?? 0;
    const show = showing(options, terminal);
    const lines = (one: ExplainedMessage): string[] => [
      line(one),
      ...(one.endedClaims ?? []).map((claim) => `  ${claim.ref}  ${endingOf(claim)}  ${claim.text}`),
    ];
    const line = (one: ExplainedMessage): string =>
      `${one.status.padEnd(11)} ${one.id}  ${amount(one.tokensBefore)} -> ${amount(one.tokensAfter)} tokens${one.record ? `  ${one.record}` : ''}${one.by ? `  ${one.by.stage}: ${one.by.reason}` : ''}`;
    if (find === undefined) {
      const explained = await session.operator.explainCall(call);
      show({ call: explained.call, messages: explained.messages }, () => explained.messages.flatMap(lines));
      return;
    }
    const finding = await session.operator.find(find, call);
    show(finding, () => [
      `${VERDICTS[finding.verdict]}${finding.sentIn.length > 0 ? `: ${finding.sentIn.join(', ')}` : ''}`,
      ...finding.said.flatMap(lines),
    ]);
  });
}

export function recall(id: string, options: StoredOptions, terminal: Terminal): Promise<number> {
  const { handle, query, limit, maxTokens } = options;
  if (handle === undefined && query === undefined) {
    throw new SpillwayError('CONFIG_INVALID', {
      subject: 'recall',
      found: 'neither --handle nor --query',
      allowed: '--handle as it stands in a mark, or --query with words to search for',
      remedy: 'Say what to read back.',
    });
  }
  return within(id, options, terminal, async (session) => {
    const found = await session.recall({
      ...(handle !== undefined && { handle }),
      ...(query !== undefined && { query }),
      ...(limit !== undefined && { limit }),
      ...(maxTokens !== undefined && { maxTokens }),
    });
    showing(options, terminal)(found, () => recalledText(found).split('\n'));
  });
}

const VERDICTS = {
  sent: 'sent: the model had these words',
  'compacted-out': 'compacted out: these words had been said and were not in the request',
  later: 'later: these words were said after that call',
  never: 'never: nobody said these words',
} as const;

/** What somebody else did, or would have done, to a request: in no record, since it is no compaction of ours. */
const TRIMMING = ['compaction.trimming-off', 'compaction.trimmed-upstream', 'compaction.over-window'];

/** The newest of a kind, and how many there were. */
function trimmingLine(events: readonly StoredEvent[]): readonly string[] {
  const newest = events.at(-1);
  if (!newest) return [];
  const { reason, fields, reported, expected } = newest.body as Readonly<Record<string, unknown>>;
  const facts = Array.isArray(fields)
    ? fields.join(', ')
    : `${amount(Number(reported))} of ${amount(Number(expected))} tokens`;
  const times = events.length > 1 ? `  ${amount(events.length)} times, at last:` : '';
  return [`trimming${times}  ${String(reason)} (${facts})`];
}

function recordLine({ id, status, plan: made, flag: judged, notes }: CompactionRecord): string {
  const tokens = `${amount(made.before.tokens)} -> ${amount(made.after.tokens)} tokens`;
  const judgement = judged ? `  ${judged}${notes === undefined ? '' : `: ${notes}`}` : '';
  return `${id}  ${status}  ${tokens}  ${made.trigger.detail}${judgement}`;
}

function wordsOf(part: Part): string {
  if (part.type === 'text' || part.type === 'reasoning') return part.text;
  if (part.type === 'tool-call') return `${part.name} ${part.arguments}`;
  if (part.type === 'tool-result')
    return part.content.map((one) => ('text' in one ? one.text : '')).join(' ');
  return `[${part.type}]`;
}
