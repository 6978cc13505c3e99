import type { Part, Replace, TextPart } from '../../transcript/index.js';
import { shownParts } from '../tools/index.js';
import { samePart, sameParts, type Standing, IllegalList } from './context.js';

/** The replaces that turn a message of the log, as it is shown, into what a list holds under its id. */
export function partChanges(
  whose: string,
  { exchange, at }: Standing,
  parts: readonly Part[],
  reason: string,
): Replace[] {
  const shown = exchange.messages[at]!;
  const { id } = shown.message;
  const edits: Replace[] = [];
  const rest = shown.message.parts.slice();
  const given = parts.slice();
  for (const { index, mark } of shownParts(shown)) {
    const now = rest.slice(0, mark?.length ?? 1);
    if (sameParts(now, given.slice(0, now.length))) {
      rest.splice(0, now.length);
      given.splice(0, now.length);
      continue;
    }
    const content = now.length === 1 ? changed(whose, id, rest, given) : thinned(now, given);
    rest.splice(0, now.length);
    edits.push({ kind: 'replace', messageId: id, partIndex: index, content, reason });
  }
  if (given[0]) throw new IllegalList(whose, `puts a ${given[0].type} into ${id} that it did not hold`);
  return edits;
}

/** What stands for the first part of `rest`: the first given one where it took its place, nothing where it was left out. */
function changed(whose: string, id: string, rest: readonly Part[], given: Part[]): readonly Part[] {
  const now = rest[0]!;
  if (given[0] && isPlaceOf(rest, given)) return contentOf(whose, id, now, given.shift()!);
  if (now.type === 'tool-call' || now.type === 'tool-result')
    throw new IllegalList(
      whose,
      `takes the ${now.type} ${now.callId} out of ${id}; it leaves with its whole step`,
    );
  return [];
}

/** Of several parts that an earlier edit put in the place of one, those that are still there. */
function thinned(now: readonly Part[], given: Part[]): readonly Part[] {
  return now.filter((part) => {
    const stays = given[0] !== undefined && samePart(part, given[0]);
    if (stays) given.shift();
    return stays;
  });
}

/** Whether the first given part is what became of the first one shown, where others may have been left out before it. */
function isPlaceOf(rest: readonly Part[], given: readonly Part[]): boolean {
  const [now, then] = [rest[0]!, given[0]!];
  if (now.type !== then.type) return false;
  if (now.type === 'tool-call' || now.type === 'tool-result')
    return now.callId === (then as typeof now).callId;
  // Of two texts, of which one was left out, the one with the same words is the one that stayed.
  const ofType = (parts: readonly Part[]): number => parts.filter(({ type }) => type === now.type).length;
  return ofType(given) >= ofType(rest);
}

/** What a replace puts into the place of a part. */
function contentOf(whose: string, id: string, now: Part, given: Part): readonly Part[] {
  if (now.type === 'tool-result' && given.type === 'tool-result')
    return given.content.map((inner) => innerOf(whose, id, now.content, inner));
  if (now.type === 'tool-call' && given.type === 'tool-call') {
    if (now.name !== given.name)
      throw new IllegalList(whose, `gives the call ${given.callId} of ${id} another tool`);
    return [{ type: 'text', text: given.arguments }];
  }
  return [innerOf(whose, id, [now], given)];
}

/** Text of its own, without what a format had kept of the old one; or a file that stood there already. */
function innerOf(whose: string, id: string, before: readonly Part[], given: Part): Part {
  const known = before.find((part) => samePart(part, given));
  if (known) return known;
  if (given.type === 'text') return textPart(given);
  throw new IllegalList(whose, `changes a ${given.type} of ${id}; it stays as it is or goes as a whole`);
}

/** A text as it is written anew: what a format kept of another one would be sent in its place. */
export function textPart({ text }: TextPart): TextPart {
  return { type: 'text', text };
}
