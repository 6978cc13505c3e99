// `npm start`: from a clean clone to the demonstration in one command, and then to a service that has it (`-- --once`: to the
// demonstration alone). Arguments that name a command go to the command line instead.
import { spawnSync } from 'node:child_process';
import { CLI, prepare } from './prepare.mjs';

const fault = prepare();
if (fault) {
  console.error(fault);
  process.exitCode = 1;
} else {
  const given = process.argv.slice(2);
  const isDemo = given.every((word, at) => at > 0 || word.startsWith('-'));
  const options = given.filter((word) => word !== '--once');
  const demo = ['demo', ...(options.length < given.length ? [] : ['--serve']), ...options];
  // What ends this process ends the service first: it has the same terminal.
  process.on('SIGINT', () => undefined);
  process.exitCode =
    spawnSync(process.execPath, [CLI, ...(isDemo ? demo : given)], { stdio: 'inherit' }).status ?? 1;
}
