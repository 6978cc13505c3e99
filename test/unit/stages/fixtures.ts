import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILT_IN_STAGES } from '../../../src/stages/index.js';
import { Bench, type GoalInput } from './support.js';

export const STAGES_FOLDER = fileURLToPath(new URL('../../../src/stages/', import.meta.url));

/** One file of `src/stages/<name>/fixtures/`: drop another one in, and it is run. */
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

export function fixturesOf(stage: string): { file: string; fixture: Fixture }[] {
  const folder = join(STAGES_FOLDER, stage, 'fixtures');
  const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
  return files
    .sort()
    .map((file) => ({ file, fixture: JSON.parse(readFileSync(join(folder, file), 'utf8')) }));
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
