import type { Part, Replace, TextPart } from '../../transcript/index.js';
import { shownParts } from '../tools/index.js';
import { samePart, sameParts, type Standing, IllegalList } from './context.js';

/** The replaces that turn a message in view into the list's message with the same id. */
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
    const content = now.length === 1 ? changedContent(whose, id, rest, given) : keptParts(now, given);
    rest.splice(0, now.length);
    edits.push({ kind: 'replace', messageId: id, partIndex: index, content, reason });
  }
  if (given[0]) throw new IllegalList(whose, `puts a ${given[0].type} into ${id} that it did not hold`);
  return edits;
}

/** Replaces the first part of `rest`: by the first given part if that takes its place, by nothing if it left. */
function changedContent(whose: string, id: string, rest: readonly Part[], given: Part[]): readonly Part[] {
  const now = rest[0]!;
  if (given[0] && isNewFormOf(rest, given)) return contentOf(whose, id, now, given.shift()!);
  if (now.type === 'tool-call' || now.type === 'tool-result')
    throw new IllegalList(
      whose,
      `removes the ${now.type} ${now.callId} from ${id}; it can only be removed with its complete step`,
    );
  return [];
}

/** The parts that remain of several parts by which an earlier edit replaced one. */
function keptParts(now: readonly Part[], given: Part[]): readonly Part[] {
  return now.filter((part) => {
    const stays = given[0] !== undefined && samePart(part, given[0]);
    if (stays) given.shift();
    return stays;
  });
}

/** Whether the first given part is the new form of the first shown part; parts before it may have been left out. */
function isNewFormOf(rest: readonly Part[], given: readonly Part[]): boolean {
  const [now, then] = [rest[0]!, given[0]!];
  if (now.type !== then.type) return false;
  if (now.type === 'tool-call' || now.type === 'tool-result')
    return now.callId === (then as typeof now).callId;
  // If one of two texts was left out, the equal text is the one that stayed.
  const ofType = (parts: readonly Part[]): number => parts.filter(({ type }) => type === now.type).length;
  return ofType(given) >= ofType(rest);
}

/** The content of a replace. */
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

/** A new text without the old `wire`, or a file that was already in the part. */
function innerOf(whose: string, id: string, before: readonly Part[], given: Part): Part {
  const known = before.find((part) => samePart(part, given));
  if (known) return known;
  if (given.type === 'text') return textPart(given);
  throw new IllegalList(whose, `changes a ${given.type} of ${id}; it can only be kept as it is or removed`);
}

/** A rewritten text, without `wire`: that of the old text would be sent instead of the new one. */
export function textPart({ text }: TextPart): TextPart {
  return { type: 'text', text };
}
