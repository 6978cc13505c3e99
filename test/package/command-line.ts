import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run, type Packed } from './project.js';

/** The command line as it is installed: its version, the demonstration's session compacted, stores that are missing. */
export async function checkCommandLine({ folder }: Packed): Promise<string[]> {
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
  hold(command('demo', '--fast').status === 0, 'demo fails');
  writeFileSync(join(project, 'a.db'), '');
  const missing = command('sessions', '--store', 'sqlite:./a.db');
  hold(missing.status === 1 && missing.err.includes('npm install libsql'), `sessions: ${missing.err}`);
  return faults;
}
