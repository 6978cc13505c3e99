// `npm start`: from a clean clone to the demonstration in one command. Arguments go to the command line instead.
import { spawnSync } from 'node:child_process';
import { CLI, prepare } from './prepare.mjs';

const fault = prepare();
if (fault) {
  console.error(fault);
  process.exitCode = 1;
} else {
  const [command = 'demo', ...rest] = process.argv.slice(2);
  process.exitCode = spawnSync(process.execPath, [CLI, command, ...rest], { stdio: 'inherit' }).status ?? 1;
}
