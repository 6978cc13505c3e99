import type { Notice } from '../../spi/index.js';
import type { Message, Part, ViewMessage } from '../../transcript/index.js';
import { drafted } from '../conversation/drafts.js';
import type { Drafted, DraftedAnswer, DraftedCall } from '../conversation/pairing.js';
import { unknownRole } from '../conversation/placeholders.js';
import { type Report, reporter } from '../conversation/repairs.js';
import { inWords, isFields, jsonText } from '../record.js';
import { type Block, blocksOf, carriedBy, type WireMessage } from './wire.js';
import { blockOf, mendBlock, type Source } from './write-block.js';

export type DraftCall = DraftedCall;

export interface DraftResult extends DraftedAnswer {
  readonly block: Block;
}

/** One view message on the wire, legal by itself; what depends on its neighbours is decided in `compose.ts`. */
export interface Draft extends Drafted<DraftCall, DraftResult> {
  readonly role: 'system' | 'user' | 'assistant';
  /** All but results; the calls are in the order of `tool_use` among them. */
  readonly blocks: readonly Block[];
  /** The object that came in, where it goes out as it is. */
  readonly whole?: WireMessage;
  /** The object that came in, for its fields beside the content. */
  readonly frame?: WireMessage;
  /** Nothing of it was edited or mended. */
  readonly faithful: boolean;
  /** Its blocks follow those of the message before it. */
  readonly continues: boolean;
  /** A message of the log, not what stands for some. */
  readonly original: boolean;
}

/** Usually one; a message of another format in which the provider answered its own calls is several. */
export const draftsOf = drafted((shown: ViewMessage): readonly Draft[] => {
  const { message } = shown;
  const carried = shown.made ? undefined : carriedBy(message);
  const notices: Notice[] = [];
  const report = reporter(message.id, notices);
  const about = {
    id: message.id,
    role: roleOf(message),
    continues: carried?.continues === true,
    original: shown.made === undefined,
  } as const;
  const wire = carried?.message;
  const untouched =
    wire !== undefined && !shown.replaced?.size && isKnownRole(wire.role) && holdsBlocks(wire.content);
  if (untouched) {
    const blocks = blocksOf(wire.content);
    const mended = mendAll(blocks, report);
    const faithful = notices.length === 0 && blocks.length > 0;
    const calls = callsOf(message.parts);
    const whole = faithful && !about.continues ? { whole: wire } : {};
    return [{ ...about, ...split(mended), ...whole, calls, frame: wire, faithful, notices }];
  }
  const source: Source = { message, wire, report };
  const frame = wire && isKnownRole(wire.role) ? { frame: wire } : {};
  return segments(message).map((parts, at): Draft => {
    const written = parts.flatMap((part) => writePart(part, source));
    const blocks = mendAll([...labelOf(message, wire, at), ...written], report);
    const own = at === 0 ? { notices, ...frame } : { notices: [] };
    return { ...about, ...split(blocks), ...own, calls: callsOf(parts), faithful: false };
  });
});

/** What an edit left empty is nothing to speak of; what the log holds empty is said by `mendBlock`. */
function writePart(part: Part, source: Source): readonly Block[] {
  const block = blockOf(part, source);
  return block ? [block] : [];
}

function mendAll(blocks: readonly Block[], report: Report): Block[] {
  return blocks.flatMap((block): Block[] => {
    const mended = mendBlock(block, report);
    return mended ? [mended] : [];
  });
}

function split(all: readonly Block[]): Pick<Draft, 'blocks' | 'speaks' | 'answers'> {
  const results = all.filter(({ type }) => type === 'tool_result');
  const blocks = results.length === 0 ? all : all.filter(({ type }) => type !== 'tool_result');
  return {
    blocks,
    speaks: blocks.length > 0,
    answers: results.map((block) => ({ callId: inWords(block.tool_use_id ?? ''), block })),
  };
}

/** Words and numbers among the blocks were read as texts, and are written as such. */
function holdsBlocks(content: unknown): boolean {
  return !Array.isArray(content) || content.every(isFields);
}

function callsOf(parts: readonly Part[]): DraftCall[] {
  return parts.flatMap((part) => (part.type === 'tool-call' ? { callId: part.callId, tool: part.name } : []));
}

/** Cut where results inside an assistant's message end: there the user's turn comes between on this wire. */
function segments({ role, parts }: Message): readonly (readonly Part[])[] {
  if (role !== 'assistant' || !parts.some((part) => part.type === 'tool-result')) return [parts];
  const cut: Part[][] = [[]];
  parts.forEach((part, at) => {
    const isNew = part.type !== 'tool-result' && parts[at - 1]?.type === 'tool-result';
    if (isNew) cut.push([]);
    cut.at(-1)!.push(part);
  });
  return cut;
}

function roleOf({ role }: Message): Draft['role'] {
  return role === 'tool' ? 'user' : role;
}

function isKnownRole(role: unknown): boolean {
  return role === 'user' || role === 'assistant' || role === 'system';
}

function labelOf(message: Message, wire: WireMessage | undefined, segment: number): Block[] {
  if (!wire || isKnownRole(wire.role) || segment > 0) return [];
  const label = unknownRole(wire.role);
  const words = message.parts.length === 0 ? `${label}\n${jsonText(wire)}` : label;
  return [{ type: 'text', text: words }];
}
