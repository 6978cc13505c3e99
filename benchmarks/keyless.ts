/**
 * The cost of text without a model, compared with one pass of gpt-tokenizer over the same span in the same process.
 *
 *   npm run bench:keyless -- [--sessions DIR] [--rounds 3] [--spans 2000,8000,32000,128000] [--windows 8000,32000] [--only ID]
 *
 * Spans begin at the start of a session: of so many tokens (`--spans`), and the whole head that has left a window by
 * the session's end (`--windows`). The messages of each span are new copies, so that nothing is cached.
 */
import { parseArgs } from 'node:util';
import { createRedact, ReferenceIndex, SecretBook } from '../src/text/facts/index.js';
import { DigestIndex, drawDigest } from '../src/text/digest/index.js';
import { createExactCounter, createMeasure } from '../src/tokens/index.js';
import { Log, LogReader, spanHandle, type MessageSize } from '../src/transcript/index.js';
import { provenance, saveResult } from './support/provenance.js';
import { CORPUS, sessionsOf, type BenchSession } from './support/sessions.js';
import { cpuMs, textsOf, tokenizerPass } from './support/tokenizer.js';

const { values: flags } = parseArgs({
  options: {
    sessions: { type: 'string', default: CORPUS },
    rounds: { type: 'string', default: '3' },
    spans: { type: 'string', default: '2000,8000,32000,128000' },
    windows: { type: 'string', default: '8000,32000' },
    only: { type: 'string' },
  },
});
const GOAL = 0.25;
/** As in `config/default.yaml` and the options of the stages. */
const TARGET = 0.6;
const SUMMARY_SHARE = 0.35;
const MOST_OF_SPAN = 0.6;

const command = `npm run bench:keyless -- ${process.argv.slice(2).join(' ')}`.trim();
const loaded = provenance(command);
const counter = await createExactCounter('o200k_base');
const measure = createMeasure(counter);
const count = (text: string): number => counter.count(text);
const redact = createRedact([]);

/** CPU milliseconds of one span: its digest, reading references and secrets, two passes of the tokenizer over its text. */
interface Cost {
  readonly tokens: number;
  readonly digestMs: number;
  readonly readMs: number;
  readonly firstMs: number;
  readonly againMs: number;
}

interface Span {
  readonly messages: BenchSession['messages'];
  readonly sizes: readonly MessageSize[];
  readonly tokens: number;
  /** The input budget of which the texts take shares. */
  readonly window: number;
}

/** A log that nothing has read yet. Its messages are new objects, so that no other round has cached anything. */
function freshLog({ messages, sizes }: Span): Log {
  const log = new Log();
  structuredClone(messages).forEach((message, i) => log.append(message, sizes[i]!));
  return log;
}

function digest(span: Span, log: Log): void {
  const share = Math.min(SUMMARY_SHARE * span.window, MOST_OF_SPAN * span.tokens);
  const to = log.length - 1;
  const handle = spanHandle(log.at(0).id, log.at(to).id);
  const index = new DigestIndex(log);
  new LogReader(log, index).catchUp();
  const { text } = drawDigest(index, { from: 0, to, maxTokens: Math.floor(share), count, handle });
  if (text.length === 0) throw new Error(`no digest of ${handle}`);
}

/** Reads the rest that a run needs of a log: references and secrets. */
function references(log: Log): void {
  new LogReader(log, new ReferenceIndex(log), new SecretBook(redact)).catchUp();
}

function costOf(span: Span): Cost {
  const texts = textsOf(span.messages);
  const forDigest = freshLog(span);
  const digestMs = cpuMs(() => digest(span, forDigest));
  const log = freshLog(span);
  const readMs = cpuMs(() => references(log));
  return { tokens: span.tokens, digestMs, readMs, ...tokenizerPass(texts) };
}

