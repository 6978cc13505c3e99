import { SpillwayError } from '../../errors/index.js';
import type { ClaimEnd, Session } from '../../index.js';
import type { Said, StoredOptions, Within } from './within.js';

/** Lists what a session carries beside its digests, or ends one of it by hand, or takes that back. */
export async function claims({ session, options, env }: Within): Promise<Said> {
  const { end, restore, notes } = options;
  const act = { by: options.by ?? env['USER'] ?? 'operator', ...(notes !== undefined && { notes }) };
  if (end !== undefined) {
    const ended = await session.operator.endClaim(end, act);
    return { value: { ref: end, ended }, lines: () => [`${end}  ${endingOf(ended)}`, NEXT] };
  }
  if (restore !== undefined) {
    await session.operator.restoreClaim(restore, act);
    return { value: { ref: restore }, lines: () => [`${restore}  holds again`, NEXT] };
  }
  await session.load();
  const { claims: all, files } = session.operator;
  const changed = files.filter(({ ref }) => ref !== undefined);
  return { value: { claims: all, files: changed }, lines: () => linesOf(all, changed) };
}

export function checkClaimOptions({ end, restore }: StoredOptions): void {
  if (end === undefined || restore === undefined) return;
  throw new SpillwayError('CONFIG_INVALID', {
    subject: 'claims',
    found: '--end and --restore',
    allowed: 'one of them',
    remedy: 'Do one after the other.',
  });
}

/** What stands in a request stays as it is until then: the provider's cache would be lost. */
const NEXT = 'The next compaction writes it so.';

type Operator = Session['operator'];

function linesOf(claims: Operator['claims'], files: Operator['files']): readonly string[] {
  if (claims.length + files.length === 0) return ['nothing to carry'];
  return [
    ...claims.map(({ ref, status, kind, id, text, endedBy, ended, later }) => {
      const since = later ? `  (later, ${later.id}: ${later.text})` : '';
      const why = ended
        ? `  (${endingOf(ended)})`
        : endedBy === undefined
          ? since
          : `  (ended by: ${endedBy})`;
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
