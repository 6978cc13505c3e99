import { SpillwayError } from '../../errors/index.js';
import type { ClaimEnd, Session } from '../../index.js';
import type { Terminal } from '../terminal.js';
import { showing, within, type StoredOptions } from './within.js';

/** Lists what a session carries beside its digests, or ends one of it by hand, or takes that back. */
export function claims(
  id: string,
  { end, restore, ...options }: StoredOptions,
  terminal: Terminal,
): Promise<number> {
  if (end !== undefined && restore !== undefined) {
    throw new SpillwayError('CONFIG_INVALID', {
      subject: 'claims',
      found: '--end and --restore',
      allowed: 'one of them',
      remedy: 'Do one after the other.',
    });
  }
  const by = options.by ?? terminal.env['USER'] ?? 'operator';
  const act = { by, ...(options.notes !== undefined && { notes: options.notes }) };
  return within(id, options, terminal, async (session) => {
    const show = showing(options, terminal);
    if (end !== undefined) {
      const ended = await session.operator.endClaim(end, act);
      show({ ref: end, ended }, () => [`${end}  ${endingOf(ended)}`, NEXT]);
    } else if (restore !== undefined) {
      await session.operator.restoreClaim(restore, act);
      show({ ref: restore }, () => [`${restore}  holds again`, NEXT]);
    } else {
      await session.load();
      const { claims: all, files } = session.operator;
      const changed = files.filter(({ ref }) => ref !== undefined);
      show({ claims: all, files: changed }, () => linesOf(all, changed));
    }
  });
}

/** What stands in a request stays as it is until then: the provider's cache would be lost. */
const NEXT = 'The next compaction writes it so.';

type Operator = Session['operator'];

function linesOf(claims: Operator['claims'], files: Operator['files']): readonly string[] {
  if (claims.length + files.length === 0) return ['nothing to carry'];
  return [
    ...claims.map(({ ref, status, kind, id, text, endedBy, ended }) => {
      const why = ended ? `  (${endingOf(ended)})` : endedBy === undefined ? '' : `  (ended by: ${endedBy})`;
      return `${ref}  ${(ended ? 'ended' : status).padEnd(10)} ${kind.padEnd(11)} ${id}  ${text}${why}`;
    }),
    ...files.map(({ ref, state, path, ended }) => {
      const why = ended ? `  (${endingOf(ended)})` : '';
      return `${ref}  ${(ended ? 'ended' : state).padEnd(10)} ${'file'.padEnd(11)} ${path}${why}`;
    }),
  ];
}

/** Who ended it, when and why. */
export function endingOf({ by, at, notes }: ClaimEnd): string {
  return `ended by ${by}, ${new Date(at).toISOString()}${notes === undefined ? '' : `: ${notes}`}`;
}
