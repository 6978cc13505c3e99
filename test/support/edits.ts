import type { Message, Part, PlannedEdit, Replace, Supersede } from '../../src/transcript/index.js';
import { NO_SIZE, addSizes } from '../../src/transcript/index.js';
import { measure } from './bench.js';
import { text } from './messages.js';

export const replace = (messageId: string, partIndex: number, ...content: (string | Part)[]): Replace => ({
  kind: 'replace',
  messageId,
  partIndex,
  content: content.map((part) => (typeof part === 'string' ? text(part) : part)),
  reason: 'a test',
});

export const supersede = (fromId: string, toId: string, ...replacement: Message[]): Supersede => ({
  kind: 'supersede',
  fromId,
  toId,
  replacement,
  reason: 'a test',
});

/** An edit with sizes as the pipeline measures them, for tests of the transcript. Its content must suit the part. */
export function planned(edit: Replace | Supersede, stage = 'test'): PlannedEdit {
  if (edit.kind === 'supersede') return { ...edit, stage, sizes: edit.replacement.map(measure) };
  const parts = edit.content;
  const size = measure({ id: 'x', role: 'assistant', origin: 'model', parts }).parts.reduce(
    addSizes,
    NO_SIZE,
  );
  return { ...edit, stage, size };
}
