import { execSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';

/** The origin that makes a figure credible: commit, machine, Node, command. */
export interface Provenance {
  readonly commit: string;
  readonly dirty: boolean;
  readonly machine: string;
  readonly node: string;
  readonly command: string;
  readonly date: string;
}

export function provenance(command: string): Provenance {
  const git = (args: string): string => execSync(`git ${args}`, { encoding: 'utf8' }).trim();
  const processors = cpus();
  return {
    commit: git('rev-parse --short HEAD'),
    // Results of an earlier part of a run do not affect measurements.
    dirty: git("status --porcelain -- . ':!benchmarks/results'") !== '',
    machine: `${processors.length} x ${processors[0]?.model.trim() ?? 'unknown'}`,
    node: process.version,
    command,
    date: new Date().toISOString().slice(0, 10),
  };
}

/** A long run takes `from` at its start, because the checkout may change before its end. */
export function saveResult(
  name: string,
  command: string,
  result: unknown,
  from: Provenance = provenance(command),
): string {
  const file = join('benchmarks', 'results', `${name}.json`);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...from, result }, undefined, 2)}\n`);
  return file;
}
