import { Agent, request } from 'node:http';
import { saveResult } from '../support/provenance.js';
import { startService, startUpstream, type ServiceProcess } from './processes.js';

const TOKENS = 100_000;
const WINDOW = 200_000;
/** The time that the model takes for an answer. */
const UPSTREAM_MS = 200;
/** The time over which the first calls are spread. */
const SPREAD_MS = 20_000;
const PROBE_MS = 50;
const connections = new Agent({ keepAlive: true, maxSockets: Infinity });

interface Took {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** New sessions send their whole history, then call once more; `/health` is polled meanwhile. */
export async function herd(sessions: number, store: string, command: string): Promise<void> {
  const upstream = await startUpstream(UPSTREAM_MS);
  const found: Record<string, object> = {};
  for (const kind of ['plain', 'spillway'] as const) {
    const service = await startService(kind === 'plain' ? 'plain' : store, upstream.url, sessions, WINDOW);
    const cold = await wave(service, sessions, 0);
    const warm = await wave(service, sessions, 1);
    const { maxRss } = await service.held();
    found[kind] = { cold, warm, peakMiB: Math.round(maxRss / 1_048_576) };
    console.log(kind, JSON.stringify(found[kind]));
    await service.end();
  }
  upstream.close();
  saveResult('load-herd', command, { sessions, tokens: TOKENS, spreadMs: SPREAD_MS, ...found });
}

/** One call of each session, spread evenly over the time. */
async function wave(service: ServiceProcess, sessions: number, round: number) {
  const calls: number[] = [];
  const probes: number[] = [];
  let isOver = false;
  const probing = (async () => {
    while (!isOver) {
      probes.push(await timed(service.url, '/health'));
      await pause(PROBE_MS);
    }
  })();
  await Promise.all(
    Array.from({ length: sessions }, async (_, i) => {
      await pause((SPREAD_MS * i) / sessions);
      calls.push(await timed(service.url, '/v1/chat/completions', bodyOf(i, round)));
    }),
  );
  isOver = true;
  await probing;
  return { calls: took(calls), health: took(probes) };
}

function bodyOf(session: number, round: number): Buffer {
  const messages: object[] = [{ role: 'user', content: `Build the mill ${session}.` }];
  for (let chars = 0, i = 0; chars < TOKENS * 4; i++) {
    const content = linesOf(session, i);
    chars += content.length + 150;
    const call = { name: 'read', arguments: `{"path":"src/${i}.ts"}` };
    const tool_calls = [{ id: `call_${i}`, type: 'function', function: call }];
    messages.push(
      { role: 'assistant', content: null, tool_calls },
      { role: 'tool', tool_call_id: `call_${i}`, content },
    );
  }
  for (let i = 0; i < round; i++)
    messages.push({ role: 'assistant', content: 'Go on.' }, { role: 'user', content: `And part ${i}?` });
  return Buffer.from(JSON.stringify({ model: 'gpt-4o', messages }));
}

/** A tool result: lines that no other session has. */
function linesOf(session: number, at: number): string {
  return Array.from({ length: 40 }, (_, line) => {
    const value = (session * 7_919 + at * 104_729 + line * 1_299_709) % 1_000_003;
    return `${line}: const weir${value} = open(gate${value % 97}, "${value.toString(36)}"); // level ${value % 1_000}`;
  }).join('\n');
}

function timed(url: string, path: string, body?: Buffer): Promise<number> {
  const from = performance.now();
  return new Promise((resolve, reject) => {
    const headers = body && { 'content-type': 'application/json', 'content-length': body.length };
    const method = body ? 'POST' : 'GET';
    const asked = request(url + path, { method, agent: connections, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(performance.now() - from));
      if (answer.statusCode !== 200) reject(new Error(`${path} was answered with ${answer.statusCode}`));
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function took(times: readonly number[]): Took {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!);
  return { p50Ms: at(0.5), p99Ms: at(0.99), maxMs: at(1) };
}
