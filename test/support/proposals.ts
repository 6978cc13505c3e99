import fc from 'fast-check';
import type { TranscriptView } from '../../src/spi/index.js';
import type { Edit, Part } from '../../src/transcript/index.js';
import { textOf } from '../../src/transcript/index.js';
import { replace, supersede } from './edits.js';
import { summary, text } from './messages.js';

/** Numbers that become an edit once there is a view; most of the edits are legal. */
export interface Intent {
  readonly kind: 'replace' | 'supersede' | 'cut' | 'remove';
  readonly at: number;
  readonly length: number;
  readonly part: number;
  readonly pieces: number;
}

export const intent: fc.Arbitrary<Intent> = fc.record({
  kind: fc.constantFrom('replace', 'supersede', 'cut', 'remove'),
  at: fc.nat(1_000),
  length: fc.nat(6),
  part: fc.nat(3),
  pieces: fc.nat(3),
});

export function editOf(view: TranscriptView, intent: Intent, serial: number): Edit | undefined {
  const { exchanges } = view;
  const first = exchanges[intent.at % Math.max(1, exchanges.length)];
  if (!first) return undefined;
  if (intent.kind === 'supersede' || intent.kind === 'remove') {
    const last = exchanges[Math.min(exchanges.length - 1, first.index + intent.length)]!;
    const made = Array.from({ length: intent.kind === 'remove' ? 0 : intent.pieces }, (_, i) =>
      summary(`s${serial}.${i}`, `in short ${serial}`),
    );
    return supersede(first.fromId, last.toId, ...made);
  }
  const shown = first.messages[intent.length % first.messages.length]!;
  const source = shown.source;
  if (!source || source.parts.length === 0) return undefined;
  const index = intent.part % source.parts.length;
  return replace(source.id, index, ...contentFor(source.parts[index]!, intent));
}

function contentFor(part: Part, { kind, pieces }: Intent): Part[] {
  if (part.type === 'reasoning') return [];
  if (part.type === 'tool-call') return [text('{}')];
  if (kind === 'cut') {
    const whole = textOf(part);
    return [text(`${whole.slice(0, whole.length >> 2)}\n[… cut; recall it …]`)];
  }
  return Array.from({ length: pieces }, (_, i) => text(i % 2 ? '.' : `piece`));
}

/** Edits of random places, in the order of the intents; not judged yet. */
export function proposal(view: TranscriptView, intents: readonly Intent[], serial = 0): Edit[] {
  return intents.flatMap((one, i) => editOf(view, one, serial + i) ?? []);
}
