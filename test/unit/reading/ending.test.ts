import { describe, expect, it } from '@jest/globals';
import type { Tells } from '../../../src/facts/index.js';
import { endingOf, tellsOfFailure } from '../../../src/reading/ending.js';

describe('how a command ended', () => {
  it.each([
    ['Exit code 1\nok', 'failed'],
    ['Process exited with code 0\n3 failed', 'passed'],
    ['<returncode>0</returncode>', 'passed'],
    ['Tests: 1 failed, 3 passed', 'failed'],
    ['12 passed in 0.3s', 'passed'],
    ['python: No module named pytest', 'failed'],
    ['', 'passed'],
    ['the wheel turns', 'unknown'],
  ])('of a check, %j: %s', (text, ending) => expect(endingOf(text)).toBe(ending));

  it.each([
    ['# tests 3\n# pass 2\n# fail 1', 'failed'],
    ['[INFO] BUILD FAILURE', 'failed'],
    ['Tests run: 3, Failures: 2, Errors: 0', 'failed'],
    ['[warn] src/a.ts\n[warn] Code style issues found in the above file.', 'failed'],
    ['All matched files use Prettier code style!', 'passed'],
    ['test result: FAILED. 3 passed; 1 failed', 'failed'],
    ['./lock.go:8:2: cannot use updateLock (variable of type bool) as int value\nok', 'failed'],
    ['✓ handles 3 errors\n✓ shows "1 failed"\nTests: 12 passed, 12 total', 'passed'],
    ['[flags] Error: no such table (logged)\nError: it was handled\nAll tests passed (28)', 'passed'],
    ['12 passed\nTraceback (most recent call last):\nKeyError: 1', 'failed'],
    // What is printed by what is tested is no status of the test.
    ['✓ bad flag gives exit code 2\nTests  3 passed (3)', 'passed'],
    ['db-1 exited with code 0\n2 failing\n10 passing', 'failed'],
    ['12 passing\nserver exited with code 143', 'passed'],
    ['AssertionError: expected exit code 0, got 3\n1 failed', 'failed'],
    ["The user doesn't want to proceed with this tool use.", 'not run'],
    ['Permission to use Bash with command npm test has been denied.', 'not run'],
  ])('of a check without a status, %j: %s', (text, ending) => expect(endingOf(text)).toBe(ending));

  it.each<[Tells, string, string]>([
    // The status is that of `tail`.
    ['piped', '<returncode>0</returncode>\n<output>\npython: No module named pytest\n</output>', 'failed'],
    ['piped', 'exit code: 0\n--- FAIL: TestGate (0.1s)', 'failed'],
    ['piped', 'exit code: 0\n12 passed in 0.3s', 'passed'],
    ['piped', 'exit code: 0\nthe wheel turns', 'unknown'],
    ['piped', '(no output)', 'passed'],
    ['words', '(no output)', 'unknown'],
    ['words', 'exit code: 0\n2 failed, 3 passed\nM a.ts', 'failed'],
    ['all', 'exit code: 0\n\nexit=1', 'failed'],
    ['chain', 'Exit code 1\n12 passed\nremote: denied', 'passed'],
    ['chain', 'Exit code 1\n1 failed', 'failed'],
    ['status', '(no output)', 'unknown'],
    ['status', 'Exit code 0', 'passed'],
    ['counts', '(no output)', 'unknown'],
    ['begins', '', 'passed'],
    ['begins', 'successfully loaded config', 'unknown'],
    ['piped', '[lint:go] 0 issues.\nFinished in 3.10s', 'passed'],
    ['counts', 'successfully loaded config', 'unknown'],
    ['nothing', '(no output)', 'unknown'],
  ])('of a check of which %s tells, %j: %s', (tells, text, ending) =>
    expect(endingOf(text, { tells })).toBe(ending),
  );

  it.each([
    [
      '<returncode>0</returncode>\n<output>\nTraceback (most recent call last):\nKeyError: 1\n</output>',
      'unknown',
    ],
    ['<returncode>0</returncode>\n<output>\n3 rows\n</output>', 'passed'],
    ['Exit code 1\nno', 'failed'],
  ])('of a script with a status, %j: %s', (text, ending) =>
    expect(endingOf(text, { isCheck: false })).toBe(ending),
  );

  it('without a status passed where the host tells of failures', () => {
    expect(endingOf('Checked 237 files.', { isTold: true })).toBe('passed');
    expect(endingOf('Checked 237 files.')).toBe('unknown');
    expect(endingOf('Checked 237 files.', { isTold: true, tells: 'piped' })).toBe('unknown');
    expect(endingOf('Tests: 2 failed, 3 passed', { isTold: true })).toBe('failed');
    expect(endingOf('Command timed out after 30 seconds', { isTold: true })).toBe('unknown');
    expect(endingOf('bash: pytest: command not found', { isTold: true })).toBe('failed');
    expect(tellsOfFailure('Exit code 1\nno')).toBe(true);
    expect(tellsOfFailure('FAIL\nexit status 1\nFAIL pkg/a 0.003s')).toBe(false);
  });

  it.each([
    ['bash: grind: command not found', 'failed'],
    ['python: No module named mill', 'failed'],
    ['3 failed', 'unknown'],
  ])('of what is no check, %j: %s', (text, ending) =>
    expect(endingOf(text, { isCheck: false })).toBe(ending),
  );
});
