/**
 * The cost of keeping a session, compared with one pass of gpt-tokenizer over the same text in the same process.
 *
 *   npm run bench:speed -- [--sessions DIR] [--rounds 5] [--only turns,quiet,flat,oneshot,startup] [--long 100000] [--clock cpu]
 *
 * Needs `npm run build` for the whole-process figures.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { createSpillway, replaySession } from '../src/index.js';
import { createExactCounter } from '../src/tokens/index.js';
import type { Message } from '../src/transcript/index.js';
import { saveResult } from './support/provenance.js';
import { CORPUS, sessionsOf, type BenchSession } from './support/sessions.js';
import { quietPrepare } from './support/quiet-prepare.js';
import { longSession } from './support/long-session.js';
import { cpuNow, textsOf, tokenizerPass } from './support/tokenizer.js';

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string', default: CORPUS },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: 'turns,quiet,flat,oneshot,startup' },
    long: { type: 'string', default: '100000' },
    windows: { type: 'string', default: '8000,32000,128000' },
    clock: { type: 'string', default: 'wall' },
  },
});
const rounds = Number(flags.rounds);
const parts = new Set(flags.only.split(','));
const results: Record<string, unknown> = {};

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
const wallNow = (): number => performance.now();
/** On a shared machine only processor time is meaningful. It counts all threads, so it is higher. */
const clock = flags.clock === 'cpu' ? cpuNow : wallNow;
const TURNS_GOALS: Readonly<Record<number, number>> = { 8000: 2, 32000: 1, 128000: 0.45 };
const round = (value: number, digits = 3): number => Number(value.toFixed(digits));

/**
 * All work of `append` and `prepare` except the counting of new messages, whose counts are given. Compared with one
 * pass of the tokenizer as installed, over texts that are new to it. Processor time, which includes the threads of the
 * compiler and the collector, is printed too.
 */
async function turns(sessions: readonly BenchSession[]): Promise<void> {
  const exact = await createExactCounter('o200k_base');
  for (const window of flags.windows.split(',').map(Number)) {
    const ratios: number[] = [];
    let ours = 0;
    let theirs = 0;
    let cpu = 0;
    for (let i = 0; i < rounds; i++) {
      let roundOurs = 0;
      let roundTheirs = 0;
      for (const { messages } of sessions) {
        const texts = textsOf(messages);
        roundTheirs += tokenizerPass(texts, clock).firstMs;
        const known = new Map(texts.map((text) => [text, exact.count(text)]));
        const counter = { ...exact, count: (text: string) => known.get(text) ?? exact.count(text) };
        const spillway = await createSpillway({ inputBudget: window, counter });
        const session = spillway.session();
        const started = clock();
        const startedCpu = cpuNow();
        for await (const call of replaySession(session, messages)) void call;
        roundOurs += clock() - started;
        cpu += cpuNow() - startedCpu;
      }
      ratios.push(roundOurs / roundTheirs);
      ours += roundOurs;
      theirs += roundTheirs;
    }
    const line = {
      ratio: round(median(ratios)),
      goal: TURNS_GOALS[window] ?? null,
      clock: flags.clock,
      load: round(loadavg()[0]!, 1),
      prepareMs: round(ours / rounds, 1),
      prepareCpuMs: round(cpu / rounds, 1),
      tokenizerMs: round(theirs / rounds, 1),
    };
    results[`turns at ${window}`] = line;
    console.log(`turns at ${window}: ${JSON.stringify(line)}`);
  }
}

async function quiet(sessions: readonly BenchSession[]): Promise<void> {
  for (const window of flags.windows.split(',').map(Number)) {
    const line = { ...(await quietPrepare(sessions, window, rounds)), goalUs: 20 };
    results[`quiet prepare at ${window}`] = line;
    console.log(`quiet prepare at ${window}: ${JSON.stringify(line)}`);
  }
}

