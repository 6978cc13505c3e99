/**
 * How much of a session's requests does a provider's cache keep, and what does the input of its calls cost?
 *
 *   npm run bench:cache -- [--sessions DIR] [--windows 8000,16000,32000,64000] [--policies spillway,keep-newest] [--only ID]
 *                          [--peers DIR]
 */
import { parseArgs } from 'node:util';
import { createSpillway, replaySession } from '../src/index.js';
import { newest, split, type Exchange } from './retention/policies/exchanges.js';
import { openPeers } from './retention/policies/peers.js';
import type { Policy } from './retention/policies/policy.js';
import type { ChatMessage } from './support/chat.js';
import { inputCost, SHEETS } from './support/input-cost.js';
import { addTally, newTally, Prefixes, unchangedShare, type PrefixTally } from './support/prefix.js';
import { provenance, saveResult } from './support/provenance.js';
import { referenceCount } from './support/reference-count.js';
import { CORPUS, sessionsOf, type BenchSession } from './support/sessions.js';

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string', default: CORPUS },
    windows: { type: 'string', default: '8000,16000,32000,64000' },
    policies: { type: 'string' },
    peers: { type: 'string' },
    only: { type: 'string' },
  },
});

/** The target of a run, as in `config/default.yaml`. */
const TARGET = 0.6;
/** The goal, as a share of the bound of any policy at a window. */
const GOAL = 0.95;

interface Sent {
  readonly messages: readonly unknown[];
  readonly committed: boolean;
}
type Send = (session: BenchSession, window: number) => AsyncIterable<Sent>;

async function* spillway({ messages }: BenchSession, window: number): AsyncGenerator<Sent> {
  const session = (await createSpillway({ inputBudget: window })).session();
  let records = 0;
  for await (const { prepared } of replaySession(session, messages)) {
    if (!prepared) continue;
    const { length } = session.operator.history;
    yield { messages: prepared.messages, committed: length !== records };
    records = length;
  }
}

/** Cuts only if a request is over the window: the oldest first, down to the same target. */
async function* keepNewest({ messages }: BenchSession, window: number): AsyncGenerator<Sent> {
  const chat = messages.map((message) => message.wire as ChatMessage);
  let oldest: ChatMessage | undefined;
  for (const [index, message] of chat.entries()) {
    if (message.role !== 'assistant') continue;
    const history = chat.slice(0, index);
    const { head, rest } = split(history, window);
    const from = rest.findIndex((exchange) => exchange.messages[0] === oldest);
    let kept: readonly Exchange[] = rest.slice(Math.max(0, from));
    const committed = tokensOf(head, kept) > window;
    if (committed) {
      kept = newest(rest, TARGET * window - referenceCount(head));
      // A newest exchange over the target is still sent if it fits the window.
      if (kept.length === 0) kept = newest(rest, window - referenceCount(head));
      oldest = kept[0]?.messages[0];
    }
    yield { messages: [...head, ...kept.flatMap((exchange) => exchange.messages)], committed };
  }
}

const tokensOf = (head: readonly ChatMessage[], kept: readonly Exchange[]): number =>
  referenceCount([...head, ...kept.flatMap(({ messages }) => messages)]);

/** A peer with its fixed stub as summary. It does not report compactions, so they are inferred from its requests. */
function peerOf(policy: Policy): Send {
  return async function* ({ messages, ...session }, window) {
    const chat = messages.map((message) => message.wire as ChatMessage);
    const judged = new Set(chat.flatMap(({ role }, index) => (role === 'assistant' ? [index] : [])));
    const probed = { ...session, messages, chat, tokensBefore: [], probes: [] };
    let last: readonly unknown[] = [];
    const replay = policy.replay({ session: probed, window, judged, budgetAt: () => window });
    for await (const { messages: sent } of replay) {
      yield { messages: sent, committed: !last.every((message, i) => message === sent[i]) };
      last = sent;
    }
  };
}

const peers =
  flags.peers === undefined
    ? { policies: [], notes: [] }
    : await openPeers(
        flags.peers,
        (name) => flags.policies === undefined || flags.policies.split(',').includes(name),
      );
for (const note of peers.notes) console.log(note);
const POLICIES: Readonly<Record<string, Send>> = {
  spillway,
  'keep-newest': keepNewest,
  ...Object.fromEntries(
    peers.policies
      .filter(({ name }) => !name.endsWith('+ours'))
      .map((policy) => [policy.name, peerOf(policy)]),
  ),
};

