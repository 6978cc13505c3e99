import { describe, expect, it } from '@jest/globals';
import { endingOf } from '../../../src/reading/ending.js';

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
    // The status is that of `tail`.
    ['<returncode>0</returncode>\n<output>\npython: No module named pytest\n</output>', 'failed'],
    ['exit code: 0\n--- FAIL: TestGate (0.1s)', 'failed'],
    ['exit code: 0\n12 passed in 0.3s', 'passed'],
    ['exit code: 0\nthe wheel turns', 'unknown'],
    ['exit code: 2\n12 passed in 0.3s', 'failed'],
  ])('of a check whose words went on into another program, %j: %s', (text, ending) =>
    expect(endingOf(text, { piped: true })).toBe(ending),
  );

  it.each([
    ['bash: grind: command not found', 'failed'],
    ['python: No module named mill', 'failed'],
    ['3 failed', 'unknown'],
  ])('of what is no check, %j: %s', (text, ending) =>
    expect(endingOf(text, { isCheck: false })).toBe(ending),
  );
});
