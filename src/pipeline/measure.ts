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

/** Puts sizes to an edit: stages do not get to say what they saved. */
export function measureEdit(
  edit: Edit,
  stage: string,
  log: ReadonlyLog,
  measure: MeasureMessage,
): PlannedEdit {
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