interface Row extends PrefixTally {
  /** Tokens of the log up to the last call that do not fit the window. */
  mustLeave: number;
  /** `standingTokens` if each request had filled its window. */
  fullStanding: number;
  anthropic: number;
  openai: number;
}

const newRow = (): Row => ({ ...newTally(), mustLeave: 0, fullStanding: 0, anthropic: 0, openai: 0 });

async function measure(send: Send, session: BenchSession, window: number): Promise<Row> {
  const prefixes = new Prefixes();
  let anthropic = 0;
  let openai = 0;
  for await (const { messages, committed } of send(session, window)) {
    const billed = prefixes.next(messages, committed);
    anthropic += inputCost(billed, SHEETS.anthropic);
    openai += inputCost(billed, SHEETS.openai);
  }
  return { ...prefixes.tally, ...leaving(session, window), anthropic, openai };
}

/**
 * Input of the bound: a policy that sends every token, fills the window at every call and loses each token once. A
 * token that was never sent need not leave, so a session that cuts much on arrival can exceed the bound.
 */
function leaving({ messages }: BenchSession, window: number): Pick<Row, 'mustLeave' | 'fullStanding'> {
  let logged = 0;
  let atLastCall = 0;
  let fullStanding = 0;
  let calls = 0;
  for (const message of messages) {
    if (message.role === 'assistant') {
      if (calls++ > 0) fullStanding += Math.min(atLastCall, window);
      atLastCall = logged;
    }
    logged += referenceCount([message.wire]);
  }
  return { mustLeave: Math.max(0, atLastCall - window), fullStanding };
}

function figuresOf(row: Row) {
  const bound = row.fullStanding === 0 ? 1 : 1 - row.mustLeave / row.fullStanding;
  const unchanged = unchangedShare(row);
  return {
    requests: row.requests,
    between: row.between,
    extended: row.between === 0 ? 1 : row.extended / row.between,
    sentTokens: row.sentTokens,
    freshTokens: row.freshTokens,
    unchanged,
    /** `unchanged` if every message that stayed had kept its place: the most that the policy's own choices allow. */
    unchangedInOrder: row.standingTokens === 0 ? 1 : 1 - row.leftTokens / row.standingTokens,
    bound,
    ofGoal: unchanged / (GOAL * bound),
    usd: { anthropic: row.anthropic, openai: row.openai },
  };
}

const windows = flags.windows.split(',').map(Number);
const policies = flags.policies?.split(',') ?? Object.keys(POLICIES);
const unknown = policies.filter((name) => !(name in POLICIES));
if (unknown.length > 0)
  throw new Error(`no policy ${unknown.join(', ')}; there are ${Object.keys(POLICIES).join(', ')}`);
const command = `npm run bench:cache -- ${process.argv.slice(2).join(' ')}`.trim();
const loaded = provenance(command);
const results: Record<string, Record<string, unknown>> = {};
const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const isShort = flags.only !== undefined || windows.length < 4 || flags.policies !== undefined;
let file = '';
for (const window of windows) {
  const sums = new Map(policies.map((name) => [name, newRow()]));
  const sessions: Record<string, Record<string, unknown>> = {};
  for await (const session of sessionsOf(flags.sessions, flags.only)) {
    for (const [name, sum] of sums) {
      const row = await measure(POLICIES[name]!, session, window);
      addTally(sum, row);
      (sessions[session.id] ??= {})[name] = figuresOf(row);
    }
  }
  const all = Object.fromEntries([...sums].map(([name, sum]) => [name, figuresOf(sum)]));
  results[window] = { all, sessions };
  for (const [name, figures] of Object.entries(all)) {
    console.log(
      `${String(window).padStart(7)} ${name.padEnd(24)} ${figures.requests} requests, ${percent(figures.extended)} of ` +
        `${figures.between} between commits extend; unchanged ${percent(figures.unchanged)} (in order ` +
        `${percent(figures.unchangedInOrder)}) of ${percent(figures.bound)}, ${figures.ofGoal.toFixed(3)} of the goal; ` +
        `${Math.round(figures.sentTokens / 1_000)}k sent, ${Math.round(figures.freshTokens / 1_000)}k anew; ` +
        `$${figures.usd.anthropic.toFixed(2)} ${SHEETS.anthropic}, $${figures.usd.openai.toFixed(2)} ${SHEETS.openai}`,
    );
  }
  // Saved after each window, so that a stopped run keeps its measurements.
  file = saveResult(isShort ? 'cache-short' : 'cache', command, results, loaded);
}
console.log(`written to ${file}`);
