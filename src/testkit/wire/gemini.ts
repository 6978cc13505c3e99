/**
 * The rules of Google for a generateContent request. Written from the wire alone: this file shares no code with what it
 * judges. Both spellings are accepted, camelCase and snake_case.
 *
 * G0 there are contents; each is an object with parts; each part has one content; arguments and responses are objects;
 *    names follow the rule for functions; a text has words (or carries a signature); text can be encoded as UTF-8
 * G1 user and model alternate, the user begins and ends
 * G2 a turn with calls is directly followed by a turn of the user with as many responses, in the same order and of the
 *    same names (and ids, where both have one); no response is anywhere else
 * G3 in a conversation that has signatures, every step of the current turn has one on its first call
 * G4 the system prompt is a text or has parts that are texts
 */

import { z } from 'zod/v4';
import { Faults, object, text, type WireFault, type WireOptions } from './faults.js';
import { asText, asLoose, isEncodable, isLoose, isUnset, listIn, type Loose } from './loose.js';

/** Rules by name. */
export type GeminiRule = 'G0' | 'G1' | 'G2' | 'G3' | 'G4';

/** A rule of the format that a request breaks, and where. */
export type GeminiViolation = WireFault<GeminiRule>;

/** Options of the validator for rules that do not always apply. */
export interface GeminiValidatorOptions extends WireOptions {
  /** Whether the model requires signatures. By default true if the request has any signature. */
  readonly signed?: boolean;
}

type Found = Faults<GeminiRule>;

/** All violations of a body, or of a bare list of contents, in order. Linear in the contents. Never throws. */
export function validateGemini(
  request: unknown,
  { openEnd = true, signed }: GeminiValidatorOptions = {},
): GeminiViolation[] {
  const faults: Found = new Faults();
  const body = inCamelCase(isLoose(request) ? request : { contents: request }, 4) as Loose;
  checkSystem(body.systemInstruction, faults);
  const contents = faults.messages('G0', 0, body.contents);
  contents.forEach((content, at) => checkContent(content, at, faults));
  checkTurns(contents, openEnd, faults);
  checkResponses(contents, openEnd, faults);
  checkSignatures(contents, signed, faults);
  return faults.inOrder;
}

const SYSTEM_PART = z.union([z.string(), z.object({ text: z.string() })]);
const SYSTEM_PARTS = z.union([SYSTEM_PART, z.array(SYSTEM_PART).min(1)], 'no text');

function checkSystem(system: unknown, faults: Found): void {
  if (isUnset(system)) return;
  const isContent = isLoose(system) && 'parts' in system;
  const [shape, said] = isContent ? [SYSTEM_PARTS, system.parts] : [SYSTEM_PART, system];
  faults.demand('G4', 0, shape, said, 'the system prompt');
  if (!isEncodable(system)) faults.add('G0', 0, 'the system prompt holds half a surrogate pair');
}

const CONTENT = z.object({ role: z.enum(['user', 'model', 'function']), parts: z.array(z.unknown()).min(1) });

function checkContent(content: Loose, at: number, faults: Found): void {
  faults.demand('G0', at, CONTENT, content, 'content');
  if (!isEncodable(content)) faults.add('G0', at, 'half a surrogate pair');
  for (const part of listIn(content.parts)) checkPart(asLoose(part), content.role === 'model', at, faults);
}

const named = { name: z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/), id: z.string().nullish() };
const mimeType = z.string().regex(/^[\w.+-]+\/[\w.+-]+$/);

/** A part has exactly one of these, in either spelling; for those that are checked, the content. */
const CONTENT_FIELDS = {
  text: z.unknown(),
  functionCall: z.object({ ...named, args: object.nullish() }),
  functionResponse: z.object({ ...named, response: object }),
  inlineData: z.object({ mimeType, data: text }),
  fileData: z.object({ mimeType: mimeType.nullish(), fileUri: text }),
  executableCode: z.unknown(),
  codeExecutionResult: z.unknown(),
  toolCall: z.unknown(),
  toolResponse: z.unknown(),
} as const;

