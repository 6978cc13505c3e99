import { isFields, type Fields } from '../record.js';
import type { Block } from './wire.js';

/** Most blocks that may carry `cache_control` in one request; tools, system and messages together. */
const MOST_MARKS = 4;

/** Where there were more, so many are left: one may stand on the tools, which are not seen from here. */
const LEFT = 3;

/** Cache marks on a block and inside it. */
export function marksIn(block: Block): number {
  let marks = isMarked(block) ? 1 : 0;
  if (Array.isArray(block.content))
    for (const inner of block.content) if (isFields(inner)) marks += marksIn(inner);
  return marks;
}

const isMarked = (block: Block): boolean => block.cache_control !== undefined && block.cache_control !== null;

export function withoutMarks(block: Block): Block {
  if (marksIn(block) === 0) return block;
  const { cache_control: _, ...unmarked } = block;
  if (!Array.isArray(unmarked.content)) return unmarked;
  const content = unmarked.content.map((inner: unknown) => (isFields(inner) ? withoutMarks(inner) : inner));
  return { ...unmarked, content };
}

/**
 * How many marks the messages may keep. Clients move theirs along as the conversation grows; a log that was put
 * together from many requests holds every place where one ever stood. The newest are the ones that count.
 */
export function marksAllowed(onSystem: number, onMessages: number): number {
  return onSystem + onMessages <= MOST_MARKS ? onMessages : Math.max(0, LEFT - onSystem);
}

/** A whole body with no more cache marks than are taken, those on the tools counted: the oldest of its messages lose theirs. */
export function fitCacheMarks(body: Fields): Fields {
  const { messages, system, tools } = body;
  if (!Array.isArray(messages)) return body;
  const list = (messages as readonly unknown[]).map((message) => (isFields(message) ? message : {}));
  const marks = [
    ...blocksIn(tools),
    ...blocksIn(system),
    ...list.flatMap(({ content }) => blocksIn(content)),
  ];
  let spare = marks.reduce((sum, block) => sum + marksIn(block), 0) - MOST_MARKS;
  if (spare <= 0) return body;
  const fitted = list.map((message, at) => {
    if (spare <= 0 || !Array.isArray(message.content)) return messages[at] as unknown;
    const content = message.content.map((block: unknown) => {
      const found = isFields(block) && spare > 0 ? marksIn(block) : 0;
      spare -= found;
      return found > 0 ? withoutMarks(block as Block) : block;
    });
    return { ...message, content };
  });
  return { ...body, messages: fitted };
}

function blocksIn(content: unknown): Block[] {
  return Array.isArray(content) ? content.filter(isFields) : [];
}
