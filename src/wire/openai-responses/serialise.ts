import type { Serialised } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { pairedSteps } from '../conversation/pairing.js';
import { draftOf, type Draft } from './draft.js';
import type { DraftCall, DraftResult } from './wire-form.js';
import { carriedBy, FORMAT } from './wire.js';
import { writeStep, type Request } from './write-step.js';

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
    programs: new Set(),
    heldByServer: !compacted || view.some(holdsReference),
  };
  const { items, notices, heldByServer } = request;
  const drafts = view.map(draftOf).map((draft) => (heldByServer ? draft : alone(draft)));
  for (const step of pairedSteps<DraftCall, DraftResult, Draft>(drafts, notices)) writeStep(step, request);
  const { instructions } = request;
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

function holdsReference({ message, source }: ViewMessage): boolean {
  return carriedBy(source ?? message)?.items?.some(({ type }) => type === 'item_reference') ?? false;
}

/** Of a new chain the server holds nothing: a result whose call is not here is nobody's. */
function alone(draft: Draft): Draft {
  if (!draft.answers.some(({ elsewhere }) => elsewhere)) return draft;
  return { ...draft, answers: draft.answers.map(({ elsewhere: _, ...answer }) => answer) };
}
