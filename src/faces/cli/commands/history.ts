import * as verbs from '../../operations/index.js';
import type { StoredEvent } from '../../../spi/index.js';
import { headOf } from '../../../text/reading/index.js';
import type { CompactionRecord } from '../../../transcript/index.js';
import { amount } from '../report/numbers.js';
import type { Said, Within } from './within.js';

/** What was compacted and what failed, or the messages themselves. */
export async function history({ session, options }: Within): Promise<Said> {
  if (options.transcript || options.includeSuperseded) {
    const entries = await session.operator.transcript({
      includeSuperseded: options.includeSuperseded === true,
    });
    const lines = (): string[] =>
      entries.map(({ message, status, by }) => {
        // One line, whatever is in it: as JSON writes it, without the quotes.
        const words = headOf(JSON.stringify(message.parts.map(verbs.wordsOf).join(' ')).slice(1, -1), 80);
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
      ...[FAILED, ...TRIMMING].flatMap((of) => toldLine(events.filter(({ kind }) => kind === of))),
    ],
  };
}

export function recordLine({ id, status, committedAt, plan, flag, notes }: CompactionRecord): string {
  const tokens = `${amount(plan.before.tokens)} -> ${amount(plan.after.tokens)} tokens`;
  const judgement = flag ? `  ${flag}${notes === undefined ? '' : `: ${notes}`}` : '';
  const when = new Date(committedAt).toISOString();
  return `${id}  ${status}  ${when}  ${tokens}  ${plan.trigger.detail}${judgement}`;
}

/** In no record, since nothing came of it: why a request went out as it was, or not at all. */
const FAILED = 'compaction.failed';
/** What somebody else did, or would have done, to a request: in no record, since it is no compaction of ours. */
const TRIMMING = ['compaction.trimming-off', 'compaction.trimmed-upstream', 'compaction.over-window'];

/** The newest of a kind, and how many there were. */
function toldLine(events: readonly StoredEvent[]): readonly string[] {
  const newest = events.at(-1);
  if (!newest) return [];
  const { kind, at, body } = newest;
  const { reason, fields, reported, expected } = body as Readonly<Record<string, unknown>>;
  const times = events.length > 1 ? `  ${amount(events.length)} times, at last:` : '';
  const said = `${times}  ${new Date(at).toISOString()}  ${String(reason)}`;
  if (kind === FAILED) return [`failed${said}`];
  const facts = Array.isArray(fields)
    ? fields.join(', ')
    : `${amount(Number(reported))} of ${amount(Number(expected))} tokens`;
  return [`trimming${said} (${facts})`];
}