function checkPart(part: Loose, isFromModel: boolean, at: number, faults: Found): void {
  const found = Object.entries(CONTENT_FIELDS).filter(([name]) => !isUnset(part[name]));
  const signature = part.thoughtSignature ?? undefined;
  faults.demand('G0', at, text.optional(), signature, 'thoughtSignature');
  if (found.length === 0 && signature === undefined) faults.add('G0', at, 'a part that says nothing');
  if (found.length > 1) faults.add('G0', at, `a part that says ${found.map(([name]) => name).join(' and ')}`);
  faults.demand('G0', at, z.string().nullish(), part.text, 'text');
  if (part.text === '' && signature === undefined) faults.add('G0', at, 'a text without words');
  for (const [name, shape] of found) faults.demand('G0', at, shape, part[name], name);
  if (!isFromModel && !isUnset(part.functionCall))
    faults.add('G2', at, 'a call in a turn that is not the model’s');
}

function checkTurns(contents: readonly Loose[], openEnd: boolean, faults: Found): void {
  let before: string | undefined;
  contents.forEach((content, at) => {
    const turn = content.role === 'model' ? 'model' : 'user';
    if (at === 0 && turn === 'model') faults.add('G1', at, 'the model begins');
    if (turn === before) faults.add('G1', at, `two turns of the ${turn} in a row`);
    before = turn;
  });
  const last = contents.at(-1);
  const waits = openEnd && last !== undefined && callsIn(last).length > 0;
  if (before === 'model' && !waits) faults.add('G1', contents.length - 1, 'the model has the last word');
}

function checkResponses(contents: readonly Loose[], openEnd: boolean, faults: Found): void {
  contents.forEach((content, at) => {
    const [before, next] = [contents[at - 1], contents[at + 1]];
    const isFromModel = content.role === 'model';
    const isUnanswered = next ? next.role === 'model' : !openEnd;
    if (isFromModel && isUnanswered && callsIn(content).length > 0)
      faults.add('G2', at, 'calls without responses');
    const calls = !isFromModel && before?.role === 'model' ? callsIn(before) : [];
    const responses = responsesIn(content);
    const mayWait = openEnd && at === contents.length - 1 && responses.length === partsOf(content).length;
    if (responses.length > calls.length)
      faults.add('G2', at, `${responses.length} responses to ${calls.length} calls`);
    if (responses.length < calls.length && !mayWait)
      faults.add('G2', at - 1, `${calls.length} calls get ${responses.length} responses`);
    if (responses.length !== calls.length) return;
    calls.forEach((call, i) => {
      const response = responses[i]!;
      if (call.name !== response.name)
        faults.add('G2', at, `a response of ${asText(response.name)} to a call of ${asText(call.name)}`);
      const bothNamed = !isUnset(call.id) && !isUnset(response.id);
      if (bothNamed && call.id !== response.id)
        faults.add('G2', at, `the response ${asText(response.id)} is out of order`);
    });
  });
}

function checkSignatures(contents: readonly Loose[], signed: boolean | undefined, faults: Found): void {
  const isSigned = (part: Loose): boolean => !isUnset(part.thoughtSignature);
  if (!(signed ?? contents.some((content) => partsOf(content).some(isSigned)))) return;
  // A user turn with more than responses begins a new turn.
  const isUserTurn = (content: Loose): boolean =>
    content.role === 'user' && responsesIn(content).length < partsOf(content).length;
  const from = Math.max(0, contents.findLastIndex(isUserTurn));
  contents.slice(from).forEach((content, i) => {
    const first = partsOf(content).find((part) => !isUnset(part.functionCall));
    if (first && !isSigned(first)) faults.add('G3', from + i, 'the first call of this step has no signature');
  });
}

const partsOf = ({ parts }: Loose): readonly Loose[] => listIn(parts).filter(isLoose);
const callsIn = (content: Loose): readonly Loose[] =>
  partsOf(content)
    .map((part) => part.functionCall)
    .filter(isLoose);
const responsesIn = (content: Loose): readonly Loose[] =>
  partsOf(content)
    .map((part) => part.functionResponse)
    .filter(isLoose);

/** Renames fields to camelCase, `depth` objects deep: either spelling is accepted. No list of lists has fields. */
function inCamelCase(value: unknown, depth: number): unknown {
  if (Array.isArray(value))
    return value.map((one: unknown) => (Array.isArray(one) ? one : inCamelCase(one, depth)));
  if (!isLoose(value) || depth === 0) return value;
  const camelCase = (key: string): string =>
    key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [camelCase(key), inCamelCase(inner, depth - 1)]),
  );
}
