import { listIn, onlyOne } from '../faults.js';
import type { WholeImporter } from '../importer.js';
import { isFields, type Fields } from '../../wire/index.js';
import { plainChat } from './plain.js';

/** Runs of tau-bench: the conversation stands in `traj`. A result file is a list of them. */
export const tauBench: WholeImporter = {
  name: 'tau-bench',
  mark: 'its conversation stands in `traj`, as tau-bench writes it',
  fits: (value) => isTraj(Array.isArray(value) ? value[0] : value),
  read: (value) => {
    const runs: readonly unknown[] = Array.isArray(value) ? value : [value];
    const run = onlyOne('tau-bench', runs, nameOf);
    const parsed = plainChat(listIn('tau-bench', run, 'traj'));
    const { task_id: id, trial } = run as Fields;
    return { parsed, meta: { id, trial } };
  },
};

function nameOf(run: unknown): string {
  const { task_id: task, trial } = isFields(run) ? run : {};
  return `task ${String(task)} trial ${String(trial)}`;
}

function isTraj(value: unknown): boolean {
  return isFields(value) && Array.isArray(value.traj) && 'task_id' in value;
}
