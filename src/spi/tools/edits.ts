import { withoutTemplateMarks, type Count } from '../../text/digest/index.js';
import { spanHandle, type Message, type Replace, type Slot, type Supersede } from '../../transcript/index.js';
import type { TranscriptView } from '../view.js';
import type { ShownPart } from './results.js';
import { overheadOf, pinnedIn, type Span } from './spans.js';

/** One part gives way to a text. */
export function replaceBy(
  { source, index }: Pick<ShownPart, 'source' | 'index'>,
  text: string,
  reason: string,
): Replace {
  return {
    kind: 'replace',
    messageId: source.id,
    partIndex: index,
    content: [{ type: 'text', text }],
    reason,
  };
}

/** A span gives way to messages; a model may write a better text where there is a slot. */
export function supersedeBy(
  { fromId, toId }: Pick<Span, 'fromId' | 'toId'>,
  replacement: readonly Message[],
  reason: string,
  slot?: Slot,
): Supersede {
  return { kind: 'supersede', fromId, toId, replacement, reason, ...(slot && { slot }) };
}

/** The message that stands for a span. Its id is that of its sources, so that the same span gives the same bytes in every run. */
export function standIn(label: Message['label'] & string, handle: string, text: string): Message {
  const id = `${label}:${handle}`;
  return { id, role: 'assistant', origin: 'synthetic', label, parts: [{ type: 'text', text }] };
}

/** The message of a summary of these messages. */
export const summaryMessage = (handle: string, text: string): Message => standIn('summary', handle, text);

/** What would stand for a span without a model, and its tokens with those of a message around it. */
export interface Outline {
  readonly message: Message;
  readonly tokens: number;
}

/** A span as one message: what was said in it, and a line on its calls. Pins inside it still stand in the view, so it does not repeat them. */
export function outlineOf(
  view: TranscriptView,
  span: Span,
  label: 'summary' | 'digest',
  { maxTokens = Infinity, count }: { readonly maxTokens?: number; readonly count: Count },
): Outline {
  const { from, to, fromId, toId, exchanges } = span;
  const handle = spanHandle(fromId, toId);
  const { text, tokens } = view.digest({ from, to, handle, maxTokens, count, shown: pinnedIn(span) });
  const message = standIn(label, handle, withoutTemplateMarks(text));
  return { message, tokens: tokens + overheadOf(exchanges[0]!) };
}
