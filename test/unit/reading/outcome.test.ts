import { describe, expect, it } from '@jest/globals';
import { failureLine } from '../../../src/reading/outcome.js';

const GO = `=== RUN   TestHooks
    agent_test.go:80: installing into /tmp/x
--- FAIL: TestHooks (0.04s)
    --- FAIL: TestHooks/installs_all (0.01s)
        agent_test.go:118: found the folder
        agent_test.go:122: InstallHooks() count = 7, want 6
FAIL
FAIL\texample.com/cli\t35.0s`;

const LINT = `[lint:go] cmd/mill/rewind_test.go:296:19: string \`gauge\` has 3 occurrences, make it a constant (goconst)
[lint:go] \tif name() != "gauge" {
[lint:go] 1 issues:
[lint:go] * goconst: 1
Finished in 3.40s
[lint:go] ERROR task failed`;

describe('the line that says what failed', () => {
  it('of a test comes with the line that says why, not with what the test logged', () => {
    expect(failureLine(GO, true)).toBe(
      '--- FAIL: TestHooks (0.04s); agent_test.go:122: InstallHooks() count = 7, want 6',
    );
  });

  it('of a linter is what it minds, with its place', () => {
    expect(failureLine(LINT, true)).toBe(
      '[lint:go] cmd/mill/rewind_test.go:296:19: string `gauge` has 3 occurrences, make it a constant (goconst)',
    );
  });

  it('of another command is no place that it found', () => {
    expect(failureLine('src/a.ts:12: const port = 1\nsrc/b.ts:3: let port', false)).toBeUndefined();
  });

  it('says why by itself where it does', () => {
    expect(failureLine('a.go:47:38: undefined: cpkg\nFAIL cli [build failed]', true)).toBe(
      'a.go:47:38: undefined: cpkg',
    );
    expect(failureLine('tests/a.py::test_one FAILED\nE   AssertionError: 1 != 2', true)).toBe(
      'E AssertionError: 1 != 2',
    );
  });

  it('is none where nothing complains', () => {
    expect(failureLine('all good', true)).toBeUndefined();
  });
});
