import type { Notice, Serialised } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { wellFormed } from '../conversation/drafts.js';
import { interruptedCalls, type PairedStep, pairedSteps, type WaitingCall } from '../conversation/pairing.js';
import { OPENING_TURN, MIDWAY_SYSTEM, NO_RESULT, EMPTY_TURN } from '../conversation/placeholders.js';
import { reporter, REPAIRS } from '../conversation/repairs.js';
import { isFields, isSet, isText } from '../record.js';
import { type Draft, type DraftCall, draftOf, type DraftResult } from './draft.js';
import { carriedBy, type Content, keyOf, type WirePart } from './wire.js';

/** Texts for turns that the wire needs and the log lacks. Models read them: they are plain, labelled, and final. */

/** Sent between two turns of the model and after the last one: the same text in both, so that requests only grow. */
const CONTINUE = '[Continue.]';

/** Sent between results and the user's next words: newer models accept no words next to results. */
const AFTER_RESULTS = '[The results are in; the user speaks first.]';

export function serialise(view: readonly ViewMessage[]): Serialised {
  const request: Request = { contents: [], notices: [] };
  const beside = systemOf(view, request);
  const first = view.findIndex(({ message }) => message.role !== 'system');
  const spoken = first < 0 ? [] : view.slice(first);
  for (const step of pairedSteps(spoken.map(draftOf), request.notices)) writeStep(step, request);
  const { contents, notices } = request;
  endWithUser(view, request);
  return { messages: contents, notices, ...(beside ? { beside } : {}) };
}

/** The leading system messages as the body's system prompt: the very object if there is only one, not edited. */
function systemOf(view: readonly ViewMessage[], { notices }: Request): Record<string, unknown> | undefined {
  const length = view.findIndex(({ message }) => message.role !== 'system');
  const leading = view.slice(0, length < 0 ? view.length : length);
  const carried = leading.map(carriedBy);
  const field = carried.find((one) => one?.field)?.field ?? 'systemInstruction';
  const drafts = leading.map(draftOf);
  for (const draft of drafts) notices.push(...draft.notices);
  const only = carried[0]?.system;
  const isUntouched = (leading[0]?.replaced?.size ?? 0) === 0 && drafts[0]?.notices.length === 0;
  if (leading.length === 1 && only !== undefined && isUntouched) return { [field]: only };
  const parts = drafts.flatMap((draft) => draft.parts);
  return parts.length > 0 ? { [field]: { parts } } : undefined;
}

/** Newer models refuse a request that ends with a model turn; an open session may end with calls that await results. */
function endWithUser(view: readonly ViewMessage[], { contents, notices }: Request): void {
  const last = view.at(-1);
  if (!last) return;
  if (contents.length === 0) {
    contents.push(userTurn(OPENING_TURN));
    return;
  }
  if (contents.at(-1)?.role !== 'model' || draftOf(last).calls.length > 0) return;
  reporter(last.message.id, notices)('ends-with-assistant', REPAIRS.endsWithAssistant);
  contents.push(userTurn(CONTINUE));
}

/** One request while it is built. */
interface Request {
  readonly contents: Content[];
  readonly notices: Notice[];
}

type Step = PairedStep<Draft>;
/** The results of a step by the call that each answers. */
type Results = ReadonlyMap<WaitingCall<DraftCall>, DraftResult>;

/** The parts that a message adds to the user's turn; the very turn it came in, if that can be sent. */
interface Other {
  readonly draft?: Draft;
  readonly parts: readonly WirePart[];
  readonly untouched?: Content;
  readonly places?: readonly number[];
}

/**
 * Writes one step. The results follow as one turn, one for each call and in the calls' order; other content is a
 * separate turn after the results.
 */
function writeStep(step: Step, request: Request): void {
  if (step.head) writeModel(step.head, request);
  const results = new Map<WaitingCall<DraftCall>, DraftResult>();
  for (const { paired } of step.drafts)
    for (const one of paired) if (one.kind === 'matched') results.set(one.waiting, one.answer);
  const spoken = step.drafts.flatMap((one) => otherContent(one, step.head, request));
  const single = singleTurn(step, results);
  const files = single ? [] : step.waiting.flatMap((one) => filesOfResult(one, results.get(one)));
  if (files.length > 0) spoken.unshift({ parts: files });
  // Words that came in the turn of the results stay there, because older models accept this turn as it is.
  const joined = results.size > 0 ? spoken.filter(({ places }) => places) : [];
  const isOver = !step.isLast || spoken.length > 0;
  writeResults(step, results, single, joined, isOver, request);
  const others = spoken.filter((one) => !joined.includes(one) && (!single || one.draft !== single));
  writeUser(others, request, step.waiting.length > 0);
}

/** A message's content in addition to the results for the step's calls. */
function otherContent(
  { draft, paired }: Step['drafts'][number],
  head: Draft | undefined,
  request: Request,
): Other[] {
  const { parts, answers, untouched, role, places } = draft;
  const strays = paired.flatMap((one) => (one.kind === 'unmatched' ? [labelled(one.label, one.answer)] : []));
  if (draft === head) return strays.length > 0 ? [{ parts: strays }] : [];
  if (role === 'system') {
    reporter(draft.id, request.notices)('midway-instructions', REPAIRS.midway);
    return [{ parts: [{ text: MIDWAY_SYSTEM }, ...parts] }];
  }
  if (places && parts.length > 0) return [{ parts, places, ...(untouched && { untouched }) }];
  if (untouched && answers.length === 0) return [{ parts, untouched }];
  if (parts.length + strays.length > 0) return [{ draft, parts: [...strays, ...parts] }];
  return answers.length > 0 ? [] : [{ parts: [{ text: EMPTY_TURN }] }];
}

