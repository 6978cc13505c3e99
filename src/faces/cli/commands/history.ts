import * as verbs from '../../operations/index.js';
import type { StoredEvent } from '../../../spi/index.js';
import { headOf } from '../../../text/reading/index.js';
import type { CompactionRecord } from '../../../transcript/index.js';
import { amount } from '../report/numbers.js';
import type { Output, Scope } from './session-action.js';

/** The compactions and failures of a session, or its messages. */
export async function history({ session, options }: Scope): Promise<Output> {
  if (options.transcript || options.includeSuperseded) {
    const entries = await session.operator.transcript({
      includeSuperseded: options.includeSuperseded === true,
    });
    const lines = (): string[] =>
      entries.map(({ message, status, by }) => {
        // Always one line: escaped as in JSON, without the quotes.
        const words = headOf(JSON.stringify(message.parts.map(verbs.partText).join(' ')).slice(1, -1), 80);
        return `${status.padEnd(11)} ${message.id}  ${message.role}  ${words}${by ? `  (${by.stage}: ${by.reason})` : ''}`;
      });
    return { value: entries, lines };
  }
  await session.load();
  const { history: records, pending } = session.operator;
  const events = await session.operator.audit();
  const trimming = events.filter(({ kind }) => TRIMMING.includes(kind));
  const failed = events.filter(({ kind }) => kind === FAILED);
  return {
    value: {
      records,
      ...(pending && { pending }),
      ...(trimming.length > 0 && { trimming }),
      ...(failed.length > 0 && { failed }),
    },
    lines: () => [
      ...(records.length === 0 ? ['nothing was compacted'] : records.map(recordLine)),
      ...(pending ? [`${pending.plan.hash.slice(0, 12)}  waits for approve or reject`] : []),
      ...[FAILED, ...TRIMMING].flatMap((of) => eventLine(events.filter(({ kind }) => kind === of))),
    ],
  };
}

export function recordLine({ id, status, committedAt, plan, flag, notes }: CompactionRecord): string {
  const tokens = `${amount(plan.before.tokens)} -> ${amount(plan.after.tokens)} tokens`;
  const judgement = flag ? `  ${flag}${notes === undefined ? '' : `: ${notes}`}` : '';
  const when = new Date(committedAt).toISOString();
  return `${id}  ${status}  ${when}  ${tokens}  ${plan.trigger.detail}${judgement}`;
}

/** Failed runs have no record. They explain why a request went out uncompacted, or not at all. */
const FAILED = 'compaction.failed';
/** Changes that another system made, or would have made, to a request. They are not ours, so they have no record. */
const TRIMMING = ['compaction.trimming-off', 'compaction.trimmed-upstream', 'compaction.over-window'];

/** The newest event of a kind, with the number of all events of that kind. */
function eventLine(events: readonly StoredEvent[]): readonly string[] {
  const newest = events.at(-1);
  if (!newest) return [];
  const { kind, at, body } = newest;
  const { reason, fields, reported, expected } = body as Readonly<Record<string, unknown>>;
  const times = events.length > 1 ? `  ${amount(events.length)} times, at last:` : '';
  const text = `${times}  ${new Date(at).toISOString()}  ${String(reason)}`;
  if (kind === FAILED) return [`failed${text}`];
  const facts = Array.isArray(fields)
    ? fields.join(', ')
    : `${amount(Number(reported))} of ${amount(Number(expected))} tokens`;
  return [`trimming${text} (${facts})`];
}
