import type { RequestWriter, Serialised } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { endOfStep } from '../steps/index.js';
import { carriedBy, FORMAT } from './wire.js';
import { writeStep, type Request } from './step.js';

/**
 * A compacted view starts a new chain: the server would put its own copy of the old items before it, so the fields that
 * name them stand in `beside` as undefined, which takes them out of the body.
 */
const NEW_CHAIN = { previous_response_id: undefined, conversation: undefined };

export function serialise(view: readonly ViewMessage[]): Serialised {
  const compacted = view.some(({ made, replaced }) => made !== undefined || (replaced?.size ?? 0) > 0);
  const request: Request = {
    items: [],
    notices: [],
    instructions: undefined,
    callIds: new Set(),
    itemIds: new Set(),
    calls: new Map(),
    programs: new Set(),
    heldByServer: !compacted || view.some(holdsReference),
  };
  for (let from = 0; from < view.length;) {
    const to = endOfStep(view, from);
    writeStep(view, from, to, request);
    from = to;
  }
  const { items, notices, instructions } = request;
  if (compacted && view.some(({ message }) => message.wireFormat === FORMAT)) {
    const what = 'a new chain: previous_response_id and conversation are not sent, they name the old items';
    notices.push({ at: 'request', kind: 'new-chain', what });
  }
  const beside = {
    ...(instructions === undefined ? {} : { instructions }),
    ...(compacted ? NEW_CHAIN : {}),
  };
  return { messages: items, notices, ...(Object.keys(beside).length > 0 ? { beside } : {}) };
}

/** Redoes the view, which the window bounds; drafts of messages that did not change are kept. */
export function createWriter(): RequestWriter {
  return { write: (view) => serialise(view) };
}

function holdsReference({ message, source }: ViewMessage): boolean {
  return carriedBy(source ?? message)?.items?.some(({ type }) => type === 'item_reference') ?? false;
}
