import { describe, expect, it } from '@jest/globals';
import { checksOf, speaksFor } from '../../../../src/facts/calls/checks.js';
import { commandsInScript, patchInScript } from '../../../../src/facts/shell/scripted.js';

const checksIn = (command: string) =>
  checksOf({ type: 'tool-call', callId: 'c', name: 'bash', arguments: JSON.stringify({ command }) });
const check = (command: string) => checksIn(command)[0]!;

describe('checks of a command line', () => {
  it.each([
    ['npm test', ['npm test']],
    ['cd app && npm ci && npm run lint && npx tsc -p .', ['npm lint', 'tsc']],
    ['CI=1 timeout 60 npx jest test/gate.test.ts -t "opens"', ['jest']],
    ['mise exec go@1.24 -- go test ./gate', ['go test']],
    ['nix develop -c env CI=1 -- make check', ['make check']],
    ['mise run check -- --fast', ['mise check']],
    ['python -m pytest -k gate tests/', ['pytest']],
    ['python3 manage.py test gates', ['manage.py test']],
    ['go test ./internal/... -run TestGate', ['go test']],
    ['node --test test/', ['node --test']],
    ['make', ['make']],
    ['cat package.json', []],
    ['git commit -m "npm test"', []],
    ['echo npm test', []],
  ])('%j', (command, families) => {
    const found = checksIn(command).map(({ family }) => family);
    expect(found.filter((family) => family !== 'npm ci')).toEqual(families);
  });
});

describe('the status of a check', () => {
  it.each([
    ['pytest tests | tail -50', true],
    ['npm test 2>&1 | grep -i fail', true],
    ['pytest tests > out.txt', false],
    ['cat list | xargs npx jest', false],
    ['npm test', false],
    ['set -o pipefail && npm test | tail', false],
    ['ls | head && npm test', false],
  ])('is hidden by a pipe or not: %j', (command, piped) =>
    expect(checksIn(command).map((found) => found.piped)).toEqual(checksIn(command).map(() => piped)),
  );
});

describe('the end of one check tells that of another', () => {
  it.each([
    ['npm test', 'npm test'],
    ['npx jest', 'npx jest test/gate.test.ts'],
    ['npx jest test', 'npx jest test/gate.test.ts'],
    ['npx jest test/gate.test.ts', 'npx jest test/gate.test.ts -t opens'],
    ['pytest tests/test_gate.py', 'pytest tests/test_gate.py::test_opens'],
    ['go test ./...', 'go test ./internal/gate'],
    ['go test ./internal/...', 'go test ./internal/gate -run TestOpens'],
    ['npm test', 'npx jest test/gate.test.ts'],
    ['npm run lint', 'npx eslint src'],
    ['npm run check', 'npx tsc'],
    ['npm run lint', 'npm run lint:types'],
    [
      'go test -tags integration -v -run TestGate ./gate 2>&1 | tail -20',
      'go test -tags=integration -v -run=TestGate -timeout 30s ./gate',
    ],
    ['pytest -n 4 tests/test_gate.py', 'pytest tests/test_gate.py --maxfail 1'],
    ['go test -run TestGate ./gate', 'cd gate && go test -run TestGate'],
  ])('%j for %j', (newer, older) => expect(speaksFor(check(newer), check(older))).toBe(true));

  it.each([
    ['npx jest test/gate.test.ts', 'npx jest'],
    ['npx jest test/gate.test.ts', 'npx jest test/wheel.test.ts'],
    ['npx jest test/gate', 'npx jest test/gate2'],
    ['npx jest -t opens', 'npx jest'],
    ['npx jest -t opens', 'npx jest -t shuts'],
    ['npx tsc', 'npx jest'],
    ['npm run build', 'npm test'],
    ['npm test', 'npm run lint'],
    ['npx eslint src', 'npm run lint'],
    ['npm test -- test/gate.test.ts', 'npx jest test/wheel.test.ts'],
  ])('%j not for %j', (newer, older) => expect(speaksFor(check(newer), check(older))).toBe(false));
});

describe('scripts that call tools', () => {
  it('give their command lines in order, as they were meant', () => {
    const script = String.raw`const a = await tools.exec_command({ cmd: "npm test -- \"gate\"" });
await tools.exec_command({ 'command': 'git status' }); run(tools.shell({cmd: ${'`ls`'} }));`;
    expect(commandsInScript(script)).toEqual(['npm test -- "gate"', 'git status', 'ls']);
    expect(commandsInScript('const options = { cmd: "npm test" };')).toEqual([]);
    expect(commandsInScript(`tools.exec_command({ cmd: "npm test" }) ${' '.repeat(60_001)}`)).toEqual([]);
  });

  it('are read for their checks', () => {
    const input = 'await tools.exec_command({ cmd: "npm test" })';
    const found = checksOf({
      type: 'tool-call',
      callId: 'c',
      name: 'exec',
      arguments: JSON.stringify({ input }),
    });
    expect(found.map(({ family }) => family)).toEqual(['npm test']);
  });

  it('give the patch they hand over, with its line breaks', () => {
    const patch = '*** Begin Patch\n*** Update File: a.ts\n+const a = 1;\n';
    expect(patchInScript(`apply_patch(\`${patch}*** End Patch\`)`)).toBe(patch);
    expect(patchInScript(`apply_patch(${JSON.stringify(`${patch}*** End Patch`)})`)).toBe(patch);
    expect(patchInScript('*** Begin Patch\nnever ended')).toBe('');
  });
});
