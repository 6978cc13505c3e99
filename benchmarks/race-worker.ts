/**
 * One process of `race.ts`. Does its share of operations, each on the current head, and prints the store's answers: the
 * messages and spans that it acknowledged, and the text of each span.
 */
import type { SessionStore, ThreadHead, ThreadKey } from '../src/spi/index.js';
import { openStore } from '../src/stores/index.js';
import { logMessage } from './support/log-message.js';

interface Task {
  readonly url: string;
  readonly worker: number;
  readonly ops: number;
  readonly sessions: number;
  readonly prefix: string;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Told {
  /** Ids of messages whose write was acknowledged. */
  readonly messages: string[];
  readonly spans: (Span & { readonly sessionId: string; readonly text: string })[];
  readonly calls: number;
  /** Writes that another process overtook, and that were repeated. */
  readonly lost: number;
}

const MAX_WAIT_MS = 64;
const START = { messages: 0, entries: 0 };
const { url, worker, ops, sessions, prefix } = JSON.parse(process.argv[2]!) as Task;
const store = await openStore(url, { patienceMs: 120_000 });
const told = { messages: [] as string[], spans: [] as Told['spans'], calls: 0, lost: 0 };

/** Seed of the pseudo-random numbers, different in each process. */
let seed = worker + 1;
const below = (bound: number): number => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
  return Math.floor((seed / 0x80000000) * bound);
};

/** Works as a session does: read the head, plan, write on that head. If another process was faster, read again. */
async function untilDone(
  key: ThreadKey,
  attempt: (head: ThreadHead) => Promise<ThreadHead | undefined | 'nothing'>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    const head = (await store.load(key))?.head ?? START;
    if ((await attempt(head)) !== undefined) return;
    told.lost++;
    // Waits for a random time, so that the processes do not all write at once again.
    await new Promise((resolve) => setTimeout(resolve, below(Math.min(2 ** tries, MAX_WAIT_MS))));
  }
}

async function append(key: ThreadKey, op: number): Promise<void> {
  const id = `w${worker}.${op}`;
  await untilDone(key, (head) =>
    store.write(key, head, { messages: [logMessage(head.messages, id)], usage: [call()] }),
  );
  told.messages.push(id);
  told.calls++;
}

/** Supersedes the span that no entry has superseded yet, with a text that is requested once. */
async function compact(key: ThreadKey): Promise<void> {
  await untilDone(key, async (head) => {
    const [last] = await store.entries(key, Math.max(0, head.entries - 1));
    const span = { from: last ? (last.body as unknown as Span).to : 0, to: head.messages };
    if (span.from === span.to) return 'nothing';
    const done = await store.write(key, head, { entries: [{ kind: 'commit', at: 0, body: { ...span } }] });
    if (!done) return undefined;
    const { text } = await bought(store, key, span);
    told.spans.push({ ...span, sessionId: key.sessionId, text });
    return done;
  });
}

/** Several processes may request the text of the same span; all must receive the same text. */
function bought(from: SessionStore, { sessionId }: ThreadKey, span: Span): Promise<{ text: string }> {
  return from.keepArtifact(`${sessionId}:${span.from}-${span.to}`, { text: `by ${worker}` });
}

async function buyAgain(key: ThreadKey): Promise<void> {
  const head = (await store.load(key))?.head ?? START;
  if (head.entries === 0) return;
  const at = below(head.entries);
  const [entry] = await store.entries(key, at, at + 1);
  const span = entry!.body as unknown as Span;
  const { text } = await bought(store, key, span);
  told.spans.push({ ...span, sessionId: key.sessionId, text });
}

const call = () =>
  ({
    line: 'primary',
    model: 'm',
    calls: 1,
    inputTokens: 3,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 1,
    cost: 0.5,
    unpriced: 0,
  }) as const;

for (let op = 0; op < ops; op++) {
  const key = { sessionId: `${prefix}${below(sessions)}`, agentPath: 'primary' };
  const kind = below(10);
  if (kind < 6) await append(key, op);
  else if (kind < 8) await compact(key);
  else if (kind < 9) await buyAgain(key);
  else {
    await store.note(key, [{ kind: 'call', ref: `w${worker}.${op}`, at: op, body: null }], [call()]);
    told.calls++;
  }
}
await store.close();
console.log(JSON.stringify(told));
