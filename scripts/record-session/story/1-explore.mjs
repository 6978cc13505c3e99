import { assistant, failing, list, read, run, search, showing, system, user } from './steps.mjs';

/** The task, everything the agent reads before it writes a line, and the plan. */
export const explore = [
  system(
    `You are a coding agent. You work in the repository at /workspace/spillway (TypeScript, Node 20, ES modules, Jest).

Tools: read_file(path, from?, lines?), search(pattern, path) is grep -rnE, list_files(path, depth), edit_file(path, old, new) replaces the one place where old stands (an empty old makes a new file), run_command(command) runs in bash.

Read before you edit. Independent calls go into one message. Keep a plan and show it when a step changes state. Do not add dependencies. Do not commit: the user reviews the working tree. When the user changes a requirement, the newest word counts.`,
  ),
  user(
    `Please add a command \`spillway gauge <file>\` (ticket SPW-412). On call we only want to know how full a session is, and \`spillway compact\` is far too much for that.

Acceptance criteria:
1. It reads a session as \`compact\` does and says: pressure in percent, tokens of budget, which gates are open, which gate opens next and how many tokens away it is. It compacts nothing and writes no file.
2. JSON on stdout by default. \`--plain\` gives one line for people, in colour: green while no gate is open, yellow once one is, red from 95 % on.
3. It takes --window, --model, --profile, --config and --format like \`compact\`, but not --out and --report.
4. \`--fail-above <pressure>\` ends with an exit code of its own, not one that already means something else.
5. Unit tests in test/unit/cli, types clean, lint clean, formatted. No new dependency.

Our dashboard cuts lines at 118 columns, so the line for people must never be longer. Use a window of 26,500 tokens in the tests: that is what our small agents run with. Colleagues are working in src/tokens and src/facts today; leave those two alone.`,
  ),
  assistant(
    'I start with the lie of the land and the command line as it is.',
    showing(list('src', 2), 'cli/', 'pipeline/', 'due.ts'),
    showing(read('package.json'), '--experimental-vm-modules', '"lint"'),
    showing(read('src/cli/main.ts'), 'policyOptions', "'--target'"),
  ),
  assistant(
    'Commands load their code lazily, and `policyOptions` is shared by compact and replay. Next the commands nearest to what I need, and how they open a session.',
    showing(read('src/cli/commands/compact.ts'), 'openFor'),
    showing(read('src/cli/commands/stages.ts'), 'spillway.stages'),
    showing(read('src/cli/open.ts'), 'openFor', 'createSpillway'),
  ),
  assistant(
    '`openFor` makes the engine and gives back only the session; `stages.ts` needs the engine to list gates. I will need both from one engine. Exit codes, the terminal and number formatting:',
    showing(read('src/cli/exit.ts'), 'pending: 3', 'internal: 70'),
    showing(read('src/cli/terminal.ts'), 'paint'),
    showing(read('src/cli/report/numbers.ts'), 'toFixed(1)'),
  ),
  assistant(
    'Taken exit codes: 0 done, 1 input at fault, 2 unreachable, 3 pending, 70 internal. So 4 is free for `--fail-above`. How are errors made and coded?',
    showing(read('src/errors/codes.ts'), 'CONFIG_INVALID', 'INPUT_UNREADABLE'),
    showing(read('src/errors/error.ts'), 'class SpillwayError'),
  ),
  assistant(
    'A bad `--fail-above` is CONFIG_INVALID, a missing file INPUT_UNREADABLE; both exist, I add no code. Now where pressure is held against gates.',
    showing(read('src/pipeline/due.ts'), 'highestGate', 'opensAt'),
    showing(read('src/pipeline/policy.ts'), 'OpenableStage'),
    showing(read('src/pipeline/roster.ts'), 'builtInGates'),
  ),
  assistant(
    'The rule for an open gate is `pressure >= gate.opensAt`, in `highestGate`. There is no function for the next closed one. Let me see who else says something about gates, so that I use the same words.',
    showing(search('tokens?|pressure|budget|gate|threshold|reading', '.'), 'src/pipeline/due.ts'),
  ),
  assistant(
    'Far too broad, that pattern matches half of the project. What I wanted to know is in there, though: the pipeline says gate, the configuration says threshold, and reports say "opens at". Narrower:',
    showing(search('highestGate|runIsDue|stageOpens'), 'src/session/session.ts'),
    showing(search('opensAt', 'src/cli'), 'src/cli/commands/stages.ts'),
  ),
  assistant(
    'Where does the session take its reading, and can it be asked without a run?',
    showing(search('get reading|prepare\\(|append\\(', 'src/session'), 'get reading'),
    showing(read('src/session/session.ts'), 'get reading(): Reading'),
  ),
  assistant(
    '`session.append(...)` and then `session.reading` is enough: `reading` is a getter over the projection, no run is started, nothing is written. `compact` does just that for its "before". One thing to make sure of: that appending alone never starts a run.',
    showing(read('src/pressure/stream.ts'), 'concatMap'),
    showing(read('src/transcript/projection.ts'), 'append(source: LogMessage)'),
  ),
  assistant(
    'Right: runs come only through `submit`. Now the gates themselves: the defaults, and whether a profile may switch stages off.',
    showing(
      run('grep -n -A 20 "^thresholds" config/default.yaml'),
      'snipThreshold: 0.8',
      'fullThreshold: 0.98',
    ),
    showing(list('config', 2), 'operator.yaml'),
    showing(read('config/profiles/operator.yaml'), 'roster: [auto]'),
  ),
  assistant(
    'It may: `operator` has a roster of `auto` alone, at 0.85. So the command must take gates from the engine and never from the six defaults. What do the engine and an index of the pipeline give away?',
    showing(read('src/session/spillway.ts'), 'ListedStage', 'opensAt?'),
    showing(read('src/pipeline/index.ts'), './due.js'),
    showing(read('src/index.ts'), './session/index.js'),
  ),
  assistant(
    '`spillway.stages` lists the roster in order, then what is switched off, without `opensAt`. That is my source. How is the command line tested so far, and are there small sessions to test with?',
    showing(
      run('ls test/unit; find test -name "*.test.ts" | xargs grep -l "cli/" | sort || true'),
      'formats',
    ),
    failing(showing(list('test/fixtures/sessions'), 'no such folder')),
    showing(run('git status --short; git log --oneline'), 'Start of the recording'),
  ),
  assistant(
    `No session fixture yet, so I will bring one. Before I write anything, what I decided and why:

- Pressure comes from \`session.reading\`, because that is the number a run would decide on. Counting again in the command could disagree with it.
- Gates come from \`spillway.stages\`, because profiles such as \`operator\` switch stages off (\`roster: [auto]\`, gate at 0.85).
- \`open.ts\` is split into \`engineFor\` and \`sessionFor\`; \`openFor\` stays and calls both, so compact and replay do not change.
- Exit code 4, \`EXIT.aboveLimit\`: 0, 1, 2, 3 and 70 are taken.
- The next gate is a pure function beside \`highestGate\` in src/pipeline/due.ts, as \`nextGate\`.

Plan:
1. [ ] nextGate in src/pipeline/due.ts
2. [ ] src/cli/report/gauge.ts: report (JSON) and line (colours)
3. [ ] split src/cli/open.ts
4. [ ] src/cli/commands/gauge.ts, option in src/cli/main.ts, exit code 4
5. [ ] test/unit/cli/gauge.test.ts, with the window of 26,500
6. [ ] types, lint, format, a run from the shell

Is one line per file enough, or will you pass several files at once?`,
  ),
  user('One file at a time is fine. The plan is fine too, go ahead.'),
];
