import type { Serialised } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { BEGINS } from '../conversation/placeholders.js';
import { pairedSteps } from '../conversation/pairing.js';
import { reporter, SAID } from '../conversation/repairs.js';
import { draftOf, type Draft } from './draft.js';
import type { DraftCall, DraftResult } from './wire-form.js';
import { GOES_ON } from './placeholders.js';
import { userTurn, writeStep, type Request } from './write-step.js';
import { carriedBy } from './wire.js';

export function serialise(view: readonly ViewMessage[]): Serialised {
  const request: Request = { contents: [], notices: [] };
  const beside = systemOf(view, request);
  const first = view.findIndex(({ message }) => message.role !== 'system');
  const spoken = first < 0 ? [] : view.slice(first);
  for (const step of pairedSteps<DraftCall, DraftResult, Draft>(spoken.map(draftOf), request.notices))
    writeStep(step, request);
  const { contents, notices } = request;
  endWithUser(view, request);
  return { messages: contents, notices, ...(beside ? { beside } : {}) };
}

/** System messages before anything else is said, as the body's system prompt: the very object where it is alone. */
function systemOf(view: readonly ViewMessage[], { notices }: Request): Record<string, unknown> | undefined {
  const length = view.findIndex(({ message }) => message.role !== 'system');
  const leading = view.slice(0, length < 0 ? view.length : length);
  const carried = leading.map(({ message, source, made }) =>
    made ? undefined : carriedBy(source ?? message),
  );
  const field = carried.find((one) => one?.field)?.field ?? 'systemInstruction';
  const drafts = leading.map(draftOf);
  for (const draft of drafts) notices.push(...draft.notices);
  const only = carried[0]?.system;
  const isUntouched = (leading[0]?.replaced?.size ?? 0) === 0 && drafts[0]?.notices.length === 0;
  if (leading.length === 1 && only !== undefined && isUntouched) return { [field]: only };
  const parts = drafts.flatMap((draft) => draft.parts);
  return parts.length > 0 ? { [field]: { parts } } : undefined;
}

/** Newer models refuse a request that ends with their own turn; calls that wait for results end a session in progress. */
function endWithUser(view: readonly ViewMessage[], { contents, notices }: Request): void {
  const last = view.at(-1);
  if (!last) return;
  if (contents.length === 0) {
    contents.push(userTurn(BEGINS));
    return;
  }
  if (contents.at(-1)?.role !== 'model' || draftOf(last).calls.length > 0) return;
  reporter(last.message.id, notices)('ends-with-assistant', SAID.endsWithAssistant);
  contents.push(userTurn(GOES_ON));
}
