import type { MeasureMessage } from '../spi/index.js';
import {
  addSizes,
  NO_SIZE,
  withContent,
  type Edit,
  type PlannedEdit,
  type ReadonlyLog,
  type Size,
} from '../transcript/index.js';
import { takeInText, type Provenance } from './intake.js';

/**
 * Takes in the text of an edit and puts sizes to it: stages do not get to say what they saved. `known` says what texts
 * are made from.
 */
export function measureEdit(
  proposed: Edit,
  stage: string,
  log: ReadonlyLog,
  measure: MeasureMessage,
  known: Omit<Provenance, 'log'> = {},
): PlannedEdit {
  const edit = takeInText(proposed, { ...known, log });
  if (edit.kind === 'supersede') {
    return { ...edit, stage, sizes: edit.replacement.map((message) => measure(message)) };
  }
  const source = log.find(edit.messageId)!;
  const parts = withContent(source.parts[edit.partIndex]!, edit.content);
  const size: Size = measure({ ...source, parts }).parts.reduce(addSizes, NO_SIZE);
  return { ...edit, stage, size };
}

export function sizeOf(edit: PlannedEdit): Size {
  return edit.kind === 'replace' ? edit.size : edit.sizes.reduce(addSizes, NO_SIZE);
}
