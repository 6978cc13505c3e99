/**
 * Compacts and replays every session of a folder at every window: are the engine's promises kept?
 *
 *   npm run bench:corpus -- [--sessions DIR] [--windows 8000,32000] [--only ID] [--profile NAME]
 */
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createSpillway, replaySession, SpillwayError, type Session, type Spillway } from '../src/index.js';
import { validateOpenAiChat } from '../src/testkit/index.js';
import { referenceCount } from './support/reference-count.js';
import { saveResult } from './support/provenance.js';
import { CORPUS, sessionsOf, type BenchSession } from './support/sessions.js';

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string', default: CORPUS },
    windows: { type: 'string', default: '8000,16000,32000,64000,128000' },
    only: { type: 'string' },
    profile: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

interface Tally {
  sessions: number;
  requests: number;
  /** Requests over the window, by a token count that is not ours. */
  over: number;
  illegal: number;
  unreachable: number;
  crashes: number;
  logChanged: number;
  /** Second runs, right after a first, that committed something. */
  restless: number;
  compactions: number;
  sentTokens: number;
  unchangedTokens: number;
  prepareMs: number;
  problems: string[];
}

const emptyTally = (): Tally => ({
  sessions: 0,
  requests: 0,
  over: 0,
  illegal: 0,
  unreachable: 0,
  crashes: 0,
  logChanged: 0,
  restless: 0,
  compactions: 0,
  sentTokens: 0,
  unchangedTokens: 0,
  prepareMs: 0,
  problems: [],
});

function judge(messages: readonly unknown[], window: number, where: string, tally: Tally): void {
  tally.requests++;
  const tokens = referenceCount(messages);
  if (tokens > window) {
    tally.over++;
    tally.problems.push(`${where}: ${tokens} tokens`);
  }
  const violations = validateOpenAiChat(messages);
  if (violations.length > 0) {
    tally.illegal++;
    tally.problems.push(`${where}: ${violations[0]!.rule} at ${violations[0]!.at}: ${violations[0]!.what}`);
  }
}

/** Of the first `length` messages of the log. Automatic recall may append one. */
const digest = (session: Session, length: number): string => {
  const hash = createHash('sha256');
  for (let seq = 0; seq < length; seq++) hash.update(JSON.stringify(session.log.at(seq)));
  return hash.digest('hex');
};

async function compactOnce(
  spillway: Spillway,
  input: BenchSession,
  window: number,
  tally: Tally,
): Promise<void> {
  const where = `${input.id} compact ${window}`;
  const session = spillway.session();
  session.append(...input.messages);
  const { length } = session.log;
  const before = digest(session, length);
  try {
    const { messages } = await session.prepare();
    judge(messages, window, where, tally);
    const again = await session.prepare();
    if (again.run.kind === 'committed') {
      tally.restless++;
      tally.problems.push(`${where}: second run committed ${again.run.record?.id}`);
    }
  } catch (error) {
    note(error, where, tally);
  }
  if (digest(session, length) !== before) tally.logChanged++;
}

async function replayOnce(
  spillway: Spillway,
  input: BenchSession,
  window: number,
  tally: Tally,
): Promise<void> {
  const session = spillway.session();
  try {
    for await (const call of replaySession(session, input.messages)) {
      // A session that begins with the assistant has no call before its first message.
      if (call.index === 0) continue;
      const where = `${input.id} replay ${window} call ${call.index}`;
      tally.prepareMs += call.durationMs;
      if (!call.prepared) {
        tally.unreachable++;
        tally.problems.push(`${where}: ${call.error?.message}`);
        continue;
      }
      tally.sentTokens += call.tokens;
      tally.unchangedTokens += call.unchangedPrefixTokens;
      judge(call.prepared.messages, window, where, tally);
    }
  } catch (error) {
    note(error, `${input.id} replay ${window}`, tally);
  }
  tally.compactions += session.operator.history.length;
}

function note(error: unknown, where: string, tally: Tally): void {
  if (error instanceof SpillwayError && error.code === 'BUDGET_UNREACHABLE') tally.unreachable++;
  else tally.crashes++;
  tally.problems.push(`${where}: ${error instanceof Error ? error.message : String(error)}`);
}

const windows = flags.windows.split(',').map(Number);
const results: Record<string, { compact: Tally; replay: Tally }> = {};
for (const window of windows) {
  const compact = emptyTally();
  const replay = emptyTally();
  const spillway = await createSpillway({
    inputBudget: window,
    ...(flags.profile && { profile: flags.profile }),
  });
  for await (const input of sessionsOf(flags.sessions, flags.only)) {
    compact.sessions++;
    replay.sessions++;
    await compactOnce(spillway, input, window, compact);
    await replayOnce(spillway, input, window, replay);
  }
  results[window] = { compact, replay };
  for (const [how, tally] of Object.entries({ compact, replay })) {
    const prefix =
      tally.sentTokens > 0
        ? `, ${((100 * tally.unchangedTokens) / tally.sentTokens).toFixed(1)} % unchanged`
        : '';
    console.log(
      `${String(window).padStart(7)} ${how.padEnd(8)} ${tally.sessions} sessions, ${tally.requests} requests: ` +
        `${tally.over} over, ${tally.illegal} illegal, ${tally.unreachable} unreachable, ${tally.crashes} crashes, ` +
        `${tally.logChanged} logs changed, ${tally.restless} restless, ${tally.compactions} compactions${prefix}`,
    );
    if (flags.verbose) for (const problem of tally.problems.slice(0, 40)) console.log(`          ${problem}`);
  }
}
const short = flags.only !== undefined || windows.length < 5;
const file = saveResult(
  short ? 'corpus-short' : 'corpus',
  `npm run bench:corpus -- ${process.argv.slice(2).join(' ')}`.trim(),
  results,
);
console.log(`written to ${file}`);
