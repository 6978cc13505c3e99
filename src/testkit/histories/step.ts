import type { FilePart, Part, ToolCallPart, ToolResultPart } from '../../transcript/index.js';
import type { Dice } from './dice.js';
import type { Trait } from './traits.js';
import { prose, speech } from './words.js';

const TOOLS = ['Read', 'Bash', 'Write', 'search_files', 'skill'] as const;

/** The smallest picture there is: one transparent pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** One to four calls; ids of their own, or as the trait has them: used before, odd, much too long. */
export function callsOf(dice: Dice, traits: ReadonlySet<Trait>, at: number): ToolCallPart[] {
  const count = traits.has('parallel') ? dice.whole(1, 4) : 1;
  return Array.from({ length: count }, (_, i): ToolCallPart => {
    const name = dice.pick(TOOLS);
    return {
      type: 'tool-call',
      callId: callId(dice, traits, at, i),
      name,
      arguments: argumentsOf(dice, traits),
    };
  });
}

function callId(dice: Dice, traits: ReadonlySet<Trait>, at: number, i: number): string {
  if (!traits.has('reused-ids') || dice.hits(0.6)) return `call_${at}_${i}`;
  return dice.pick([`c${dice.whole(0, 3)}`, `odd id|${i}.é`, `long_${'x'.repeat(80)}_${at}_${i}`]);
}

function argumentsOf(dice: Dice, traits: ReadonlySet<Trait>): string {
  if (traits.has('malformed') && dice.hits(0.12))
    return dice.pick(['', '{"path": "src/a.ts"', 'null', '[1]', 'ls -la']);
  const path = `src/part${dice.whole(0, 6)}.ts`;
  return JSON.stringify(dice.hits(0.3) ? { path, content: prose(dice, dice.whole(20, 160)) } : { path });
}

export function resultOf(dice: Dice, traits: ReadonlySet<Trait>, callId: string): ToolResultPart {
  const content = [{ type: 'text' as const, text: speech(dice, traits, 200) }, ...pictures(dice, traits)];
  const isEmpty = traits.has('empty') && dice.hits(0.05);
  return {
    type: 'tool-result',
    callId,
    content: isEmpty ? [] : content,
    ...(dice.hits(0.1) && { isError: true }),
  };
}

/** Mostly none. Carries the part of a chat request, as importers leave it. */
export function pictures(dice: Dice, traits: ReadonlySet<Trait>): FilePart[] {
  if (!traits.has('images') || !dice.hits(0.07)) return [];
  const url = `data:image/png;base64,${PIXEL}`;
  return [
    {
      type: 'file',
      mediaType: 'image/png',
      bytes: url.length,
      wire: { type: 'image_url', image_url: { url } },
    },
  ];
}

/** What stands before the words of a step: signed thinking, what only another format knows. */
export function thoughts(dice: Dice, traits: ReadonlySet<Trait>): Part[] {
  const parts: Part[] = [];
  if (traits.has('reasoning') && dice.hits(0.2)) {
    const isSigned = dice.hits(0.7);
    parts.push({ type: 'reasoning', text: prose(dice, 12), ...(isSigned && { signature: 'c2lnbmVk' }) });
  }
  if (traits.has('approvals') && dice.hits(0.1)) {
    const wire = { type: 'tool-approval-request', approvalId: 'a1' };
    parts.push({ type: 'opaque', kind: wire.type, bytes: JSON.stringify(wire).length, wire });
  }
  return parts;
}
