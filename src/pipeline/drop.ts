import { replaceBy, type ShownPart, type TranscriptView, type ViewExchange } from '../spi/index.js';
import type { Edit, FilePart, Size, Steps } from '../transcript/index.js';
import type { Propose, RunDraft } from './draft.js';
import {
  cutPins,
  dropOldest,
  filesOf,
  FIT_RIGHTS,
  freshResults,
  isSummary,
  textWithoutFiles,
  pinnedParts,
  shrinkFresh,
} from './fit.js';
import { PIPELINE_STEPS } from './policy.js';
import { reminderEdits, remindersIn, REMINDER_RIGHTS, type Release } from './reminders.js';
import { withRoomForDigests } from './room.js';

/** The drop strategy: drops the oldest content above the target; summaries only if nothing else is left. */
export function* dropToTarget(draft: RunDraft): Steps<void> {
  yield* drop(draft, isSummary);
  yield* drop(draft);
}

function* drop(draft: RunDraft, isKept?: (exchange: ViewExchange) => boolean): Steps<void> {
  const { policy, count } = draft.input;
  const need = withRoomForDigests(draft, policy.target);
  if (need.tokens > 0 || need.bytes > 0 || need.images > 0)
    yield* draft.step(
      PIPELINE_STEPS.drop,
      draft.reading.pressure > 1 ? 1 : 0,
      (view) => dropOldest(view, need, count, isKept),
      FIT_RIGHTS,
    );
}

/**
 * The drop floor below every stage: drops the oldest exchanges, then reminders, then summaries; then cuts fresh results
 * and pins to any size that fits; images of pins last.
 */
export function* dropToFit(draft: RunDraft): Steps<void> {
  const { policy, count } = draft.input;
  yield* drop(draft, isSummary);
  if (draft.reading.pressure > 1) yield* dropReminders(draft, () => ({ need: draft.reclaim(1) }));
  if (draft.reading.pressure > 1) yield* drop(draft);
  const steps: readonly (readonly [step: string, propose: Propose])[] = [
    [PIPELINE_STEPS.fresh, (view) => mediaEdits(view, freshResults(view), draft.excess(1))],
    [PIPELINE_STEPS.fresh, (view) => shrinkFresh(view, draft.reclaim(1), count)],
    [
      PIPELINE_STEPS.pins,
      (view) => cutPins(view, Math.max(0, draft.share(policy.shares.pins) - draft.reclaim(1)), count),
    ],
    [PIPELINE_STEPS.pins, (view) => mediaEdits(view, pinnedParts(view), draft.excess(1))],
  ];
  // After a cut by tokens, a request may still have too many bytes.
  for (let done = -1; done < draft.edits.length;) {
    done = draft.edits.length;
    for (const [step, propose] of steps)
      if (draft.reading.pressure > 1) yield* draft.step(step, 1, propose, FIT_RIGHTS);
  }
}

/** The step that removes reminders. */
export const dropReminders = (draft: RunDraft, goalOf: (view: TranscriptView) => Release): Steps<void> =>
  draft.step(
    PIPELINE_STEPS.pins,
    0,
    (view) => reminderEdits(view, remindersIn(view, draft.input.source), goalOf(view), draft.input.count),
    REMINDER_RIGHTS,
  );

/** Replaces files of these parts by a line with a handle, largest first, until bytes and images fit. */
function mediaEdits(view: TranscriptView, parts: readonly ShownPart[], { bytes, images }: Size): Edit[] {
  const found = parts
    .filter(({ mark }) => !mark)
    .map((part) => ({ part, files: filesOf(part.original) }))
    .filter(({ files }) => files.length > 0)
    .map(({ part, files }) => ({ part, size: bytesOf(files), pictures: files.filter(isPicture).length }));
  found.sort((one, other) => other.size - one.size);
  const edits: Edit[] = [];
  let [remainingBytes, remainingImages] = [bytes, images];
  for (const { part, size, pictures } of found) {
    const helps = remainingBytes > 0 || (remainingImages > 0 && pictures > 0);
    if (!helps) continue;
    remainingBytes -= size;
    remainingImages -= pictures;
    const text = textWithoutFiles(part.original, view.mark(part.handle));
    const reason = 'bytes or images are over their limit, and nothing else is left to take out';
    edits.push(replaceBy(part, text, reason));
  }
  return edits;
}

const bytesOf = (files: readonly FilePart[]): number => files.reduce((sum, { bytes }) => sum + bytes, 0);

const isPicture = ({ mediaType }: FilePart): boolean => mediaType.startsWith('image/');