/** Compares the mean time of a turn near message 1,000 with that near the end of a long session. */
async function flat(): Promise<void> {
  const length = Number(flags.long);
  const spillway = await createSpillway({ inputBudget: 32_000 });
  const session = spillway.session();
  const marks = { early: [] as number[], late: [] as number[] };
  let index = 0;
  let turn = 0;
  let started = performance.now();
  for (const message of longSession(length)) {
    session.append(message);
    if (message.role === 'tool') {
      await session.prepare();
      const took = performance.now() - started;
      if (index >= 1_000 && index < 3_000) marks.early.push(took);
      if (index >= length - 2_000) marks.late.push(took);
      turn++;
      started = performance.now();
    }
    index++;
  }
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const line = {
    ratio: round(mean(marks.late) / mean(marks.early)),
    goal: 1.2,
    earlyMs: round(mean(marks.early)),
    lateMs: round(mean(marks.late)),
    turns: turn,
  };
  results[`per turn, message 1,000 to ${length}`] = line;
  console.log(`per turn at ${length} messages: ${JSON.stringify(line)}`);
}

const CLI = join('dist', 'cli', 'spillway.js');
interface Ran {
  readonly ms: number;
  /** Processor time of all threads; more reliable than `ms` if other work shares the processor. */
  readonly cpuMs: number;
  readonly peakMb: number;
  readonly status: number | null;
}

/** Runs a command and measures it with Node, because `/usr/bin/time` is not available everywhere. */
function run(args: readonly string[]): Ran {
  const probe = `process.on('exit', () => { const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    process.stderr.write('\\ntook ' + maxRSS + ' ' + (userCPUTime + systemCPUTime) + '\\n'); })`;
  const started = performance.now();
  const child = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(probe)}`, ...args],
    { encoding: 'utf8', maxBuffer: 1 << 30 },
  );
  const ms = performance.now() - started;
  const [, peakKb, cpuUs] = /\ntook (\d+) (\d+)/.exec(child.stderr) ?? [];
  return { ms, cpuMs: Number(cpuUs) / 1_000, peakMb: Number(peakKb) / 1024, status: child.status };
}

/**
 * The built command over a file of one million tokens, compared with one pass of the tokenizer over its text. Memory is
 * the peak above an idle process that has loaded the tokenizer; the peak above a bare Node is given too.
 * `parseTimesInput`: only parsing the file line by line and keeping the objects, above its own idle process.
 */
async function oneShot(sessions: readonly BenchSession[]): Promise<void> {
  const messages: Message[] = [];
  const lines: string[] = [];
  let tokens = 0;
  for (const { messages: some } of [...sessions].sort((a, b) => b.messages.length - a.messages.length)) {
    if (tokens >= 1_000_000) break;
    for (const message of some) {
      messages.push(message);
      lines.push(JSON.stringify(message.wire));
    }
    for (const text of textsOf(some)) tokens += countTokens(text, { disallowedSpecial: new Set() });
  }
  const folder = mkdtempSync(join(tmpdir(), 'spillway-bench-'));
  const file = join(folder, 'million.jsonl');
  writeFileSync(file, `${lines.join('\n')}\n`);
  const script = join(folder, 'pass.mjs');
  const tokenizer = import.meta.resolve('gpt-tokenizer/encoding/o200k_base');
  writeFileSync(
    script,
    `import { countTokens } from '${tokenizer}'; import { readFileSync } from 'node:fs';
const o = { disallowedSpecial: new Set() };
for (const line of readFileSync('${file}', 'utf8').split('\\n')) if (line) { const m = JSON.parse(line);
  if (typeof m.content === 'string') countTokens(m.content, o); for (const c of m.tool_calls ?? []) countTokens(c.function.name + c.function.arguments, o); }`,
  );
  const idleScript = join(folder, 'idle.mjs');
  writeFileSync(idleScript, `import '${tokenizer}'; `);
  const bareScript = join(folder, 'bare.mjs');
  writeFileSync(bareScript, '');
  const parseScript = join(folder, 'parse.mjs');
  writeFileSync(
    parseScript,
    `import { readFileSync } from 'node:fs';
