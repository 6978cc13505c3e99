import { listFrom, spanHandle, type Edit, type Message, type Part } from '../../transcript/index.js';
import { sameParts, standingIn, type Standing, IllegalList } from './context.js';
import { partChanges, textPart } from './part-changes.js';
import type { TranscriptView } from '../view.js';

/** The author of a list, and the reason of its edits. */
export interface ListOrigin {
  /** The name in a fault: `reducer window`. */
  readonly whose: string;
  /** Shown to operators with every edit. */
  readonly reason: string;
}

/**
 * The edits that turn a view into a list of messages. Messages are compared by id: one supersede for each removed run,
 * with the new messages in its place, and one replace for each changed part. Throws `IllegalList` if such edits cannot
 * make the list: another order, a repeated id, another role, a message added where none was removed. The guard judges
 * later whether an edit touches protected content.
 */
export function editsOfList(view: TranscriptView, list: readonly Message[], origin: ListOrigin): Edit[] {
  const standing = standingIn(view);
  const places = new Map(standing.map(({ message }, index) => [message.id, index]));
  const request = standing.find((one) => isPin(one) && one.message.role === 'user');
  const edits: Edit[] = [];
  const seen = new Set<string>();
  let added: Message[] = [];
  let last = -1;
  let from = 0;
  const close = (until: number): void => {
    edits.push(...gapEdits(standing.slice(from, until), added, standing[from - 1], { ...origin, request }));
    added = [];
    from = until + 1;
  };
  for (const [index, message] of messagesOf(list, origin.whose, standing.length).entries()) {
    const { id } = message;
    if (id !== undefined && seen.has(id)) throw new IllegalList(origin.whose, `holds ${id} twice`);
    seen.add(id);
    const place = places.get(id);
    const known = place === undefined ? undefined : standing[place];
    if (place === undefined || !known || isRewritten(known, message)) {
      added.push(newMessage(message, index, origin.whose));
      continue;
    }
    if (place <= last)
      throw new IllegalList(origin.whose, `puts ${id} after ${standing[last]!.message.id}, which is newer`);
    if (known.message.role !== message.role)
      throw new IllegalList(
        origin.whose,
        `makes ${id}, a ${known.message.role} message, one of ${message.role}`,
      );
    // A pin between a call and its result ends no gap: it stays even if everything around it leaves.
    if (!isPin(known) || known.block.pinned) close(place);
    last = place;
    if (!sameParts(known.message.parts, message.parts))
      edits.push(...partChanges(origin.whose, known, message.parts, origin.reason));
  }
  close(standing.length);
  return edits;
}

/** A replacement is no message of the log: with another text it is another message. */
function isRewritten({ exchange, message }: Standing, given: Message): boolean {
  return exchange.kind === 'replacement' && !sameParts(message.parts, given.parts);
}

/** The list as messages; throws at the first item that is none. Its length is checked before anything is compared. */
function messagesOf(given: unknown, whose: string, standing: number): readonly Message[] {
  let list: unknown[];
  try {
    // New messages replace removed ones: a list may keep all messages and add as many, or a few more for a short view.
    list = listFrom(given, 2 * standing + 16);
  } catch (cause) {
    const what = Array.isArray(given) ? (cause as Error).message : `${kindOf(given)} in the place of a list`;
    throw new IllegalList(whose, `returned ${what}`);
  }
  for (const [index, one] of list.entries()) {
    const { role, parts } = (one ?? {}) as Partial<Message>;
    if (typeof role !== 'string' || !Array.isArray(parts))
      throw new IllegalList(whose, `returned no message at ${index}: role and parts are missing`);
    if (!parts.every(isPart))
      throw new IllegalList(whose, `returned a message at ${index} with what is no part`);
  }
  return list as Message[];
}

function isPart(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false;
  const { type, text, content } = part as { readonly type?: unknown; text?: unknown; content?: unknown };
  if (type === 'text' || type === 'reasoning') return typeof text === 'string';
  return type === 'tool-result' ? Array.isArray(content) && content.every(isPart) : typeof type === 'string';
}

export function kindOf(value: unknown): string {
  if (value instanceof Promise) return 'a promise';
  return value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value;
}

/** A message that the list adds, as a replacement of others. */
function newMessage(given: Message, index: number, whose: string): Message {
  const { id, role, origin, label, name } = given;
  const parts = given.parts.map((part): Part => (part.type === 'text' ? textPart(part) : part));
  const named = name !== undefined && { name };
  if (role === 'assistant')
    return { id, role, origin: 'synthetic', label: label ?? 'summary', parts, ...named };
  if (role !== 'user' && role !== 'system')
    throw new IllegalList(
      whose,
      `brings in a ${role} message at ${index}; what is new speaks as the assistant`,
    );
  return { id, role, origin: origin ?? role, parts, ...named };
}

/** A supersede for the messages that left between two messages that stay. */
function gapEdits(
  removed: readonly Standing[],
  added: readonly Message[],
  before: Standing | undefined,
  { whose, reason, request }: ListOrigin & { readonly request: Standing | undefined },
): Edit[] {
  for (const { exchange, message } of removed)
    if (exchange.kind === 'replacement' && !exchange.messages.every((one) => contains(removed, one.message)))
      throw new IllegalList(whose, `leaves ${message.id} out and keeps another message of the same span`);
  const runs = runsOf(removed, request);
  const run = runs.at(-1);
  if (!run) {
    if (added.length === 0) return [];
    const where = before ? `after ${before.message.id}` : 'at the beginning';
    throw new IllegalList(whose, `adds a message ${where}, where no message left that it could replace`);
  }
  return runs.map((span): Edit => {
    const fromId = edgeOf(span[0]!).fromId;
    const toId = edgeOf(span.at(-1)!).toId;
    const replacement = span === run ? added.map((message, i) => named(message, fromId, toId, i)) : [];
    return { kind: 'supersede', fromId, toId, replacement, reason };
  });
}

const contains = (left: readonly Standing[], message: Message): boolean =>
  left.some((one) => one.message === message);

/** The id comes from the sources, so that the same span gives the same bytes in every run. */
function named(message: Message, fromId: string, toId: string, index: number): Message {
  if (typeof message.id === 'string' && message.id !== '') return message;
  return { ...message, id: `summary:${spanHandle(fromId, toId)}${index === 0 ? '' : `:${index}`}` };
}

/**
 * Runs of removed messages, without the pins at their ends: pins stay in any case, those inside as holes. No run
 * extends over the session's first request, or the model would read it after the summary of the work on it.
 */
function runsOf(left: readonly Standing[], request: Standing | undefined): Standing[][] {
  const runs: Standing[][] = [[]];
  for (const one of left) {
    if (one === request) runs.push([]);
    else runs.at(-1)!.push(one);
  }
  return runs.map(withoutOuterPins).filter((run) => run.length > 0);
}

function withoutOuterPins(run: readonly Standing[]): Standing[] {
  const first = run.findIndex((one) => !isPin(one));
  return first < 0 ? [] : run.slice(first, run.findLastIndex((one) => !isPin(one)) + 1);
}

const isPin = ({ exchange }: Standing): boolean => exchange.protection === 'pinned';

/** The log ids of a message. One message of an exchange is named alone, so that the guard refuses the edit. */
function edgeOf({ exchange, message }: Standing): { readonly fromId: string; readonly toId: string } {
  return exchange.kind === 'replacement' ? exchange : { fromId: message.id, toId: message.id };
}
