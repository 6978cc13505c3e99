import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyOf, run, type Packed } from './project.js';

/** The installed command line: its version, a compaction of the demonstration's session, missing stores. */
export async function checkCommandLine(packed: Packed): Promise<string[]> {
  const { folder } = packed;
  const project = join(folder, 'bare');
  const bin = join('node_modules', 'spillway', 'dist', 'cli', 'spillway.js');
  const session = join('node_modules', 'spillway', 'examples', 'sessions', 'pressure-gauge.jsonl');
  const { version } = JSON.parse(
    readFileSync(join(project, 'node_modules', 'spillway', 'package.json'), 'utf8'),
  ) as { version: string };
  const command = (...args: string[]) => run(process.execPath, [bin, ...args], project);
  const faults: string[] = [];
  const hold = (holds: boolean, what: string) => void (holds || faults.push(what));
  hold(existsSync(join(project, 'node_modules', '.bin', 'spillway')), 'npx finds no spillway');
  hold(command('--version').out.trim() === version, `--version says ${command('--version').out}`);
  const compacted = command('compact', session, '--window', '32000', '--out', 'request.json');
  hold(compacted.status === 0 && existsSync(join(project, 'request.json')), `compact: ${compacted.err}`);
  hold(command('validate', 'request.json').status === 0, 'validate refuses what compact wrote');
  hold(command('demo').status === 0, 'demo fails');
  writeFileSync(join(project, 'a.db'), '');
  const missing = command('sessions', '--store', 'sqlite:./a.db');
  hold(missing.status === 1 && missing.err.includes('npm install libsql'), `sessions: ${missing.err}`);
  const unserved = command('serve');
  hold(unserved.status === 1 && unserved.err.includes('npm install fastify'), `serve: ${unserved.err}`);
  return [...faults, ...(await served(copyOf(project, packed, 'served', ['fastify', 'libsql']), bin))];
}

/** The service with the packages of the recipes in docs/operating.md: it answers, and ends on a signal. */
async function served(project: string, bin: string): Promise<string[]> {
  const args = [bin, 'serve', '--port', '0', '--store', 'sqlite:./served.db'];
  const child = spawn(process.execPath, args, { cwd: project, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  let said = '';
  const url = await new Promise<string | undefined>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        said += chunk;
        const address = /page: (http:[^ ]+)\. /.exec(said)?.[1];
        if (address) resolve(address);
      });
    void ended.then(() => resolve(undefined));
  });
  const codes =
    url && (await Promise.all(['/ready', '/metrics'].map(async (path) => (await fetch(url + path)).status)));
  child.kill('SIGTERM');
  const status = await ended;
  if (codes && codes.every((code) => code === 200) && status === 0) return [];
  return [`serve: answered ${String(codes)}, ended with ${status}: ${said.slice(-2_000)}`];
}