globalThis.kept = readFileSync('${file}', 'utf8').split('\\n').filter(Boolean).map((line) => JSON.parse(line));`,
  );
  const ratios: number[] = [];
  const cpuRatios: number[] = [];
  const overBare: number[] = [];
  const parse: number[] = [];
  const growth: number[] = [];
  const inputMb = Buffer.byteLength(lines.join('\n')) / 2 ** 20;
  let ours = 0;
  let pass = 0;
  for (let i = 0; i < rounds; i++) {
    const one = run([CLI, 'compact', file, '--window', '128000', '--out', join(folder, 'out.json')]);
    const other = run([script]);
    const idle = run([idleScript]);
    const bare = run([bareScript]);
    ratios.push(one.ms / other.ms);
    cpuRatios.push(one.cpuMs / other.cpuMs);
    growth.push((one.peakMb - idle.peakMb) / inputMb);
    overBare.push((one.peakMb - bare.peakMb) / inputMb);
    parse.push((run([parseScript]).peakMb - bare.peakMb) / inputMb);
    ours = one.ms;
    pass = other.ms;
    if (one.status !== 0) throw new Error(`compact ended with ${one.status}`);
  }
  rmSync(folder, { recursive: true });
  const line = {
    tokens,
    inputMb: round(inputMb, 2),
    ratio: round(median(ratios)),
    goal: 2,
    cpuRatio: round(median(cpuRatios)),
    ms: round(ours, 0),
    passMs: round(pass, 0),
    memoryTimesInput: round(median(growth), 2),
    memoryGoal: 4,
    memoryTimesInputOverBareNode: round(median(overBare), 2),
    parseTimesInput: round(median(parse), 2),
  };
  results['one-shot, whole process'] = line;
  console.log(`one-shot: ${JSON.stringify(line)}`);
}

function startUp(): void {
  const folder = mkdtempSync(join(tmpdir(), 'spillway-bench-'));
  const file = join(folder, 'ten.json');
  const ten = Array.from({ length: 10 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `message ${i} of a short talk`,
  }));
  writeFileSync(file, JSON.stringify(ten));
  const ratios: number[] = [];
  const oursMs: number[] = [];
  const baseMs: number[] = [];
  for (let i = 0; i < rounds * 4; i++) {
    const started = performance.now();
    const child = spawnSync(process.execPath, [CLI, 'compact', file, '--window', '8000'], {
      encoding: 'utf8',
    });
    const middle = performance.now();
    spawnSync(process.execPath, ['-e', 'import("gpt-tokenizer/encoding/o200k_base")'], { encoding: 'utf8' });
    const end = performance.now();
    if (child.status !== 0) throw new Error(child.stderr);
    oursMs.push(middle - started);
    baseMs.push(end - middle);
    ratios.push((middle - started) / (end - middle));
  }
  rmSync(folder, { recursive: true });
  const line = {
    ratio: round(median(ratios)),
    goal: 1.5,
    ms: round(median(oursMs), 0),
    tokenizerMs: round(median(baseMs), 0),
  };
  results['start-up, whole process'] = line;
  console.log(`start-up: ${JSON.stringify(line)}`);
}

const sessions: BenchSession[] = [];
if (['turns', 'quiet', 'oneshot'].some((part) => parts.has(part)))
  for await (const session of sessionsOf(flags.sessions)) sessions.push(session);
if (parts.has('turns')) await turns(sessions);
if (parts.has('quiet')) await quiet(sessions);
if (parts.has('flat')) await flat();
if (parts.has('oneshot')) await oneShot(sessions);
if (parts.has('startup')) startUp();
const file = saveResult(
  parts.size < 5 ? 'speed-short' : 'speed',
  `npm run bench:speed -- ${process.argv.slice(2).join(' ')}`.trim(),
  results,
);
console.log(`written to ${file}`);
