import { blocksOf, defineStage, type Supersede } from '../../spi/index.js';
import { digestRuns, mergeRuns } from './merge-runs.js';
import { z } from 'zod/v4';

const CollapseOptions = z.strictObject({
  minRun: z.int().min(2).max(100).default(2).describe('Neighbours it takes to be worth one message.'),
});
type CollapseOptions = z.infer<typeof CollapseOptions>;

/** Joins neighbours: same-role messages into one with the same words, spent tool exchanges into a line each. */
export const collapse = defineStage<CollapseOptions>({
  name: 'collapse',
  summary:
    'Merges neighbouring messages of one role, and runs of already stubbed tool exchanges into a line each.',
  options: CollapseOptions,
  *plan(view, goal) {
    const blocks = blocksOf(view);
    yield;
    const { minRun } = goal.options;
    const merged = mergeRuns(blocks, minRun);
    yield;
    const found = [...merged, ...digestRuns(view, blocks, minRun, goal.count)];
    yield;
    const edits: Supersede[] = [];
    let { reclaim } = goal;
    for (const { edit, saved } of found.sort((a, b) => a.from - b.from)) {
      if (reclaim <= 0) break;
      edits.push(edit);
      reclaim -= saved;
    }
    return { edits };
  },
});
