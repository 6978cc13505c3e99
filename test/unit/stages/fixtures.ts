import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, stringify } from 'yaml';
import { BUILT_IN_STAGES } from '../../../src/stages/index.js';
import { Bench, type GoalInput } from './support.js';

const FIXTURES = fileURLToPath(new URL('./fixtures/', import.meta.url));

/** One file of `fixtures/<stage>/`: drop another one in, and it is run. */
export interface Fixture {
  readonly title: string;
  /** OpenAI chat messages. */
  readonly input: readonly unknown[];
  /** Stages that have run before, in order. */
  readonly before?: readonly { stage: string; options?: unknown; goal?: GoalInput }[];
  readonly options: unknown;
  /** Default: a budget of 1,000 tokens, of which everything is to be reclaimed. */
  readonly goal?: GoalInput;
  /** What is sent after the stage has run. */
  readonly expected: readonly unknown[];
}

/** A message as a fixture writes it: `user: …`, `tool: …` with the call it is `of`, `assistant: …` with its `calls`. */
type Line = Readonly<Record<string, string>> & {
  readonly of?: string;
  /** By id: `Bash {"command": "touch a"}`. */
  readonly calls?: Readonly<Record<string, string>>;
};

/** A fixture as its file holds it: what is sent as before is told by its places, `0..5`. */
type Stored = Omit<Fixture, 'input' | 'expected'> & {
  readonly talk: readonly Line[];
  readonly sent: readonly (Line | string)[];
};

export function fixturesOf(stage: string): { file: string; fixture: Fixture }[] {
  const folder = join(FIXTURES, stage);
  return readdirSync(folder)
    .sort()
    .map((file) => {
      const { talk, sent, ...more } = parse(readFileSync(join(folder, file), 'utf8')) as Stored;
      const input = talk.map(messageOf);
      const expected = sent.flatMap((one) => {
        if (typeof one !== 'string') return [messageOf(one)];
        const [from, to] = one.split('..').map(Number);
        return input.slice(from, to! + 1);
      });
      return { file, fixture: { ...more, input, expected } };
    });
}

/** Takes what a stage sends now for what is expected. */
export function rewrite(stage: string, file: string, { input, expected, ...more }: Fixture): void {
  const texts = input.map((message) => JSON.stringify(message));
  const sent: (Line | string)[] = [];
  let [from, next] = [0, 0];
  for (const message of expected) {
    const place = texts.indexOf(JSON.stringify(message), next);
    const goesOn = place >= 0 && place === next && typeof sent.at(-1) === 'string';
    if (!goesOn) from = place;
    if (place < 0) sent.push(lineOf(message));
    else sent.splice(goesOn ? -1 : sent.length, 1, `${from}..${place}`);
    if (place >= 0) next = place + 1;
  }
  const text = stringify({ ...more, talk: input.map(lineOf), sent }, STYLE);
  writeFileSync(join(FIXTURES, stage, file), text);
}

/** A message in one line, however long it is. */
const STYLE = {
  lineWidth: 0,
  defaultStringType: 'QUOTE_DOUBLE',
  defaultKeyType: 'PLAIN',
  doubleQuotedMinMultiLineLength: Infinity,
} as const;

function messageOf({ of, calls, ...said }: Line): object {
  const [[role, content]] = Object.entries(said) as [[string, string]];
  const made = Object.entries(calls ?? {}).map(([id, call]) => {
    const [, name, given] = /^(\S+) (.*)$/s.exec(call)!;
    return { id, type: 'function', function: { name, arguments: given } };
  });
  if (of !== undefined) return { role, tool_call_id: of, content };
  return { role, content, ...(made.length > 0 && { tool_calls: made }) };
}

function lineOf(message: any): Line {
  const calls = message.tool_calls?.map((call: any) => [
    call.id,
    `${call.function.name} ${call.function.arguments}`,
  ]);
  return {
    [message.role]: message.content,
    ...(message.tool_call_id && { of: message.tool_call_id }),
    ...(calls && { calls: Object.fromEntries(calls) }),
  };
}

export interface FixtureRun {
  readonly chat: readonly unknown[];
  readonly before: number;
  readonly after: number;
  readonly faults: readonly string[];
  /** What the stage would do if it were asked again for what is still missing. */
  readonly again: number;
}

export function runFixture(name: string, fixture: Fixture): FixtureRun {
  const bench = Bench.ofChat(fixture.input);
  for (const { stage, options, goal } of fixture.before ?? []) {
    bench.apply(bench.plan(stageNamed(stage), options, goal), stage);
  }
  const stage = stageNamed(name);
  const before = bench.tokens;
  const results = bench.projection.resultTokens;
  const faults = bench.apply(bench.plan(stage, fixture.options, fixture.goal), name);
  const { reclaim = 1_000_000, reclaimResults = 0 } = fixture.goal ?? {};
  const left: GoalInput = {
    ...fixture.goal,
    reclaim: reclaim - (before - bench.tokens),
    reclaimResults: reclaimResults - (results - bench.projection.resultTokens),
  };
  return {
    chat: bench.chat,
    before,
    after: bench.tokens,
    faults,
    again: bench.plan(stage, fixture.options, left).length,
  };
}

function stageNamed(name: string) {
  const stage = BUILT_IN_STAGES.find((candidate) => candidate.name === name);
  if (!stage) throw new Error(`no built-in stage is called ${name}`);
  return stage;
}
