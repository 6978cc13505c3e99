import type { Notice } from '../../spi/index.js';
import { interrupted, type PairedStep, type Waiting } from '../conversation/pairing.js';
import { BEGINS, NO_RESULT, NOTHING_SAID } from '../conversation/placeholders.js';
import { reporter, SAID } from '../conversation/repairs.js';
import { wellFormed } from '../conversation/well-formed.js';
import { isFields } from '../record.js';
import type { Draft } from './draft.js';
import type { DraftCall, DraftResult } from './wire-form.js';
import { midwaySystem } from './from-other-format.js';
import { filesOf, GOES_ON, WAITS } from './placeholders.js';
import { keyOf, type Content, type WirePart } from './wire.js';

/** One request as it grows. */
export interface Request {
  readonly contents: Content[];
  readonly notices: Notice[];
}

type Step = PairedStep<Draft, DraftCall, DraftResult>;
/** The results of a step by the call that each answers. */
type Results = ReadonlyMap<Waiting<DraftCall>, DraftResult>;

/** What a message adds to the user's turn; the very turn it came in, where it can go out as that. */
interface Spoken {
  readonly by?: Draft;
  readonly parts: readonly WirePart[];
  readonly untouched?: Content;
}

/**
 * Writes one step. The results follow as one turn, as many as there are calls and in their order; what else was said is
 * a turn of its own behind it.
 */
export function writeStep(step: Step, request: Request): void {
  if (step.head) writeModel(step.head, request);
  const results = new Map<Waiting<DraftCall>, DraftResult>();
  for (const { paired } of step.drafts)
    for (const one of paired) if (one.kind === 'matched') results.set(one.waiting, one.answer);
  const spoken = step.drafts.flatMap((one) => speak(one, step.head, request));
  const brought = broughtByOne(step, results);
  const files = brought ? [] : step.waiting.flatMap((one) => filesOfResult(one, results.get(one)));
  if (files.length > 0) spoken.unshift({ parts: files });
  writeResults(step, results, brought, !step.isLast || spoken.length > 0, request);
  // Words that stand in the very turn of the results stay there: older models take it as it is.
  writeUser(brought ? spoken.filter(({ by }) => by !== brought) : spoken, request, step.waiting.length > 0);
}

/** What one message says besides the results that belong to the step's calls. */
function speak(
  { draft, paired }: Step['drafts'][number],
  head: Draft | undefined,
  request: Request,
): Spoken[] {
  const { parts, answers, untouched, role } = draft;
  const strays = paired.flatMap((one) => (one.kind === 'unmatched' ? [labelled(one.label, one.answer)] : []));
  if (draft === head) return strays.length > 0 ? [{ parts: strays }] : [];
  if (role === 'system') return [{ parts: midway(parts, draft.id, request) }];
  if (untouched && answers.length === 0) return [{ parts, untouched }];
  if (parts.length + strays.length > 0) return [{ by: draft, parts: [...strays, ...parts] }];
  return answers.length > 0 ? [] : [{ parts: [{ text: NOTHING_SAID }] }];
}

function filesOfResult({ call }: Waiting<DraftCall>, result: DraftResult | undefined): WirePart[] {
  if (!result || result.media.length === 0) return [];
  return [wellFormed({ text: filesOf(call.callId, call.tool) }), ...result.media];
}

/** The model's turn, with a user's turn before it where the wire wants one. */
function writeModel(draft: Draft, { contents, notices }: Request): void {
  const report = reporter(draft.id, notices);
  const parts = draft.parts.length > 0 ? draft.parts : [{ text: NOTHING_SAID }];
  const before = contents.at(-1);
  if (!before) {
    report('begins-with-assistant', SAID.beginsWithAssistant);
    contents.push(userTurn(BEGINS));
  } else if (before.role === 'model' && draft.made) {
    // Our own lines follow one another: no request was sent between them.
    contents[contents.length - 1] = { ...before, parts: [...(before.parts as readonly unknown[]), ...parts] };
    return;
  } else if (before.role === 'model') {
    report('no-user-between', 'a turn of the user is put between two of the model');
    contents.push(userTurn(GOES_ON));
  }
  contents.push(draft.untouched ?? { role: 'model', parts });
}

export function userTurn(text: string): Content {
  return { role: 'user', parts: [{ text }] };
}

/** The one message that brings all results in the order of their calls, where it can go out as the turn it was. */
function broughtByOne({ drafts, waiting }: Step, results: Results): Draft | undefined {
  if (waiting.length === 0) return undefined;
  return drafts.find(({ draft: { untouched, answers } }) => {
    if (!untouched || answers.length !== waiting.length) return false;
    return waiting.every((one, i) => results.get(one) === answers[i] && fitsCall(answers[i]!.wire, one.call));
  })?.draft;
}

function fitsCall(wire: WirePart, { wireName, id }: DraftCall): boolean {
  const response = wire[keyOf(wire, 'functionResponse')];
  return (
    isFields(response) && response.name === wireName && (response.id === undefined || response.id === id)
  );
}

/** The turn with the results, one for each call; a call that nothing answers gets its answer here. */
function writeResults(
  step: Step,
  results: Results,
  brought: Draft | undefined,
  isOver: boolean,
  { contents, notices }: Request,
): void {
  if (isOver) interrupted(step, notices);
  const parts = step.waiting.flatMap((one): WirePart[] => {
    const { call } = one;
    const result = results.get(one);
    if (result) return [fitsCall(result.wire, call) ? result.wire : namedAs(result.wire, call)];
    return isOver ? [namedAs({ functionResponse: { response: { error: NO_RESULT } } }, call)] : [];
  });
  if (brought) contents.push(brought.untouched!);
  else if (parts.length > 0) contents.push({ role: 'user', parts });
}

function namedAs(wire: WirePart, { wireName, id }: DraftCall): WirePart {
  const key = keyOf(wire, 'functionResponse');
  const { id: _, name: __, ...rest } = isFields(wire[key]) ? wire[key] : {};
  return { ...wire, [key]: { ...(id === undefined ? {} : { id }), name: wireName, ...rest } };
}

function writeUser(spoken: readonly Spoken[], { contents, notices }: Request, behindResults: boolean): void {
  if (spoken.length === 0) return;
  if (behindResults && contents.at(-1)?.role !== 'model') {
    notices.push({
      at: 'request',
      kind: 'turn-between',
      what: 'words behind results follow a turn of the model',
    });
    contents.push({ role: 'model', parts: [{ text: WAITS }] });
  }
  const [first, ...more] = spoken;
  if (more.length === 0) {
    contents.push(first!.untouched ?? { role: 'user', parts: first!.parts });
    return;
  }
  if (spoken.some(({ untouched }) => untouched)) {
    notices.push({
      at: 'request',
      kind: 'merged-turns',
      what: `${spoken.length} turns of the user are sent as one`,
    });
  }
  contents.push({ role: 'user', parts: spoken.flatMap(({ parts }) => parts) });
}

function midway(parts: readonly WirePart[], at: string, { notices }: Request): readonly WirePart[] {
  reporter(at, notices)('midway-instructions', SAID.midway);
  return midwaySystem(parts);
}

/** A result that no waiting call wants, as words that say what it is. */
function labelled(label: string, { part, wire }: DraftResult): WirePart {
  const response = wire[keyOf(wire, 'functionResponse')];
  const words = part.content
    .map((inner) => (inner.type === 'text' ? inner.text : ''))
    .filter((text) => text !== '');
  return wellFormed({ text: [label, ...(words.length > 0 || !isFields(response) ? words : [])].join('\n') });
}
