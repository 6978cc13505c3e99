/**
 * Five clients use a provider and a store that misbehave: is any request illegal, any answer lost, or any session
 * refused more than once for its size?
 *
 * A seed chooses the faults: 429, 500, 529, answers and streams that break off, aborts, an unavailable store,
 * `max_tokens` of every size, a configured window twice as large as the real one, recalls in between.
 *
 *   npm run bench:trial -- [--requests 10000] [--seed 1]
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSpillway, openStore, type SessionStore } from '../src/index.js';
import { validateAnthropic, validators } from '../src/testkit/index.js';
import { aiSdk, chat, claude, langChain, responses, type Wired } from '../test/acceptance/clients.js';
import type { Act } from '../test/emulator/acts.js';
import { serveEmulator, type Emulator, type Received } from '../test/emulator/server.js';
import { provenance, saveResult } from './support/provenance.js';

const { values: flags } = parseArgs({
  options: { requests: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const COMMAND = `npm run bench:trial -- --requests ${flags.requests} --seed ${flags.seed}`;
const TURNS = 24;
const MAX_TOKENS = [1, 50, 200, 500, 1_000];
const CACHED = 200;
const WINDOWS = [4_000, 6_000, 9_000];
/** How many of a hundred requests get each fault. */
const FAULTS: readonly (readonly [percent: number, act: Act])[] = [
  [4, 'rate-limit'],
  [4, 'server-error'],
  [3, 'overloaded'],
  [3, 'cut'],
  [3, 'stream-error'],
];

const CLIENTS: readonly Wired[] = [false, true].flatMap((stream) => [
  chat(stream),
  responses(stream),
  claude(stream),
  aiSdk(stream ? 'compatible' : 'chat', stream),
  langChain(stream),
]);

let state = Number(flags.seed) * 2_654_435_761;
/** mulberry32: the same faults for the same seed. */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
}
const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
const WORDS = 'river mill wall boat rain wind hill oak stone roof paper lamp valley harbour engine'.split(
  ' ',
);
const words = (count: number): string => Array.from({ length: count }, () => one(WORDS)).join(' ');

/** Tokens of all texts of a body, at four characters a token. */
function tokensOf(value: unknown): number {
  if (typeof value === 'string') return value.length / 4;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + tokensOf(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + tokensOf(item), 0);
}

const asked = ({
  max_tokens: one,
  max_output_tokens: two,
  max_completion_tokens: three,
}: Received['body']): number => Number(one ?? two ?? three ?? 0);

/** The provider's own refusal of a request that is too long itself, or together with its `max_tokens`. */
function refusal(wire: string, tokens: number, most: number, window: number): Act {
  const isLong = tokens > window;
  if (wire.startsWith('anthropic')) {
    const message = isLong
      ? `prompt is too long: ${tokens} tokens > ${window} maximum`
      : `input length and \`max_tokens\` exceed context limit: ${tokens} + ${most} > ${window}, decrease input length or \`max_tokens\` and try again`;
    return { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } };
  }
  const limit = `This model's maximum context length is ${window} tokens. However, `;
  const message = isLong
    ? `${limit}your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`
    : `${limit}you requested ${tokens + most} tokens (${tokens} in the messages, ${most} in the completion). Please reduce the length of the messages or completion.`;
  const error = { message, type: 'invalid_request_error', code: 'context_length_exceeded', param: null };
  return { status: 400, body: { error } };
}

const totals = {
  sessions: 0,
  requests: 0,
  illegal: 0,
  lostAnswers: 0,
  wrongAnswers: 0,
  refused: 0,
  refusedTwiceInASession: 0,
  refusedAtARightWindow: 0,
  faults: 0,
  aborts: 0,
  storeAway: 0,
  rejectedWithoutStore: 0,
  recalls: 0,
  compactions: 0,
  budgetUnreachable: 0,
};
const odd = new Map<string, number>();
const note = (what: string): void => void odd.set(what, (odd.get(what) ?? 0) + 1);

/** Whether a planned fault caused the error; for a fault in a stream the AI SDK reports only that no output came. */
const isProviders = (error: unknown): boolean => !String(error).includes('STORE_');

