import { spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProgram } from '../../../../src/faces/cli/main.js';
import { budgetLine, costsLine } from '../../../../src/faces/cli/report/numbers.js';
import { canRedraw, createTerminal, wantsColour } from '../../../../src/faces/cli/terminal.js';
import { packageFolder, type Budget } from '../../../../src/index.js';

const root = packageFolder();

describe('colours and pictures', () => {
  it.each([
    [true, {}, true, true],
    [false, {}, false, false],
    [true, { NO_COLOR: '1' }, false, true],
    [true, { NO_COLOR: '' }, true, true],
    [false, { FORCE_COLOR: '1' }, true, false],
    [true, { FORCE_COLOR: '0' }, false, true],
    [true, { TERM: 'dumb' }, false, false],
    [true, { CI: 'true' }, true, false],
  ])('terminal %s with %o: colours %s, redrawn %s', (isTerminal, env, colours, redrawn) => {
    expect([wantsColour(isTerminal, env), canRedraw(isTerminal, env)]).toEqual([colours, redrawn]);
  });

  it('the budget in a few words', () => {
    const budget: Budget = {
      tokens: 91_500,
      caps: {},
      window: 128_000,
      usable: 96_000,
      reserve: { output: 32_000, injection: 0, safety: 4_500 },
      derivation: ['unnamed model: window 128,000 tokens (setting)', '…'],
      authoritative: true,
    };
    expect(budgetLine(budget)).toBe(
      '91,500 tokens (window 128,000 tokens (setting), 32,000 less for the answer, 4,500 less for safety)',
    );
  });
});

describe('what summarizers cost', () => {
  const line = { calls: 3, inputTokens: 12_000, outputTokens: 900, cacheReadTokens: 0, cacheWriteTokens: 0 };
  it.each([
    [{ ...line, cost: 0.0123, unpriced: 0 }, 'summarizer: 3 calls, 12,000 tokens in, 900 out, $0.0123'],
    [
      { ...line, cost: 0.01, unpriced: 1 },
      'summarizer: 3 calls, 12,000 tokens in, 900 out, at least $0.0100',
    ],
    [
      { ...line, calls: 1, cost: 0, unpriced: 1 },
      'summarizer: 1 call, 12,000 tokens in, 900 out, price unknown',
    ],
  ])('%o', (costs, shown) => expect(costsLine(costs)).toBe(shown));
});

describe('the command line', () => {
  it.each([
    ['compact x --upto few', '--upto', 'a whole number, 0 or more'],
    ['compact x --window -1', '--window', 'a whole number, 0 or more'],
    ['compact x --target 2', '--target', 'a pressure from 0 to 1'],
    ['replay x --contexts-at 1,b', '--contexts-at', 'a whole number, 0 or more'],
    ['demo --window much', '--window', 'a whole number, 0 or more'],
    ['recall x --limit -1', '--limit', 'a whole number, 0 or more'],
    ['edit x --drop first', '--drop', 'a whole number, 0 or more'],
  ])('%s: the error names the option', async (line, option, allowed) => {
    const program = createProgram(createTerminal(), () => {});
    const failed = program.parseAsync(['node', 'spillway', ...line.split(' ')]);
    await expect(failed).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      faults: [{ subject: option, allowed }],
    });
  });

  it('says its version', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(createProgram(createTerminal(), () => {}).version()).toBe(version);
  });

  it('compact exits with 0 and prints its report without a stack if its output is closed (`| head`)', async () => {
    const file = join(root, 'examples', 'sessions', 'pressure-gauge.jsonl');
    const child = spawn(
      process.execPath,
      [
        '--import',
        'tsx',
        join(root, 'src', 'faces', 'cli', 'spillway.ts'),
        'compact',
        file,
        '--window',
        '100000',
      ],
      { cwd: root, env: { ...process.env, SPILLWAY_COUNTER: 'heuristic' } },
    );
    child.stdout.destroy();
    let err = '';
    child.stderr.on('data', (chunk) => (err += String(chunk)));
    const code = await new Promise((resolve) => child.on('close', resolve));
    expect(err).not.toMatch(/EPIPE|INTERNAL|\bat .*\.js/);
    expect(err).toMatch(/^pressure /m);
    expect(code).toBe(0);
  });

  const serve = ['--import', 'tsx', join(root, 'src', 'faces', 'cli', 'spillway.ts'), 'serve', '--port', '0'];
  // A device that takes nothing, as a full disk does.
  (existsSync('/dev/full') ? it : it.skip)(
    'a service whose log has no room goes on, and says at its end that the log is not whole',
    async () => {
      const child = spawn(process.execPath, serve, {
        cwd: root,
        stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
      });
      const gone = new Promise((resolve) => child.on('close', resolve));
      const url = await new Promise<string>((resolve, reject) => {
        child.stdout!.once('data', (text) => resolve(/http:[^ ]+\d/.exec(String(text))![0]));
        void gone.then(() => reject(new Error('it ended')));
      });
      for (let turn = 0; turn < 3; turn++) expect((await fetch(`${url}/health`)).status).toBe(200);
      child.kill('SIGTERM');
      expect(await gone).toBe(1);
    },
    60_000,
  );

  it('a service ends with exit code 0 if its terminal is closed, also after two signals', async () => {
    const child = spawn(process.execPath, serve, { cwd: root, stdio: ['ignore', 'pipe', 'ignore'] });
    const gone = new Promise((resolve) => child.on('close', (code, signal) => resolve(code ?? signal)));
    await new Promise((resolve, reject) => {
      void gone.then(reject);
      child.stdout.once('data', resolve);
    });
    // Both the shell and the system send the signal.
    for (let told = 0; told < 2; told++) child.kill('SIGHUP');
    expect(await gone).toBe(0);
  }, 60_000);
});
