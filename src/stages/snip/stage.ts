import { defineStage, shownParts } from '../../spi/index.js';
import { argumentEdits } from './arguments.js';
import { dialogueEdits } from './dialogue.js';
import { duplicateEdits } from './duplicates.js';
import { mediaEdits } from './media.js';
import { needOf } from './need.js';
import { SnipOptions } from './options.js';
import { resultEdits } from './results.js';

/** Removes content that is no longer needed, cheapest loss first, oldest first, until enough is reclaimed. */
export const snip = defineStage<SnipOptions>({
  name: 'snip',
  summary:
    'Takes out tool results nothing later refers to, stale reads, duplicates and large call arguments.',
  options: SnipOptions,
  *plan(view, goal) {
    const { classes, arguments: trimming, minimumSavings } = goal.options;
    const need = needOf(goal);
    // Fills the memory of `shownParts` in steps, message by message.
    for (const { messages } of view.exchanges) {
      messages.forEach(shownParts);
      yield;
    }
    const dialogue = dialogueEdits(view, goal, need);
    yield;
    const duplicates = classes.includes('duplicates') ? duplicateEdits(view, need, dialogue.removed) : [];
    const results = yield* resultEdits(view, goal, need);
    yield;
    const removed = new Set([...dialogue.removed, ...results.removed]);
    const media = classes.includes('media') ? mediaEdits(view, need, removed, results.edits) : [];
    yield;
    const trims =
      classes.includes('arguments') && trimming.mode === 'on'
        ? yield* argumentEdits(view, goal, need, results.removed)
        : [];
    if (need.saved < minimumSavings && !need.savedMedia) return { edits: [] };
    return { edits: [...duplicates, ...dialogue.edits, ...results.edits, ...media, ...trims] };
  },
  asPass: (kind, options) =>
    kind === 'trim'
      ? { ...options, classes: ['duplicates'], minimumSavings: 0, dialogue: {} }
      : { ...options, classes: options.classes.filter((name) => name !== 'duplicates'), mode: 'stub' },
});
