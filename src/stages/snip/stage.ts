import {
  defineStage,
  shownParts,
  type Edit,
  type StageGoal,
  type Steps,
  type TranscriptView,
} from '../../spi/index.js';
import { argumentEdits } from './arguments.js';
import { dialogueEdits } from './dialogue.js';
import { duplicateEdits } from './duplicates.js';
import { mediaEdits } from './media.js';
import { needOf, type Need } from './need.js';
import { SnipOptions } from './options.js';
import { resultEdits } from './results.js';

/** Takes out what nothing needs any more, cheapest loss first, oldest first, until enough is reclaimed. */
export const snip = defineStage<SnipOptions>({
  name: 'snip',
  summary:
    'Takes out tool results nothing later refers to, stale reads, duplicates and large call arguments.',
  options: SnipOptions,
  *plan(view, goal) {
    const { edits, need } = yield* planned(view, goal);
    return { edits: need.saved < goal.options.minimumSavings && !need.savedBeside ? [] : edits };
  },
  asPass: (kind, options) =>
    kind === 'trim'
      ? { ...options, classes: ['duplicates'], minimumSavings: 0, dialogue: {} }
      : { ...options, classes: options.classes.filter((name) => name !== 'duplicates'), mode: 'stub' },
  *reclaimable(view, goal) {
    const { edits, need } = yield* planned(view, { ...goal, reclaim: Infinity });
    return need.saved + MISCOUNT * edits.length;
  },
});

/** What an edit may free beyond what it books, in tokens: frames and placeholders are booked by estimate. */
const MISCOUNT = 12;

function* planned(view: TranscriptView, goal: StageGoal<SnipOptions>): Steps<{ edits: Edit[]; need: Need }> {
  const { classes, arguments: trimming } = goal.options;
  const need = needOf(goal);
  // What is remembered of messages is asked for here, message by message.
  for (const { messages } of view.exchanges) {
    messages.forEach(shownParts);
    yield;
  }
  const dialogue = dialogueEdits(view, goal, need);
  const duplicates = classes.includes('duplicates') ? duplicateEdits(view, need, dialogue.gone) : [];
  const results = yield* resultEdits(view, goal, need);
  const gone = new Set([...dialogue.gone, ...results.gone]);
  const media = classes.includes('media') ? mediaEdits(view, need, gone, results.edits) : [];
  const trims =
    classes.includes('arguments') && trimming.mode === 'on'
      ? yield* argumentEdits(view, goal, need, results.gone)
      : [];
  return { edits: [...duplicates, ...dialogue.edits, ...results.edits, ...media, ...trims], need };
}
