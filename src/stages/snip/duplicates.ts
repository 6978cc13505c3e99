import { proseOf, supersedeBy, type Supersede, type TranscriptView } from '../../spi/index.js';
import type { Need, SnipEdits } from './need.js';

/** Synthetic messages that a newer one repeats word for word: reminders, status notes. The newest stays. */
export function duplicateEdits(view: TranscriptView, need: Need, removed: SnipEdits['removed']): Supersede[] {
  const newest = new Map<string, number>();
  for (const exchange of view.exchanges) {
    const text = syntheticText(exchange);
    if (text !== undefined) newest.set(text, exchange.index);
  }
  const edits: Supersede[] = [];
  for (const exchange of view.exchanges) {
    if (!need.isViewTooLarge) break;
    if (exchange.protection || exchange.unseen || removed.has(exchange)) continue;
    const text = syntheticText(exchange);
    if (text === undefined || newest.get(text) === exchange.index) continue;
    edits.push(supersedeBy(exchange, [], 'a newer synthetic message says the same'));
    need.take(exchange.tokens, 0);
  }
  return edits;
}

/** The text of a message that a program added; undefined for all others. */
function syntheticText({ kind, messages }: TranscriptView['exchanges'][number]): string | undefined {
  const message = messages[0]!.message;
  if (kind !== 'plain' || message.origin !== 'synthetic') return undefined;
  if (!message.parts.every((part) => part.type === 'text')) return undefined;
  const text = proseOf(message);
  return text === '' ? undefined : `${message.role}:${text}`;
}