async function trial(client: Wired, emulator: Emulator, base: SessionStore): Promise<void> {
  const window = one(WINDOWS);
  const isWrong = random() < 0.3;
  const store = { isAway: false };
  const shaky = new Proxy(base, {
    get(target, name) {
      const own = Reflect.get(target, name) as unknown;
      if (typeof own !== 'function') return own;
      return (...given: unknown[]) =>
        store.isAway && (name === 'note' || name === 'write')
          ? Promise.reject(new Error('the database is away'))
          : (own.apply(target, given) as unknown);
    },
  });
  const spillway = await createSpillway({
    window: isWrong ? window * 2 : window,
    counter: { name: 'quarter', exact: true, count: (text) => Math.ceil(text.length / 4) },
    settings: { reserve: { output: 100 } },
    store: shaky,
    onStoreFailure: 'open',
  });
  const session = await spillway.open({ id: `trial-${totals.sessions++}`, format: client.format });
  const { ask, history } = client.open(emulator, session, { recall: random() < 0.5 });
  let refused = 0;
  const came: { last?: { readonly text: string } | undefined } = {};
  let now = '';
  emulator.otherwise = ({ wire, body, text }): Act => {
    totals.requests++;
    // The message of an aborted turn may arrive in the next one.
    const isLate = !text.includes(now);
    const faults = wire.startsWith('anthropic') ? validateAnthropic(body) : validators.get(wire)!(body);
    totals.illegal += Math.min(1, faults.length);
    if (faults[0]) note(`${wire}: ${faults[0].rule} ${faults[0].what}`);
    const tokens = Math.ceil(
      tokensOf(body.messages ?? body.input) + tokensOf(body.system ?? body.instructions),
    );
    if (tokens + asked(body) > window) {
      if (!isLate) refused++;
      if (!isLate) came.last = undefined;
      return refusal(wire, tokens, asked(body), window);
    }
    const roll = random() * 100;
    let sum = 0;
    for (const [percent, act] of FAULTS) {
      if (roll >= (sum += percent)) continue;
      totals.faults++;
      if (!isLate) came.last = undefined;
      return act;
    }
    const canRecall = text.includes('"recall"') && random() < 0.15;
    if (canRecall) totals.recalls++;
    const name = canRecall ? 'recall' : 'look';
    const calls = canRecall || random() < 0.2;
    const said = `Answer ${totals.requests}. ${words(20)}`;
    if (!isLate) came.last = { text: calls ? '' : said };
    return {
      text: calls ? '' : said,
      ...(calls && {
        toolCalls: [
          { id: `c${totals.requests}`, name, arguments: canRecall ? { query: one(WORDS) } : { at: 'x' } },
        ],
      }),
      // Tokens read from a cache are part of the input.
      usage: {
        inputTokens: tokens - Math.min(CACHED, tokens),
        cacheReadTokens: Math.min(CACHED, tokens),
        outputTokens: 20,
      },
    };
  };
  for (let turn = 0; turn < TURNS; turn++) {
    const before = history.length;
    came.last = undefined;
    now = `Turn ${turn}:`;
    store.isAway = random() < 0.08;
    if (store.isAway) totals.storeAway++;
    const abort = random() < 0.04 ? new AbortController() : undefined;
    if (abort) setTimeout(() => abort.abort(), random() * 30);
    try {
      const how = { maxTokens: one(MAX_TOKENS), ...(abort && { signal: abort.signal }) };
      const answer = await ask(`${now} ${words(20 + Math.floor(random() * 400))}`, how);
      const last = came.last as { readonly text: string } | undefined;
      if (last && answer.text !== last.text && last.text !== '') {
        totals.wrongAnswers++;
        note(
          `${client.name}: answered ${JSON.stringify(answer.text.slice(0, 40))} for ${JSON.stringify(last.text.slice(0, 40))}`,
        );
      }
    } catch (error) {
      history.length = before;
      const { code } = error as { code?: string };
      if (abort?.signal.aborted) totals.aborts++;
      else if (code === 'BUDGET_UNREACHABLE') totals.budgetUnreachable++;
      else if (came.last) {
        totals.lostAnswers++;
        note(`${client.name}: lost to ${String(error).slice(0, 160)}`);
      } else if (store.isAway && !isProviders(error)) {
        totals.rejectedWithoutStore++;
        note(`${client.name}: rejected by ${String(error).slice(0, 160)}`);
      }
    }
  }
  totals.refused += refused;
  if (refused > 1) totals.refusedTwiceInASession++;
  if (!isWrong && refused > 0) totals.refusedAtARightWindow++;
  totals.compactions += session.operator.history.length;
}

const from = provenance(COMMAND);
const folder = mkdtempSync(join(tmpdir(), 'spillway-trial-'));
const emulator = await serveEmulator();
try {
  for (let round = 0; totals.requests < Number(flags.requests); round++) {
    // Each session has its own store, because a limit that one session has learned twice would apply to the others.
    const store = await openStore(`sqlite:${join(folder, `${round}.db`)}`);
    await trial(CLIENTS[round % CLIENTS.length]!, emulator, store);
    emulator.received.length = 0;
    await store.close();
  }
} finally {
  emulator.close();
  rmSync(folder, { recursive: true, force: true });
}
console.table(totals);
for (const [what, times] of odd) console.log(`${times} x ${what}`);
const load = loadavg()[0]!.toFixed(1);
console.log(
  `load ${load}; ${saveResult('trial', COMMAND, { load, ...totals, odd: Object.fromEntries(odd) }, from)}`,
);
process.exitCode =
  totals.illegal + totals.lostAnswers + totals.wrongAnswers + totals.rejectedWithoutStore === 0 ? 0 : 1;
