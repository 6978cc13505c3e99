import { spawn } from 'node:child_process';

/** Runs a script of this folder in `count` processes at once; each gets its task as JSON and prints its result as JSON. */
export function inProcesses<Result>(script: string, tasks: readonly unknown[]): Promise<Result[]> {
  return Promise.all(tasks.map((task) => inProcess<Result>(script, task)));
}

function inProcess<Result>(script: string, task: unknown): Promise<Result> {
  return new Promise((resolve, reject) => {
    const args = ['--import', 'tsx', script, JSON.stringify(task)];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code !== 0) reject(new Error(`${script} ended with ${code}`));
      else resolve(JSON.parse(said) as Result);
    });
  });
}
