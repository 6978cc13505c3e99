import { thrownText } from '../errors/index.js';
import {
  contextOf,
  editsOfList,
  IllegalList,
  standingIn,
  type CompactorResult,
  type ContextMessage,
  type Standing,
} from '../spi/index.js';
import { atOnce, listFrom, type Edit, type Message } from '../transcript/index.js';
import { RunDraft, type RunInput } from './draft.js';
import { PIPELINE_STEPS } from './policy.js';

/** A compactor's result as edits of a view. */
export interface Delegated {
  /** The plugin's name. */
  readonly plugin: string;
  readonly edits: readonly Edit[];
}

/** The list of messages that a compactor receives. */
export function listFor(input: RunInput): readonly ContextMessage[] {
  return contextOf(standingIn(new RunDraft(input).view));
}

/** The edits of a compactor's list, or the rules that it breaks: a list is accepted as a whole or not at all. */
export function readDelegated(
  plugin: string,
  result: unknown,
  input: RunInput,
): { readonly delegated: Delegated } | { readonly fault: string } {
  try {
    const draft = new RunDraft(input);
    const standing = standingIn(draft.view);
    const whose = `compactor ${plugin}`;
    const list = listOf(standing, result as CompactorResult);
    const { superseded, summary } = result as CompactorResult;
    if (superseded !== undefined) checkSuperseded(standing, list, superseded, whose);
    const edits = editsOfList(draft.view, list, { whose, reason: reasonOf(plugin, summary) });
    atOnce(draft.step(PIPELINE_STEPS.delegate, 0, () => edits));
    const faults = draft.outcomes.flatMap((outcome) => outcome.faults);
    if (faults.length > 0) return { fault: faults.map(({ message }) => message).join('; ') };
    return { delegated: { plugin, edits } };
  } catch (error) {
    return { fault: thrownText(error) };
  }
}

/** A list of superseded ids must be complete and correct. */
function checkSuperseded(
  standing: readonly Standing[],
  list: readonly Message[],
  superseded: unknown,
  whose: string,
): void {
  if (!Array.isArray(superseded)) throw new IllegalList(whose, 'names no list of superseded ids');
  const stays = new Set<unknown>(list.map(({ id }) => id));
  const supersededIds = new Set<unknown>(listFrom(superseded));
  const known = new Set<unknown>(standing.map(({ message }) => message.id));
  for (const id of supersededIds) {
    if (!known.has(id)) throw new IllegalList(whose, `supersedes ${String(id)}, which is not in view`);
    if (stays.has(id)) throw new IllegalList(whose, `supersedes ${String(id)} and keeps it`);
  }
  for (const { message, exchange } of standing)
    if (!stays.has(message.id) && !supersededIds.has(message.id) && exchange.protection !== 'pinned')
      throw new IllegalList(whose, `leaves ${message.id} out without superseding it`);
}

const MAX_REASON_CHARS = 300;

function reasonOf(plugin: string, summary: unknown): string {
  const said = typeof summary === 'string' ? summary.trim().slice(0, MAX_REASON_CHARS) : '';
  return said === '' ? `compacted by ${plugin}` : `${plugin}: ${said}`;
}

/** The messages of a result: an id alone names a known message, and a text becomes a message. */
function listOf(standing: readonly Standing[], result: CompactorResult): readonly Message[] {
  const given: unknown = (result as CompactorResult | null | undefined)?.messages;
  if (!Array.isArray(given)) throw new TypeError('returned no { messages }');
  const known = new Map(standing.map(({ message }) => [message.id, message]));
  // `editsOfList` checks the length of the list against the view.
  return listFrom(given).map((item): Message => {
    const one = item as Partial<Message & { readonly text: string }> | null;
    if (typeof one !== 'object' || one === null)
      throw new TypeError('returned a list with what is no message');
    const { id, text, parts } = one;
    const stays = id !== undefined && parts === undefined && text === undefined ? known.get(id) : undefined;
    if (stays) return stays;
    if (parts === undefined && typeof text === 'string')
      return { ...(id !== undefined && { id }), ...SUMMARY, parts: [{ type: 'text', text }] } as Message;
    if (parts === undefined) throw new TypeError(`names ${String(id)}, which is not in view`);
    return one as Message;
  });
}

const SUMMARY = { role: 'assistant', origin: 'synthetic', label: 'summary' } as const;