function filesOfResult({ call }: WaitingCall<DraftCall>, result: DraftResult | undefined): WirePart[] {
  if (!result || result.media.length === 0) return [];
  const text = `[files of the result of call ${call.callId} to ${call.tool}]`;
  return [wellFormed({ text }), ...result.media];
}

/** Writes the model's turn, with a user turn before it if the wire needs one. */
function writeModel(draft: Draft, { contents, notices }: Request): void {
  const report = reporter(draft.id, notices);
  const parts = draft.parts.length > 0 ? draft.parts : [{ text: EMPTY_TURN }];
  const before = contents.at(-1);
  if (!before) {
    report('begins-with-assistant', REPAIRS.beginsWithAssistant);
    contents.push(userTurn(OPENING_TURN));
  } else if (before.role === 'model' && draft.isReplacement) {
    // Lines that Spillway made may follow one another, because no request was sent between them.
    contents[contents.length - 1] = { ...before, parts: [...(before.parts as readonly unknown[]), ...parts] };
    return;
  } else if (before.role === 'model') {
    report('no-user-between', 'a turn of the user is put between two of the model');
    contents.push(userTurn(CONTINUE));
  }
  contents.push(draft.untouched ?? { role: 'model', parts });
}

const userTurn = (text: string): Content => ({ role: 'user', parts: [{ text }] });

/** The message that has all results in the order of their calls, if it can be sent as the turn it was. */
function singleTurn({ drafts, waiting }: Step, results: Results): Draft | undefined {
  if (waiting.length === 0) return undefined;
  return drafts.find(({ draft: { untouched, answers } }) => {
    if (!untouched || answers.length !== waiting.length) return false;
    return waiting.every((one, i) => results.get(one) === answers[i] && fitsCall(answers[i]!.wire, one.call));
  })?.draft;
}

function fitsCall(wire: WirePart, { wireName, id }: DraftCall): boolean {
  const response = wire[keyOf(wire, 'functionResponse')];
  return isFields(response) && response.name === wireName && (!isSet(response.id) || response.id === id);
}

/** Writes the turn with the results, one for each call; an unanswered call gets its answer here. */
function writeResults(
  step: Step,
  results: Results,
  single: Draft | undefined,
  joined: readonly Other[],
  isOver: boolean,
  { contents, notices }: Request,
): void {
  if (isOver) interruptedCalls(step, notices);
  const parts = step.waiting.flatMap((one): WirePart[] => {
    const { call } = one;
    const result = results.get(one);
    if (result) return [fitsCall(result.wire, call) ? result.wire : withCallName(result.wire, call)];
    return isOver ? [withCallName({ functionResponse: { response: { error: NO_RESULT } } }, call)] : [];
  });
  if (single && joined.length === 0) contents.push(single.untouched!);
  else if (parts.length > 0)
    contents.push(
      mergeTurn(single?.untouched ?? { role: 'user', parts }, joined, !!single && joined.length === 1),
    );
}

/** The turn of the results with the words that came in it: each part at its old index, if none was changed. */
function mergeTurn(content: Content, joined: readonly Other[], keepsPlaces: boolean): Content {
  const parts = [...(content.parts as readonly unknown[])];
  for (const { parts: words, places, untouched } of joined) {
    const at = keepsPlaces && untouched ? places! : [];
    words.forEach((part, i) => parts.splice(at[i] ?? parts.length, 0, part));
  }
  return { ...content, parts };
}

function withCallName(wire: WirePart, { wireName, id }: DraftCall): WirePart {
  const key = keyOf(wire, 'functionResponse');
  const { id: _, name: __, ...rest } = isFields(wire[key]) ? wire[key] : {};
  return { ...wire, [key]: { ...(id === undefined ? {} : { id }), name: wireName, ...rest } };
}

function writeUser(spoken: readonly Other[], { contents, notices }: Request, afterResults: boolean): void {
  if (spoken.length === 0) return;
  const report = reporter('request', notices);
  if (afterResults && contents.at(-1)?.role !== 'model') {
    report('turn-between', 'words behind results follow a turn of the model');
    contents.push({ role: 'model', parts: [{ text: AFTER_RESULTS }] });
  }
  const [first, ...more] = spoken;
  if (more.length === 0) {
    contents.push(first!.untouched ?? { role: 'user', parts: first!.parts });
    return;
  }
  if (spoken.some(({ untouched }) => untouched))
    report('merged-turns', `${spoken.length} turns of the user are sent as one`);
  contents.push({ role: 'user', parts: spoken.flatMap(({ parts }) => parts) });
}

/** A result without a waiting call, as labelled words. */
function labelled(label: string, { texts }: DraftResult): WirePart {
  return { text: [label, ...texts.filter(isText)].join('\n') };
}
