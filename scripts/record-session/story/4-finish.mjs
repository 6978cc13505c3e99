import { assistant, edit, failing, read, run, search, showing, user } from './steps.mjs';

const TESTS = 'node --experimental-vm-modules node_modules/jest/bin/jest.js test/unit/cli';
const MINE =
  'src/cli/main.ts src/cli/open.ts src/cli/exit.ts src/cli/commands/gauge.ts src/cli/report/gauge.ts test/unit/cli/gauge.test.ts';

/** Lint, format, a look over the whole, and the questions at the end. */
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
    showing(run('git diff src/cli/open.ts src/cli/exit.ts'), '+export function engineFor', '+  aboveLimit: 4'),
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
      `  /** \`Infinity\` for an unlimited window. */
  readonly budget: number;`,
      `  /** \`Infinity\` for an unlimited window. */
  readonly budget: number;
  /** Bytes or images decide the pressure: how far a gate is cannot be said in tokens. */
  readonly otherwiseBound?: boolean;`,
    ),
    run('cat src/cli/report/gauge.ts'),
  ),
];
