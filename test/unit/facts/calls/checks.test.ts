import { describe, expect, it } from '@jest/globals';
import { speaksFor } from '../../../../src/facts/calls/check-cover.js';
import type { Tells } from '../../../../src/facts/calls/check-tells.js';
import { checksOf } from '../../../../src/facts/calls/checks.js';
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
    expect(found.filter((family) => family !== 'npm install')).toEqual(families);
  });
});

describe('what tells how a check ended', () => {
  it.each<[string, Tells]>([
    ['npm test', 'all'],
    ['ls | head && npm test', 'all'],
    ['npm test; echo "exit=$?"', 'all'],
    ['bash -lc "npm test"', 'all'],
    ['set -o pipefail && npm test | tail', 'all'],
    ['npm test && git push', 'chain'],
    ['set -e; npm test; git push', 'chain'],
    ['pytest tests > out.txt', 'status'],
    ['pytest tests | tail -50', 'piped'],
    ['npm test; git status', 'words'],
    ['npm test || true', 'words'],
    ['npm test 2>&1 | grep -i fail', 'piped'],
    ['go test ./... | grep -E "^(ok|FAIL)"', 'piped'],
    ['npm test | grep "FAIL src/b"', 'counts'],
    ['npx tsc --noEmit 2>&1 | grep src/mine.ts', 'counts'],
    ['npm run build | head -5', 'begins'],
    ['go test ./... 2>&1 | grep -v "warning:" | tail -5', 'piped'],
    ['go test ./... 2>&1 | grep -v "warning:" | grep mine', 'counts'],
    ['npm test > log.txt; true', 'nothing'],
    ['npm test > log.txt 2>&1 &', 'nothing'],
  ])('%j: %s', (command, tells) => expect(checksIn(command).map((found) => found.tells)).toEqual([tells]));

  it.each([
    ['git stash && npm test && git stash pop'],
    ['npx tsc --version'],
    ['pytest --collect-only -q'],
    ['npx jest --listTests'],
  ])('%j checks nothing of the work', (command) => expect(checksIn(command)).toEqual([]));
});

describe('where a check runs', () => {
  it.each([
    ['npm test', '', 'npm test'],
    ['cd packages/api && npm test', 'packages/api', 'cd packages/api && npm test'],
    ['cd /work/api && npm test', '/work/api', 'npm test'],
    ['pnpm --filter api test', 'api', 'pnpm --filter api test'],
    ['make -C api test', 'api', 'make -C api test'],
    ['docker compose exec -T web pytest -q', 'web:', 'docker compose exec -T web pytest -q'],
    ['ssh build "npm test"', 'build:', "ssh build 'npm test'"],
    ['cd $(git rev-parse --show-toplevel) && npm test', '~', 'npm test'],
  ])('%j', (command, place, label) => expect(check(command)).toMatchObject({ place, label }));
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
    ['CI=1 npm test', 'npm test'],
    ['cd /work && npm test', 'npm test'],
    ['npm test', 'cd packages/api && npm test'],
    ['cd /work && npm run check', 'cd packages/api && npx tsc'],
    ['make test', 'go test ./...'],
    ['npm run check', 'npm run lint'],
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
    ['npm run test:unit', 'npm run test:e2e'],
    ['npm run format', 'npm run lint'],
    ['cd frontend && npm test', 'pytest -q'],
    ['npm ci', 'npm test'],
    ['cd packages/web && npm test', 'cd packages/api && npm test'],
    ['cd packages/web && npm test', 'npm test'],
    ['cd /work/web && npm test', 'cd /work/api && npm test'],
    ['npm test --workspace=web', 'npm test --workspace=api'],
    ['cd worker && pytest tests/', 'cd api && pytest tests/'],
    ['DB=sqlite npm test', 'DB=pg npm test'],
    ['go test -short ./...', 'go test ./...'],
    ['pytest --lf', 'pytest'],
    ['npx jest --testPathPattern=auth', 'npx jest'],
    ['npx playwright test --project=chromium', 'npx playwright test'],
    ['cargo test --lib', 'cargo test'],
    ['mvn test -Dtest=FooTest', 'mvn test'],
    ['bundle exec rspec --tag fast', 'bundle exec rspec'],
    ['pytest --ignore=tests/slow', 'pytest'],
    ['npm run build:docs', 'npm run build'],
    ['npm run package', 'npm run build'],
    ['npm run typecheck', 'mypy src'],
    ['npm test', 'go test ./...'],
    ['npm run validate', 'npx jest'],
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
