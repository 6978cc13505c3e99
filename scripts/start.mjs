// `npm start`: from a clean clone to the demonstration in one command, then a service that holds it (`-- --once`: no
// service). Arguments that name a command go to the command line instead.
import { spawn } from 'node:child_process';
import { CLI, prepare } from './prepare.mjs';

/** The interval of the check whether npm still runs. */
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
  // Ctrl+C also reaches the service, which has the same terminal. Signals sent only to this process are forwarded.
  process.on('SIGINT', () => undefined);
  const end = () => void child.kill('SIGTERM');
  process.on('SIGTERM', end);
  process.on('SIGHUP', end);
  // The shell between npm and this process forwards no signal: when npm ends, this process gets another parent.
  const parent = process.ppid;
  const watch = setInterval(() => void (process.ppid === parent || end()), PARENT_MS);
  child.on('close', (status) => {
    clearInterval(watch);
    process.exitCode = status ?? 1;
  });
}
