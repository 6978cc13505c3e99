// `npm start`: from a clean clone to the demonstration in one command, and then to a service that has it (`-- --once`: to the
// demonstration alone). Arguments that name a command go to the command line instead.
import { spawn } from 'node:child_process';
import { CLI, prepare } from './prepare.mjs';

/** How often it is looked whether npm is still there. */
const PARENT_MS = 500;

const fault = prepare();
if (fault) {
  console.error(fault);
  process.exitCode = 1;
} else {
  const given = process.argv.slice(2);
  const isDemo = given.every((word, at) => at > 0 || word.startsWith('-'));
  const options = given.filter((word) => word !== '--once');
  const demo = ['demo', ...(options.length < given.length ? [] : ['--serve']), ...options];
  const child = spawn(process.execPath, [CLI, ...(isDemo ? demo : given)], { stdio: 'inherit' });
  // Ctrl+C reaches the service by itself: it has the same terminal. What is sent to this process alone is handed on.
  process.on('SIGINT', () => undefined);
  const end = () => void child.kill('SIGTERM');
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
  // The shell that npm puts in between hands nothing on: who ends npm leaves this process to another parent.
  const parent = process.ppid;
  const watch = setInterval(() => void (process.ppid === parent || end()), PARENT_MS);
  child.on('close', (status) => {
    clearInterval(watch);
    process.exitCode = status ?? 1;
  });
}
