import type { Message, Part } from '../../transcript/index.js';
import { blocksOf, type Block } from '../tools/index.js';
import type { Protection, TranscriptView, ViewExchange } from '../view.js';

/** An illegal list as a new context: the rule that it breaks, and the message. */
export class IllegalList extends Error {
  constructor(whose: string, what: string) {
    super(`${whose} ${what}`);
    this.name = 'IllegalList';
  }
}

/** A message of the context for functions over lists: as it would be sent, with its limits. Frozen. */
export interface ContextMessage extends Message {
  readonly tokens: number;
  /** Turns ago: 0 is the turn in progress. */
  readonly turnsAgo: number;
  /** Equal for a call, its results and the messages between them: they stay or leave together. */
  readonly exchange: number;
  /**
   * Why the message has to stay unchanged. `unseen`: no request has contained it yet, so a result may be cut to size
   * and nothing else. A pin that the list leaves out stays nevertheless.
   */
  readonly fixed?: Protection | 'unseen';
}

/** A message of the view with its exchange, and the block that can only leave as a whole. */
export interface Standing {
  readonly block: Block;
  readonly exchange: ViewExchange;
  /** Index in `exchange.messages`. */
  readonly at: number;
  readonly message: Message;
}

/** The messages of a view in the order in which they would be sent. */
export function standingIn(view: TranscriptView): Standing[] {
  const all = blocksOf(view).flatMap((block) =>
    block.exchanges.flatMap((exchange) =>
      exchange.messages.map(({ message }, at): Standing => ({ block, exchange, at, message })),
    ),
  );
  // Exchanges may lie inside each other: a late result, a pin inside a superseded span.
  return all.sort((a, b) => placeOf(a) - placeOf(b));
}

function placeOf({ exchange, at }: Standing): number {
  return exchange.messages[at]!.from;
}

/** The context as a plain list. */
export function contextOf(standing: readonly Standing[]): readonly ContextMessage[] {
  return Object.freeze(
    standing.map((one): ContextMessage => {
      const { block, exchange, at, message } = one;
      const fixed = reasonFixed(one);
      return Object.freeze({
        ...message,
        tokens: exchange.messages[at]!.size.tokens,
        turnsAgo: exchange.turnsAgo,
        exchange: block.from,
        ...(fixed !== undefined && { fixed }),
      });
    }),
  );
}

function reasonFixed({ block, exchange }: Standing): ContextMessage['fixed'] {
  if (exchange.protection !== undefined || !block.barred) return exchange.protection;
  const bar = block.exchanges.find(
    ({ protection, unseen }) => unseen || (protection ?? 'pinned') !== 'pinned',
  );
  return bar?.unseen ? 'unseen' : bar?.protection;
}

/** Whether two parts have the same content, without their `wire`. */
export function samePart(a: Part, b: Part): boolean {
  return a === b || (a.type === b.type && JSON.stringify(comparable(a)) === JSON.stringify(comparable(b)));
}

export function sameParts(a: readonly Part[], b: readonly Part[]): boolean {
  return a === b || (a.length === b.length && a.every((part, i) => samePart(part, b[i]!)));
}

/** The content of a part, with a fixed order of fields. */
function comparable(part: Part): unknown {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return [part.text, part.signature];
    case 'tool-call':
      return [part.callId, part.name, part.arguments];
    case 'tool-result':
      return [part.callId, part.isError === true, part.content.map(comparable)];
    case 'file':
      return [part.mediaType, part.bytes, part.name];
    case 'opaque':
      return [part.kind, part.bytes];
    case 'marker':
      return [part.marker, part.auto];
  }
}
