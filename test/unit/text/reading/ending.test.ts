import { endingOf, reportedOutcome } from '../../../../src/text/reading/ending.js';

describe('how a command ended', () => {
  it.each([
    ['Exit code 1\nok', 'failed'],
    ['Process exited with code 0\n3 failed', 'passed'],
    ['<returncode>0</returncode>', 'passed'],
    ['Exit code 0\nthe wheel turns', 'passed'],
    // What is printed by what is tested is no status of the test.
    ['✓ bad flag gives exit code 2\nTests  3 passed (3)', 'unknown'],
    // Wherever the stretch at the end begins that is looked at.
    [
      `${'o'.repeat(600)}\n✓ bad flag gives exit code 2\n${'.'.repeat(400 - 'exit code 2\n'.length)}`,
      'unknown',
    ],
    [`${'o'.repeat(600)}\nexit code 2\n${'.'.repeat(400 - '\nexit code 2\n'.length)}`, 'failed'],
  ])('by its status, where its host tells one: %j: %s', (text, ending) =>
    expect(endingOf(text)).toBe(ending),
  );

  it.each([
    ['Tests: 1 failed, 3 passed', 'failed'],
    ['# tests 3\n# pass 2\n# fail 1', 'failed'],
    ['[INFO] BUILD FAILURE', 'failed'],
    ['--- FAIL: TestGate (0.1s)', 'failed'],
    ['bash: grind: command not found', 'failed'],
    ['python: No module named pytest', 'failed'],
    ['Traceback (most recent call last):\nKeyError: 1', 'failed'],
    [
      `Traceback (most recent call last):\n${'  at\n'.repeat(300)}core.ImproperlyConfigured: no gate`,
      'failed',
    ],
    [`Traceback (most recent call last):\n  at\nKeyError: 1\n${'It goes on.\n'.repeat(90)}`, 'unknown'],
    [' ERR_PNPM_UNSUPPORTED_ENGINE  Unsupported environment', 'failed'],
    ['Error: bad flag\nNotFoundError: x\nAll 28 tests passed', 'unknown'],
    ['All 28 tests passed\nerror: Command failed with exit', 'failed'],
    ['12 passed in 0.3s', 'unknown'],
    ['', 'unknown'],
    ['the wheel turns', 'unknown'],
  ])('without one as failed only by its own words: %j: %s', (text, ending) =>
    expect(endingOf(text)).toBe(ending),
  );

  it.each([
    ["The user doesn't want to proceed with this tool use.", 'not run'],
    ['Permission to use Bash with command npm test has been denied.', 'not run'],
  ])('%j: %s', (text, ending) => expect(endingOf(text)).toBe(ending));

  it('as the host says if it marks a failure', () => expect(endingOf('no', true)).toBe('failed'));
});

describe('what a command said of how it ended', () => {
  const long = 'the mill turns round and round\n'.repeat(40);

  it.each([
    ['Chunk ID: 1\nWall time: 2 s\nOutput:\n12 passed', 'passed', '12 passed'],
    ['<returncode>0</returncode>\n<output>\n3 rows\n</output>', 'passed', '3 rows'],
    ['{"output":"3 rows","exit_code":0}', 'passed', '3 rows'],
    [`${long}Error: no wheel\n${long}2 failed, 3 passed`, 'failed', 'Error: no wheel; 2 failed, 3 passed'],
    [`${long}[main 7d5db0d] Mend it\n 1 file changed`, 'unknown', '[main 7d5db0d] Mend it'],
    [`${long}12 passed in 0.3s`, 'unknown', '12 passed in 0.3s'],
    [`${long}All tests passed (11)\n> next\nAll tests passed (10)\n`, 'unknown', 'All tests passed (10)'],
    // A status of 0 may be that of what ran last.
    [
      `${long}Traceback (most recent call last):\n  at\ncore.ImproperlyConfigured: no gate\n`,
      'passed',
      'core.ImproperlyConfigured: no gate',
    ],
    [`Traceback (most recent call last):\n  at\nGateError: shut\n${long}`, 'failed', 'GateError: shut'],
    ['All tests passed (28)', 'failed', undefined],
    [long, 'unknown', undefined],
    ['', 'passed', undefined],
  ] as const)('%#: %j', (text, ending, said) => expect(reportedOutcome(text, ending)).toBe(said));
});
