import { ReferenceIndex } from '../../src/facts/index.js';
import type { Session } from '../../src/index.js';
import { LogReader, textOf, type ViewMessage } from '../../src/transcript/index.js';
import type { Planted } from './plant.js';

export interface Outcome {
  readonly rules: { verbatim: number; inClaims: number; named: number; lost: number };
  readonly missing: readonly string[];
  readonly retired: number;
  /** Retired rules that the claims state as if they held, without the words that took them back. */
  readonly statedAsLive: readonly string[];
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
  const rules = { verbatim: 0, inClaims: 0, named: 0, lost: 0 };
  const missing: string[] = [];
  for (const { text, kind, place } of planted.rules) {
    const plain = text.replace(/[“”]/g, '"');
    if (claims.includes(plain)) rules.inClaims++;
    if (sent.includes(plain)) rules.verbatim++;
    else {
      const covered = session.operator.claims.some(
        (claim) => claim.kind === 'constraint' && claim.text.includes(text),
      );
      const isNamed = covered && /^- \d+ more \[recall/m.test(claims);
      rules[isNamed ? 'named' : 'lost']++;
      missing.push(`${kind}@${place}: ${text}`);
    }
  }
  // The talk still holds what was said; only the claims say what binds.
  const isStated = (text: string): boolean =>
    claims.split('\n').some((line) => line.includes(text) && !line.includes('], later: “'));
  const statedAsLive = planted.retired.filter(isStated);
  return {
    rules,
    missing,
    retired: planted.retired.length,
    statedAsLive,
    artifacts: artifactsIn(session, claims),
  };
}

/** Whether each file that is listed is as a replay of all calls says. Files in view may be listed as well. */
function artifactsIn(session: Session, claims: string): Outcome['artifacts'] {
  const replayed = new ReferenceIndex(session.log);
  new LogReader(session.log, replayed).catchUp();
  const truth = [...replayed.artifacts.all()].filter(({ state }) => state !== 'read');
  const lines = claims.split('\n');
  const start = lines.indexOf('Files changed in this session:') + 1;
  const listed: string[] = [];
  let folder = '';
  for (let i = start; start > 0 && i < lines.length && lines[i]!.startsWith('- '); i++) {
    const [, below] = /^- below (.+)$/.exec(lines[i]!) ?? [];
    const [, state, paths] = /^- (modified|created|deleted): (.+)$/.exec(lines[i]!) ?? [];
    folder = below ?? folder;
    for (const path of paths?.split(', ') ?? []) listed.push(`${state}: ${folder}${path}`);
  }
  const known = new Set(truth.map(({ path, state }) => `${state}: ${path}`));
  const wrong = listed.filter((line) => !known.has(line));
  return { changed: truth.length, listed: listed.length, wrong };
}
