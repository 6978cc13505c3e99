import { listIn, onlyOne } from '../faults.js';
import type { WholeImporter } from '../importer.js';
import { isFields, type Fields } from '../../wire/index.js';
import { plainChat } from './plain.js';

/** Runs of LiveMCPBench: chat messages beside the task and the answer. A result file is a list of them. */
export const liveMcpBench: WholeImporter = {
  name: 'livemcpbench',
  mark: 'it holds a `Question` beside its messages, as LiveMCPBench writes it',
  fits: (value) => isRun(Array.isArray(value) ? value[0] : value),
  read: (value) => {
    const runs: readonly unknown[] = Array.isArray(value) ? value : [value];
    const run = onlyOne('livemcpbench', runs, (one) => (isFields(one) ? one.task_id : one));
    const parsed = plainChat(listIn('livemcpbench', run, 'messages'));
    return { parsed, meta: { id: (run as Fields).task_id } };
  },
};

function isRun(value: unknown): boolean {
  return isFields(value) && typeof value.Question === 'string' && Array.isArray(value.messages);
}
