import { assistant, create, edit, failing, list, read, run, search, showing, user } from './steps.mjs';

const TYPES = `tsc --noEmit -p . | grep -A 4 -E "^(src|test/unit)/cli/" || echo "no errors under src/cli and test/unit/cli"`;

/** The first version, with the mistakes that real work has. */
export const build = [
  assistant(
    'Step 1 and 2.',
    edit(
      'src/pipeline/due.ts',
      `/**
 * Whether a run should start.`,
      `/** The first gate that is still closed; undefined when all are open. */
export function nextGate(pressure: number, gates: readonly Gate[]): Gate | undefined {
  return gates.find((gate) => pressure < gate.opensAt);
}

/**
 * Whether a run should start.`,
    ),
    create('src/cli/report/gauge.ts', 'report-1.txt'),
  ),
  assistant(
    `Step 3: the engine apart from the session.

Plan:
1. [x] nextGate in src/pipeline/due.ts
2. [x] src/cli/report/gauge.ts
3. [>] split src/cli/open.ts
4. [ ] command, option, exit code 4
5. [ ] tests
6. [ ] types, lint, format, a run from the shell`,
    edit(
      'src/cli/open.ts',
      `  const spillway = await createSpillway({
    env: terminal.env,`,
      `  return sessionFor(await engineFor(options, terminal), input, terminal);
}

/** The engine under the policy of the command line. */
export function engineFor(options: PolicyOptions, terminal: Terminal): Promise<Spillway> {
  return createSpillway({
    env: terminal.env,`,
    ),
    edit(
      'src/cli/open.ts',
      `  const session = spillway.session({ tools: input.parsed.tools ?? [] });`,
      `}

/** A session of that engine with the tools of what was read. Warns where the window is a guess. */
export function sessionFor(engine: Spillway, input: ReadSession, terminal: Terminal): Session {
  const session = engine.session({ tools: input.parsed.tools ?? [] });`,
    ),
    edit(
      'src/cli/open.ts',
      `import { createSpillway, type Session } from '../index.js';`,
      `import { createSpillway, type Session, type Spillway } from '../index.js';`,
    ),
  ),
  assistant(
    'Step 4: exit code, command, and the option list. compact and replay keep theirs; what gauge shares with them becomes `readingOptions`.',
    edit(
      'src/cli/exit.ts',
      `  /** Our own fault. */
  internal: 70,`,
      `  /** \`gauge --fail-above\`: pressure is higher than that. */
  aboveLimit: 4,
  /** Our own fault. */
  internal: 70,`,
    ),
    create('src/cli/commands/gauge.ts', 'command-1.txt'),
    failing(
      showing(
        edit(
          'src/cli/main.ts',
          `/** What compact and replay have in common. */
function policyOptions(program: Command): Command {
  return program`,
          `/** What every command that opens a session has in common. */
function readingOptions(command: Command): Command {
  return command`,
        ),
        'does not occur',
      ),
    ),
  ),
  assistant(
    'I had the parameter name wrong. Let me look at the place again instead of guessing.',
    showing(
      run('grep -n -A 12 "function policyOptions" src/cli/main.ts'),
      'function policyOptions(command: Command)',
    ),
  ),
  assistant(
    'It is `command`. The first five options are the ones about reading.',
    edit(
      'src/cli/main.ts',
      `/** What compact and replay have in common. */
function policyOptions(command: Command): Command {
  return command
    .option('--window`,
      `/** What compact and replay have in common. */
function policyOptions(command: Command): Command {
  return readingOptions(command)
    .option('--out <path>', 'write messages here instead of stdout (replay: a folder)')
    .option('--report <file>', 'write the report as JSON here')
    .option('--json', 'the report on stderr as JSON');
}

/** What every command that opens a session has in common. */
function readingOptions(command: Command): Command {
  return command
    .option('--window`,
    ),
    edit(
      'src/cli/main.ts',
      `    .option('--format <name>', 'input format', 'auto')
    .option('--out <path>', 'write messages here instead of stdout (replay: a folder)')
    .option('--report <file>', 'write the report as JSON here')
    .option('--json', 'the report on stderr as JSON');
}`,
      `    .option('--format <name>', 'input format', 'auto');
}`,
    ),
    edit(
      'src/cli/main.ts',
      `  program
    .command('validate')`,
      `  readingOptions(
    program
      .command('gauge')
      .description('Say how full a session is: pressure, open gates, and the one that opens next.')
      .argument('<file>', 'session file'),
  )
    .option('--plain', 'one line for people')
    .option('--fail-above <pressure>', 'exit code 4 above this pressure', fraction)
    .action(async (file: string, options) => {
      const { gauge } = await import('./commands/gauge.js');
      exit(await gauge(file, options, terminal));
    });

  program
    .command('validate')`,
    ),
  ),
  assistant(
    'Types, for the part I touch: colleagues may have src/tokens in pieces.',
    showing(run(TYPES), 'TS2375', 'exactOptionalPropertyTypes'),
  ),
  assistant(
    '`exactOptionalPropertyTypes` is on: an optional field may be absent, but not `undefined`. That matters for the JSON as well, `next` must not be there when all gates are open. How does the rest of the code write such fields?',
    showing(search('&& \\{ ', 'src/cli'), 'options.window !== undefined && { inputBudget'),
    showing(read('tsconfig.json'), 'exactOptionalPropertyTypes'),
  ),
  assistant(
    'By spreading a condition. The same here.',
    edit(
      'src/cli/report/gauge.ts',
      `    next: next && {
      stage: next.stage,
      opensAt: next.opensAt,
      tokensAway: Math.ceil((next.opensAt - pressure) * budget),
    },`,
      `    ...(next && {
      next: {
        stage: next.stage,
        opensAt: next.opensAt,
        tokensAway: Math.ceil((next.opensAt - pressure) * budget),
      },
    }),`,
    ),
    showing(run(TYPES), 'no errors under src/cli'),
  ),
  assistant(
    'Step 5. The tests first for the two pure functions, at 21,995 of 26,500 tokens, which is 83 % sharp.',
    create('test/unit/cli/gauge.test.ts', 'test-1.txt'),
    failing(showing(run('jest test/unit/cli'), '"tokensAway": 266', 'pressure 83.0 %')),
  ),
  assistant(
    `Two failures, of different kinds:

- \`percent\` always prints one decimal (\`toFixed(1)\` in report/numbers.ts), so "83.0 %" is the house style and my expectation was wrong. I change the test.
- \`tokensAway\` is 266 where 265 is right, and that is a fault of mine: 0.84 - 0.83 is 0.010000000000000009 in floating point, times 26,500 it is a hair over 265, and \`Math.ceil\` rounds up. Computed in tokens, \`ceil(0.84 * 26500) - 21995\`, it is exact.`,
    showing(
      run(`node -p "[(0.84 - 0.83) * 26500, 0.84 * 26500, Math.ceil(0.84 * 26500) - 21995]"`),
      '265.0000000000002',
      '22260',
    ),
  ),
  assistant(
    'As I thought. Both corrected; as the line must be one in a test as well, I take the whole expected text.',
    edit(
      'src/cli/report/gauge.ts',
      `        tokensAway: Math.ceil((next.opensAt - pressure) * budget),`,
      `        tokensAway: Math.ceil(next.opensAt * budget) - tokens,`,
    ),
    edit(
      'test/unit/cli/gauge.test.ts',
      `'pressure 83 %  21,995 of 26,500 tokens; open: snip; next: micro at 84 %, 265 tokens away'`,
      `'pressure 83.0 %  21,995 of 26,500 tokens; open: snip; next: micro at 84.0 %, 265 tokens away'`,
    ),
    showing(run('jest test/unit/cli'), '4 passed'),
  ),
  assistant(
    'Green. A small session to try it on: one system message, one question, one tool call with its result, one answer.',
    edit(
      'test/fixtures/sessions/short.jsonl',
      '',
      [
        { role: 'system', content: 'You answer questions about a repository.' },
        { role: 'user', content: 'Which file holds the exit codes?' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'search', arguments: '{"pattern":"EXIT = "}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: 'src/cli/exit.ts:4:export const EXIT = {' },
        { role: 'assistant', content: 'src/cli/exit.ts.' },
      ]
        .map((message) => `${JSON.stringify(message)}\n`)
        .join(''),
    ),
    showing(
      run('tsx src/cli/spillway.ts gauge test/fixtures/sessions/short.jsonl --window 26500'),
      '"next":{"stage":"snip"',
    ),
    showing(
      run('tsx src/cli/spillway.ts gauge test/fixtures/sessions/short.jsonl --window 26500 --plain'),
      'no gate open; next: snip at 80.0 %',
    ),
    showing(list('test/fixtures', 2), 'short.jsonl'),
  ),
  assistant(
    `It works end to end: \`gauge\` prints JSON, \`--plain\` the line.

1. [x] nextGate in src/pipeline/due.ts
2. [x] src/cli/report/gauge.ts
3. [x] split src/cli/open.ts
4. [x] command, option, exit code 4
5. [>] tests: the report and the line are covered, the command line itself is not
6. [ ] types, lint, format, a run from the shell

Still open: the limit of 118 columns is not enforced, and an unlimited window is not tried.`,
  ),
  user(
    'Actually no colours at all, and plain text by default; JSON only with --json. And do not touch src/pipeline. The people there are in the middle of a review.',
  ),
];
