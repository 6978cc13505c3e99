import { onlyOne } from '../faults.js';
import type { WholeImporter } from '../importer.js';
import { isFields, type Fields } from '../../wire/index.js';
import { plainChat } from './plain.js';

/** Runs of tau-bench: the conversation stands in `traj`. A result file is a list of them. */
export const tauBench: WholeImporter = {
  name: 'tau-bench',
  mark: 'its conversation stands in `traj`, as tau-bench writes it',
  fits: (value) => isTraj(Array.isArray(value) ? value[0] : value),
  read: (value) => {
    const runs = (Array.isArray(value) ? value : [value]) as readonly Fields[];
    const run = onlyOne(
      'tau-bench',
      runs,
      ({ task_id: task, trial }) => `task ${String(task)} trial ${String(trial)}`,
    );
    return { parsed: plainChat(run.traj as readonly unknown[]), meta: { id: run.task_id, trial: run.trial } };
  },
};

function isTraj(value: unknown): boolean {
  return isFields(value) && Array.isArray(value.traj) && 'task_id' in value;
}
