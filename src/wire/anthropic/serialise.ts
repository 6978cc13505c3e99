import type { Serialised } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { pairedSteps } from '../conversation/pairing.js';
import { writeStep } from './write-step.js';
import { draftsOf, type Draft, type DraftCall, type DraftResult } from './draft.js';
import { IdBook } from './ids.js';
import { Outbox } from './outbox.js';
import type { Block } from './wire.js';

/** The messages of one request, and `system` beside them where the log begins with instructions. */
export function serialise(view: readonly ViewMessage[]): Serialised {
  const drafts = view.flatMap(draftsOf);
  const out = new Outbox();
  const leading = drafts.findIndex(({ role }) => role !== 'system');
  const instructions = drafts.slice(0, leading < 0 ? drafts.length : leading);
  for (const { notices } of instructions) for (const notice of notices) out.notices.push(notice);

  const ids = new IdBook();
  const spoken = drafts.slice(instructions.length);
  for (const step of pairedSteps<DraftCall, DraftResult, Draft>(spoken, out.notices))
    writeStep(step, ids, out);
  out.close(drafts.at(-1)?.id ?? 'request');
  const marks = instructions.reduce((sum, draft) => sum + draft.marks, 0);
  const messages = out.messages(marks);
  const system = systemOf(instructions);
  return { messages, ...(system !== undefined && { beside: { system } }), notices: out.notices };
}

/** As it came in, where it did; one text stays a string, and several messages become one list of blocks. */
function systemOf(instructions: readonly Draft[]): unknown {
  const [only, ...more] = instructions;
  if (only && more.length === 0 && only.whole) return only.whole.content;
  const blocks = instructions.flatMap((draft) => draft.blocks as Block[]);
  if (blocks.length === 0) return undefined;
  const [block] = blocks;
  const isPlain = blocks.length === 1 && Object.keys(block!).length === 2;
  return isPlain ? block!.text : blocks;
}
