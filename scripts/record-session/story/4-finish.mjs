import { assistant, edit, failing, read, run, search, showing, user } from './steps.mjs';

const TESTS = 'node --experimental-vm-modules node_modules/jest/bin/jest.js test/unit/cli';
const CLEAN_TYPES = `tsc --noEmit -p . | grep -A 4 -E "^(src|test/unit)/cli/" || echo "no errors under src/cli and test/unit/cli"`;
const TYPES = 'tsc --noEmit -p .';
const MINE =
  'src/cli/main.ts src/cli/open.ts src/cli/exit.ts src/cli/commands/gauge.ts src/cli/report/gauge.ts test/unit/cli/gauge.test.ts';

/** Lint, format, a review of the whole change, and the final questions. */
export const finish = [
  assistant(
    'Ten tests. Step 6: lint and format, for the files I touched.',
    showing(run(`oxlint --deny-warnings ${MINE}`), '0 errors'),
    failing(showing(run(`prettier --check ${MINE}`), 'test/unit/cli/gauge.test.ts')),
  ),
  assistant(
    'Some long lines. Only my own files, the rest is not mine to format.',
    run(`prettier --write --log-level warn ${MINE}`),
    showing(run(`prettier --check ${MINE}`), 'All matched files'),
    showing(run('git diff --stat; git status --short'), 'src/cli/main.ts', '?? src/cli/commands/gauge.ts'),
  ),
  assistant(
    'Nothing outside src/cli and test, src/pipeline is not in the list. A look over the two files that people will read, as they are after formatting.',
    showing(read('src/cli/report/gauge.ts'), 'MAX_COLUMNS = 118'),
    showing(read('src/cli/commands/gauge.ts'), 'EXIT.aboveLimit'),
    showing(
      run('git diff src/cli/open.ts src/cli/exit.ts'),
      '+export function engineFor',
      '+  aboveLimit: 4',
    ),
  ),
  assistant(
    'One case is left in `gaugeLine`: pressure can be bound by bytes or images instead of tokens, and then "tokens away" would mislead. What does a reading say about that?',
    showing(search('byBytes|byImages|binding', 'src/session'), 'no matches'),
    showing(search('limits:|bytes:|images:', 'config'), 'config/default.yaml'),
    showing(run('sed -n "/export interface Reading {/,/^}/p" src/tokens/reading.ts'), 'binding: Binding'),
  ),
  assistant(
    'It says so: `reading.binding` is `tokens`, `bytes` or `images` (the cap of tool results is no part of pressure). Both limits are off by default, but where somebody sets them the distance in tokens would be wrong. So `next` carries it only where tokens decide; the stage and its gate stay. I read src/tokens here, I change nothing in it.',
    edit(
      'src/cli/report/gauge.ts',
      `  readonly next?: { readonly stage: string; readonly opensAt: number; readonly tokensAway: number };`,
      `  readonly next?: { readonly stage: string; readonly opensAt: number; readonly tokensAway?: number };`,
    ),
    edit(
      'src/cli/report/gauge.ts',
      `  readonly budget: number;
  readonly gates: readonly Gate[];
}

export function gaugeReport({ file, pressure, tokens, budget, gates }: GaugeFacts): GaugeReport {`,
      `  readonly budget: number;
  readonly gates: readonly Gate[];
  /** False where bytes or images decide: then no gate is any number of tokens away. */
  readonly boundByTokens: boolean;
}

export function gaugeReport(facts: GaugeFacts): GaugeReport {
  const { file, pressure, tokens, budget, gates, boundByTokens } = facts;`,
    ),
    edit(
      'src/cli/report/gauge.ts',
      `        tokensAway: Math.ceil(next.opensAt * budget) - tokens,`,
      `        ...(boundByTokens && { tokensAway: Math.ceil(next.opensAt * budget) - tokens }),`,
    ),
    failing(
      showing(
        edit(
          'src/cli/report/gauge.ts',
          "  const ahead = next ? `; next: ${next.stage} at ${percent(next.opensAt)}, ${amount(next.tokensAway)} tokens away` : '';",
          '',
        ),
        'does not occur',
      ),
    ),
  ),
  assistant(
    'Prettier has broken that line since I wrote it. I just read it in its new form:',
    edit(
      'src/cli/report/gauge.ts',
      `  const ahead = next
    ? \`; next: \${next.stage} at \${percent(next.opensAt)}, \${amount(next.tokensAway)} tokens away\`
    : '';`,
      `  const away = next?.tokensAway === undefined ? '' : \`, \${amount(next.tokensAway)} tokens away\`;
  const ahead = next ? \`; next: \${next.stage} at \${percent(next.opensAt)}\${away}\` : '';`,
    ),
    edit(
      'src/cli/commands/gauge.ts',
      `  const { pressure, tokens, budget } = session.reading;`,
      `  const { pressure, tokens, budget, binding } = session.reading;
  const boundByTokens = binding === 'tokens';`,
    ),
    failing(showing(run(TYPES), 'src/cli/commands/gauge.ts', 'test/unit/cli/gauge.test.ts')),
  ),
  assistant(
    'The compiler names the two places that build the facts: the command and the test.',
    edit(
      'src/cli/commands/gauge.ts',
      `budget: budget.tokens, gates });`,
      `budget: budget.tokens, gates, boundByTokens });`,
    ),
    edit(
      'test/unit/cli/gauge.test.ts',
      `function reportAt(tokens: number, budget = BUDGET, gates = GATES) {
  return gaugeReport({ file: 'a.jsonl', pressure: tokens / budget, tokens, budget, gates });
}`,
      `function reportAt(tokens: number, budget = BUDGET, gates = GATES, boundByTokens = true) {
  return gaugeReport({ file: 'a.jsonl', pressure: tokens / budget, tokens, budget, gates, boundByTokens });
}`,
    ),
    edit(
      'test/unit/cli/gauge.test.ts',
      `  it('fits the dashboard whatever`,
      `  it('says no distance where bytes or images decide', () => {
    expect(gaugeLine(reportAt(21_995, BUDGET, GATES, false))).toBe(
      'pressure 83.0 %  21,995 of 26,500 tokens; open: snip; next: micro at 84.0 %',
    );
  });

  it('fits the dashboard whatever`,
    ),
  ),
  assistant(
    'Everything once more, and the tests of the wire validator with it, as `validate` stands beside `gauge` in main.ts.',
    showing(run(`prettier --write --log-level warn ${MINE} && ${CLEAN_TYPES}`), 'no errors under src/cli'),
    showing(run(`${TESTS} test/unit/testkit --runInBand`), '2 passed, 2 total'),
    showing(run(`oxlint --deny-warnings ${MINE}`), '0 errors'),
  ),
  assistant(
    'All green. The last point of the plan is a run from the shell, the exit code included: 100 tokens of window put the fixture above the limit.',
    showing(
      run(
        'tsx src/cli/spillway.ts gauge test/fixtures/sessions/short.jsonl --window 100 --fail-above 0.5; echo "exit code: $?"',
      ),
      'exit code: 4',
    ),
    showing(
      run('tsx src/cli/spillway.ts gauge test/fixtures/sessions/short.jsonl --window 26500 --json'),
      '"budget":26500',
    ),
    showing(run('tsx src/cli/spillway.ts gauge --help'), '--fail-above', '--json'),
    showing(run('git status --short'), 'src/cli/main.ts', '?? test/unit/cli/'),
  ),
  assistant(
    `\`spillway gauge <file>\` (SPW-412) is done; nothing is committed.

\`\`\`
$ spillway gauge test/fixtures/sessions/short.jsonl --window 100
pressure 66.0 %  66 of 100 tokens; no gate open; next: snip at 80.0 %, 14 tokens away
\`\`\`

- One plain line by default, no colours anywhere; \`--json\` for machines. The line never exceeds 118 columns (\`MAX_COLUMNS\`).
- \`--window\`, \`--model\`, \`--profile\`, \`--config\`, \`--format\` as in \`compact\`; no \`--out\`, no \`--report\`.
- \`--fail-above <pressure>\` ends with 4 (\`EXIT.aboveLimit\`), as 0, 1, 2, 3 and 70 were taken.
- Gates come from the engine, so a profile that leaves stages out is shown as it is: \`operator\` has \`auto\` at 85 % and nothing else.
- src/pipeline is as it was: I had added a function there and took it out again. src/tokens and src/facts are untouched.

Changed: src/cli/main.ts, open.ts (split into \`engineFor\` and \`sessionFor\`), exit.ts. New: src/cli/commands/gauge.ts, src/cli/report/gauge.ts, test/unit/cli/gauge.test.ts, test/fixtures/sessions/short.jsonl.

One fault that was there before and is mended: a bad value for any pressure option was reported as \`--target\`. And one thing to know: the tests need \`--experimental-vm-modules\`, as the \`test\` script passes it; plain \`jest\` cannot load the engine.`,
  ),
  user(
    'Good. For the release note: why did the distance in tokens come out wrong at first, and at which numbers did you see it?',
  ),
  assistant(
    'At 21,995 of 26,500 tokens, which is 83 %: the report said that micro at 84 % was 266 tokens away, and it is 265. I had multiplied the difference of two pressures by the budget; 0.84 - 0.83 is a hair over 0.01 in floating point, so the product was a hair over 265 and `Math.ceil` made 266 of it. Now the gate is turned into tokens first, `Math.ceil(0.84 * 26500)` is 22,260, and the tokens of the session are taken off that.',
  ),
];
