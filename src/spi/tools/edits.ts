import { withoutTemplateMarks, type Count } from '../../text/digest/index.js';
import { spanHandle, type Message, type Replace, type Slot, type Supersede } from '../../transcript/index.js';
import type { TranscriptView } from '../view.js';
import type { ShownPart } from './results.js';
import { overheadOf, pinnedIn, type Span } from './spans.js';

/** Replaces one part by a text. */
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

/** Replaces a span by messages; with a slot, a model may write a better text. */
export function supersedeBy(
  { fromId, toId }: Pick<Span, 'fromId' | 'toId'>,
  replacement: readonly Message[],
  reason: string,
  slot?: Slot,
): Supersede {
  return { kind: 'supersede', fromId, toId, replacement, reason, ...(slot && { slot }) };
}

/** The message that replaces a span. Its id is that of its sources, so the same span always gives the same bytes. */
export function standIn(label: Message['label'] & string, handle: string, text: string): Message {
  const id = `${label}:${handle}`;
  return { id, role: 'assistant', origin: 'synthetic', label, parts: [{ type: 'text', text }] };
}

/** The summary message for a handle. */
export const summaryMessage = (handle: string, text: string): Message => standIn('summary', handle, text);

/** The deterministic replacement of a span, and its tokens including the message's overhead. */
export interface Outline {
  readonly message: Message;
  readonly tokens: number;
}

/** A span as one message: its talk, and a line on its calls. It omits pins inside the span, which stay in view. */
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
