import type { PlannedEdit, Projection } from '../transcript/index.js';
import type { Thread } from './thread.js';

/** Ids of what an edit took from the view. */
export type GivenWay = (edit: PlannedEdit) => readonly string[];

/**
 * What the edits of a plan took from the view: of a span every message that stood there, earlier summaries too; pins stay
 * and are none of them. Asked when the thread holds the view after the plan.
 */
export function givenWayOf(before: Projection, { log, projection }: Thread): GivenWay {
  const stands = new Set(projection.view.flatMap(({ source }) => (source ? [source.id] : [])));
  return (edit) => {
    if (edit.kind === 'replace') return [edit.messageId];
    const [first, last] = [log.find(edit.fromId)!.seq, log.find(edit.toId)!.seq];
    const spanned = before.view.filter(({ from, to }) => from >= first && to <= last);
    return spanned.flatMap(({ source, message }) => (source && stands.has(source.id) ? [] : [message.id]));
  };
}
