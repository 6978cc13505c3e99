import { ReferenceIndex } from '../../src/facts/index.js';
import type { Session } from '../../src/index.js';
import { textOf, type ViewMessage } from '../../src/transcript/index.js';
import type { Planted } from './plant.js';

export interface Outcome {
  readonly rules: { verbatim: number; inClaims: number; named: number; lost: number };
  readonly missing: readonly string[];
  readonly retired: number;
  /** Retired rules that a text of ours states as if they held. */
  readonly statedAsLive: readonly string[];
  /** Stated by a summary of before, and taken back by the claims. */
  readonly corrected: number;
  readonly artifacts: {
    readonly changed: number;
    readonly listed: number;
    readonly wrong: readonly string[];
  };
}

const words = ({ message }: ViewMessage): string => message.parts.map(textOf).join('\n');

/** What is sent after the last compaction, held against what was planted and what the calls did. */
export function judge(session: Session, planted: Planted): Outcome {
  const { view } = session;
  const sent = view.map(words).join('\n');
  const claims = view
    .filter(({ message }) => message.label === 'claims')
    .map(words)
    .join('\n');
  const ours = view.filter(({ source }) => !source).flatMap((shown) => words(shown).split('\n'));
  const rules = { verbatim: 0, inClaims: 0, named: 0, lost: 0 };
  const missing: string[] = [];
  for (const { text, kind, place } of planted.rules) {
    const plain = text.replace(/[“”]/g, '"');
    if (claims.includes(plain)) rules.inClaims++;
    if (sent.includes(plain)) rules.verbatim++;
    else {
      const covered = session.claims.some(
        (claim) => claim.kind === 'constraint' && claim.text.includes(text),
      );
      const isNamed = covered && /more that may bind, not shown \[recall/.test(claims);
      rules[isNamed ? 'named' : 'lost']++;
      missing.push(`${kind}@${place}: ${text}`);
    }
  }
  // A summary of before it was taken back still says it; then the claims have to say that it holds no longer.
  const isStated = (text: string): boolean =>
    ours.some((line) => line.includes(text) && !line.includes('no longer holds'));
  const isCorrected = (text: string): boolean => claims.includes(`no longer holds: “${text}”`);
  const stated = planted.retired.filter(isStated);
  const statedAsLive = stated.filter((text) => !isCorrected(text));
  return {
    rules,
    missing,
    retired: planted.retired.length,
    statedAsLive,
    corrected: stated.length - statedAsLive.length,
    artifacts: artifactsIn(session, claims),
  };
}

/** Each file that is listed is as a replay of all calls says, and what is not listed is counted or still in view. */
function artifactsIn(session: Session, claims: string): Outcome['artifacts'] {
  const replayed = new ReferenceIndex(session.log);
  replayed.catchUp();
  const shown = new Set(
    session.view.flatMap(({ source, replaced }) => (source && !replaced ? [source.seq] : [])),
  );
  const truth = [...replayed.artifacts.all()].filter(
    ({ state, last }) => state !== 'read' && !shown.has(last),
  );
  const lines = claims.split('\n');
  const start = lines.indexOf('Files changed:') + 1;
  const listed: string[] = [];
  let more = 0;
  for (let i = start; start > 0 && i < lines.length && lines[i]!.startsWith('- '); i++) {
    const [, count] = /^- and (\d+) more$/.exec(lines[i]!) ?? [];
    if (count !== undefined) more = Number(count);
    else listed.push(lines[i]!.slice(2));
  }
  const known = new Set(truth.map(({ path, state }) => `${state}: ${path}`));
  const wrong = listed.filter((line) => !known.has(line));
  if (listed.length + more !== truth.length)
    wrong.push(`${listed.length} listed and ${more} counted of ${truth.length}`);
  return { changed: truth.length, listed: listed.length, wrong };
}