/** The spans that the session is long enough for, by name. */
function spansOf({ messages }: BenchSession): Map<string, Span> {
  const body = messages.filter(({ role }) => role !== 'system');
  const sizes = body.map(measure);
  const total = sizes.reduce((sum, { tokens }) => sum + tokens, 0);
  const head = (most: number, window: number): Span => {
    let tokens = 0;
    let length = 0;
    while (length < body.length && tokens + sizes[length]!.tokens <= most) tokens += sizes[length++]!.tokens;
    return { messages: body.slice(0, length), sizes: sizes.slice(0, length), tokens, window };
  };
  const spans = new Map<string, Span>();
  for (const most of flags.spans.split(',').map(Number))
    if (total >= most) spans.set(`first ${most} tokens`, head(most, Math.max(8_000, most)));
  for (const window of flags.windows.split(',').map(Number))
    if (total > window) spans.set(`head that left ${window}`, head(total - TARGET * window, window));
  for (const [name, { messages: some }] of spans) if (some.length === 0) spans.delete(name);
  return spans;
}

const round = (value: number, digits = 3): number => Number(value.toFixed(digits));
const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
const total = (costs: readonly Cost[], ms: (cost: Cost) => number): number =>
  costs.reduce((sum, cost) => sum + ms(cost), 0);

/** Ratios over all spans together, and over single spans. */
function ratios(costs: readonly Cost[], ours: (cost: Cost) => number, theirs: (cost: Cost) => number) {
  const each = costs.map((cost) => ours(cost) / theirs(cost)).sort((a, b) => a - b);
  return {
    total: round(total(costs, ours) / total(costs, theirs)),
    median: round(at(each, 0.5)),
    p90: round(at(each, 0.9)),
  };
}

function figuresOf(costs: readonly Cost[]) {
  const both = ({ digestMs, readMs }: Cost): number => digestMs + readMs;
  return {
    spans: costs.length,
    meanTokens: Math.round(costs.reduce((sum, { tokens }) => sum + tokens, 0) / costs.length),
    digest: ratios(
      costs,
      ({ digestMs }) => digestMs,
      ({ firstMs }) => firstMs,
    ),
    digestToSecondPass: ratios(
      costs,
      ({ digestMs }) => digestMs,
      ({ againMs }) => againMs,
    ),
    withReading: ratios(costs, both, ({ firstMs }) => firstMs),
    withReadingToSecondPass: ratios(costs, both, ({ againMs }) => againMs),
  };
}

/** The median of the rounds, separately for each figure. */
function middle(rounds: readonly Cost[]): Cost {
  const of = (key: keyof Cost): number =>
    at(
      rounds.map((cost) => cost[key]).sort((a, b) => a - b),
      0.5,
    );
  return {
    tokens: of('tokens'),
    digestMs: of('digestMs'),
    readMs: of('readMs'),
    firstMs: of('firstMs'),
    againMs: of('againMs'),
  };
}

const byName = new Map<string, Cost[]>();
let isWarm = false;
for await (const session of sessionsOf(flags.sessions, flags.only)) {
  const spans = spansOf(session);
  // Code is compiled before the clock starts, because a process that compacts has run for a while.
  for (let i = 0; !isWarm && i < 3; i++) for (const span of spans.values()) costOf(span);
  isWarm = true;
  for (const [name, span] of spans) {
    const rounds = Array.from({ length: Number(flags.rounds) }, () => costOf(span));
    const costs = byName.get(name) ?? [];
    byName.set(name, [...costs, middle(rounds)]);
  }
}
const rank = (name: string): number => Number(/\d+/.exec(name)![0]) + (name.startsWith('head') ? 1e9 : 0);
const names = [...byName.keys()].sort((a, b) => rank(a) - rank(b));
const results = Object.fromEntries(names.map((name) => [name, figuresOf(byName.get(name)!)]));
const all = figuresOf([...byName.values()].flat());
console.log('CPU time relative to one pass of the tokenizer: total / median / p90 of spans');
for (const [name, { spans, meanTokens, digest: text, withReading }] of Object.entries({ ...results, all }))
  console.log(
    `${name.padEnd(22)} ${String(spans).padStart(3)} spans of ${String(meanTokens).padStart(6)} tokens: ` +
      `digest ${text.total} / ${text.median} / ${text.p90}; with references ${withReading.total} / ${withReading.median} / ${withReading.p90}`,
  );
console.log(`goal ${GOAL}: the digest takes ${all.digest.total}`);
const name = flags.only === undefined ? 'keyless' : 'keyless-short';
console.log(`written to ${saveResult(name, command, { goal: GOAL, all, ...results }, loaded)}`);
