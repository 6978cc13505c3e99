import { isToolCall, type Message } from '../../transcript/index.js';
import { createDrafter } from '../conversation/drafts.js';
import type { Drafted, DraftedAnswer, DraftedCall } from '../conversation/pairing.js';
import { unknownRole } from '../conversation/placeholders.js';
import { REPAIRS } from '../conversation/repairs.js';
import { asText, isFields, isSet, jsonText } from '../record.js';
import { type Block, blocksOf, carriedBy, type WireMessage } from './wire.js';
import { blockOf, repairBlock } from './write-block.js';

export interface DraftResult extends DraftedAnswer {
  readonly block: Block;
}

/** One view message on the wire, legal on its own; `serialise.ts` decides what depends on its neighbours. */
export interface Draft extends Drafted<DraftedCall, DraftResult> {
  /** All blocks but results, calls in the order of `tool_use`. Empty if a system message only sets options. */
  readonly blocks: readonly Block[];
  /** The object that came in, if it is sent unchanged. */
  readonly unchanged?: WireMessage;
  /** The object that came in, for its fields next to the content. */
  readonly frame?: WireMessage;
  /** Whether nothing of the message was edited or repaired. */
  readonly isIntact: boolean;
  /** Whether its blocks continue the message before it. */
  readonly continues: boolean;
  /** Whether it is a message of the log, not a replacement for log messages. */
  readonly isOriginal: boolean;
}

export const draftOf = createDrafter<Draft>((shown, report, notices) => {
  const { message, made, replaced } = shown;
  const carried = made ? undefined : carriedBy(message);
  const wire = carried?.message;
  const frame = isKnownRole(wire?.role) ? wire : undefined;
  const isUntouched = frame !== undefined && !replaced?.size && holdsBlocks(frame.content);
  const source = { message, wire, report };
  // A message that an edit emptied needs no notice; `repairBlock` reports content that is empty in the log.
  const written: readonly Block[] = isUntouched
    ? blocksOf(frame.content)
    : [...labelOf(message, wire), ...message.parts.flatMap((part): Block[] => listed(blockOf(part, source)))];
  const all = written.flatMap((block): Block[] => listed(repairBlock(block, report)));
  const results = all.filter(isResult);
  const blocks = results.length === 0 ? all : all.filter((block) => !isResult(block));
  const hasContent = blocks.length > 0 || (isUntouched && setsOptions(frame));
  if (isUntouched && written.length === 0 && !hasContent) report('empty-text', REPAIRS.silent);
  const isIntact = isUntouched && notices.length === 0;
  const continues = carried?.continues === true;
  return {
    blocks,
    hasContent,
    answers: results.map((block) => ({ callId: asText(block.tool_use_id ?? ''), block })),
    calls: message.parts.filter(isToolCall).map(({ callId, name }) => ({ callId, tool: name })),
    isIntact,
    continues,
    isOriginal: made === undefined,
    ...(frame && { frame }),
    ...(frame && isIntact && !continues && { unchanged: frame }),
  };
});

const listed = (block: Block | undefined): Block[] => (block ? [block] : []);
const isResult = ({ type }: Block): boolean => type === 'tool_result';

/** Whether the content has only blocks: texts and numbers among blocks were read as texts, and are written as texts. */
const holdsBlocks = (content: unknown): boolean => !Array.isArray(content) || content.every(isFields);

const isKnownRole = (role: unknown): boolean => role === 'user' || role === 'assistant' || role === 'system';

/** Whether a system message only sets options for the answer. */
const setsOptions = ({ role, content, output_config: options }: WireMessage): boolean =>
  role === 'system' && !isSet(content) && isFields(options);

function labelOf(message: Message, wire: WireMessage | undefined): Block[] {
  if (!wire || isKnownRole(wire.role)) return [];
  const label = unknownRole(wire.role);
  return [{ type: 'text', text: message.parts.length === 0 ? `${label}\n${jsonText(wire)}` : label }];
}
