/**
 * How many facts that an agent needed after they were compacted does one search bring back? The query is the text that
 * the agent then wrote, without the fact; the answer has 2,000 tokens.
 *
 *   npm run bench:recall -- [--sessions DIR] [--windows 16000,32000] [--only ID] [--tokens 2000] [--misses FILE]
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createSpillway, recalledText, replaySession, type Session } from '../src/index.js';
import { textOf, type Message, type ViewMessage } from '../src/transcript/index.js';
import { lostable } from './retention/measure.js';
import { probedSessions, type Probe, type ProbedSession } from './retention/probes.js';
import { textOfMessage } from './retention/text.js';
import { groupBy } from './support/group.js';
import { provenance, saveResult } from './support/provenance.js';
import { referenceCount } from './support/reference-count.js';
import { CORPUS } from './support/sessions.js';

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string', default: CORPUS },
    windows: { type: 'string', default: '16000,32000' },
    only: { type: 'string' },
    tokens: { type: 'string', default: '2000' },
    misses: { type: 'string' },
  },
});

interface Asked {
  readonly session: string;
  readonly probe: Probe;
  readonly query: string;
  readonly found: boolean;
  /** Tokens by the reference count. */
  readonly tokens: number;
  readonly pieces: number;
  readonly ms: number;
}

const maxTokens = Number(flags.tokens);
const STRONG = new Set(['strong']);

/** Facts whose last occurrence is no longer in the view. */
function lost(session: Session, messages: readonly Message[], probes: readonly Probe[]): Probe[] {
  // Matched by id, because the log also holds passages of automatic recall between the messages.
  const shown = new Map(session.view.map((one) => [one.source?.id, wordsOf(one)]));
  return probes.filter(({ fact, lastSeen }) => !shown.get(messages[lastSeen]!.id)?.includes(fact));
}

function wordsOf({ message }: ViewMessage): string {
  return message.parts.map((part) => (part.type === 'tool-call' ? part.arguments : textOf(part))).join('\n');
}

async function ask(session: Session, input: ProbedSession, probe: Probe): Promise<Asked> {
  const query = textOfMessage(input.chat[probe.reusedAt]!).replaceAll(probe.fact, ' ');
  const started = performance.now();
  const found = await session.recall({ query, maxTokens });
  const ms = performance.now() - started;
  const text = recalledText(found);
  return {
    session: input.id,
    probe,
    query,
    found: text.includes(probe.fact),
    tokens: referenceCount([{ role: 'tool', content: text }]),
    pieces: found.length,
    ms,
  };
}

async function askAll(input: ProbedSession, window: number): Promise<Asked[]> {
  const due = groupBy(lostable(input, window, STRONG), ({ reusedAt }) => reusedAt);
  if (due.size === 0) return [];
  const session = (await createSpillway({ inputBudget: window })).session();
  const asked: Asked[] = [];
  for await (const { index } of replaySession(session, input.messages)) {
    for (const probe of lost(session, input.messages, due.get(index) ?? []))
      asked.push(await ask(session, input, probe));
  }
  return asked;
}

const mean = (numbers: readonly number[]): number =>
  numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
const share = (asked: readonly Asked[]): number => mean(asked.map(({ found }) => Number(found)));
const quantile = (numbers: readonly number[], at: number): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(at * (numbers.length - 1))] ?? 0;

function summary(asked: readonly Asked[]) {
  const bySession = [...groupBy(asked, ({ session }) => session).values()];
  const times = asked.map(({ ms }) => ms);
  return {
    probes: asked.length,
    sessions: bySession.length,
    found: share(asked),
    foundBySession: mean(bySession.map(share)),
    tokens: mean(asked.map(({ tokens }) => tokens)),
    mostTokens: Math.max(0, ...asked.map(({ tokens }) => tokens)),
    pieces: mean(asked.map(({ pieces }) => pieces)),
    msMedian: quantile(times, 0.5),
    ms95: quantile(times, 0.95),
  };
}

const command = `npm run bench:recall -- ${process.argv.slice(2).join(' ')}`.trim();
const loaded = provenance(command);
const windows = flags.windows.split(',').map(Number);
const all: Asked[] = [];
const results: Record<string, unknown> = {};
for (const window of windows) {
  const asked: Asked[] = [];
  for await (const input of probedSessions(flags.sessions, flags.only))
    asked.push(...(await askAll(input, window)));
  all.push(...asked);
  const one = summary(asked);
  const kinds = [...groupBy(asked, ({ probe }) => probe.kind)].map(([kind, some]) => [
    kind,
    { probes: some.length, found: share(some) },
  ]);
  results[window] = { ...one, kinds: Object.fromEntries(kinds) };
  console.log(
    `${window}: ${one.found.toFixed(3)} of ${one.probes} facts, ${one.foundBySession.toFixed(3)} by session (${one.sessions}); ` +
      `${one.tokens.toFixed(0)} tokens (most ${one.mostTokens}), ${one.pieces.toFixed(1)} pieces, ${one.msMedian.toFixed(0)} ms (95 %: ${one.ms95.toFixed(0)})`,
  );
}
results.all = summary(all);
console.log(`all: ${share(all).toFixed(3)} of ${all.length}`);
if (flags.misses) {
  const misses = all.filter(({ found }) => !found);
  writeFileSync(flags.misses, misses.map((miss) => `${JSON.stringify(miss)}\n`).join(''));
}
const isShort = flags.only !== undefined || windows.length < 2 || maxTokens !== 2_000;
const file = saveResult(isShort ? 'recall-short' : 'recall', command, results, loaded);
console.log(`written to ${file}`);
