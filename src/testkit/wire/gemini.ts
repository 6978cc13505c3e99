/**
 * The rules that Google holds a generateContent request to. Written from the wire alone: it shares no code with what it
 * judges. Both spellings are taken, camelCase and snake_case.
 *
 * G0 there are contents; every one is an object with parts; every part says one thing; arguments and responses are objects; names follow
 *    the rule for functions; a text has words (or carries a signature); text can be encoded as UTF-8
 * G1 user and model alternate, the user begins and ends
 * G2 a turn with calls is followed at once by a turn of the user with as many responses, in the same order and of the
 *    same names (and ids, where both have one); no response stands anywhere else
 * G3 in a conversation that has signatures, every step of the current turn has one on its first call
 * G4 the system prompt is a text or has parts that are texts
 */

import { isEncodable, isLoose, type Loose } from './loose.js';

/** Rules by name. */
export type GeminiRule = 'G0' | 'G1' | 'G2' | 'G3' | 'G4';

/** A rule of the format that a request breaks, and where. */
export interface GeminiViolation {
  readonly rule: GeminiRule;
  /** Index of the content at fault; for a missing response, of its call; 0 for the body. */
  readonly at: number;
  readonly what: string;
}

/** What is to be held beside the rules that always hold. */
export interface GeminiValidatorOptions {
  /** Whether the list may end in calls that wait for their responses, as a session in progress does. Default true. */
  readonly openEnd?: boolean;
  /** Whether the model asks for signatures. By default it is told from the request: any signature in it. */
  readonly signed?: boolean;
}

type Complain = (rule: GeminiRule, at: number, what: string) => void;

/** All violations of a body, or of a bare list of contents, in order. Linear in the contents. Never throws. */
export function validateGemini(request: unknown, options: GeminiValidatorOptions = {}): GeminiViolation[] {
  const found: GeminiViolation[] = [];
  const complain: Complain = (rule, at, what) => void found.push({ rule, at, what });
  const body: Loose = isLoose(request) ? request : { contents: request };
  checkSystem(either(body, 'systemInstruction'), complain);
  if (!Array.isArray(body.contents)) {
    complain('G0', 0, 'the contents are no list');
    return found;
  }
  if (body.contents.length === 0) complain('G0', 0, 'there is no content');
  const contents = body.contents.map((content: unknown) => (isLoose(content) ? content : {}));
  contents.forEach((content, at) => checkContent(content, at, complain));
  checkTurns(contents, options.openEnd !== false, complain);
  checkResponses(contents, options.openEnd !== false, complain);
  checkSignatures(contents, options.signed, complain);
  return found.sort((a, b) => a.at - b.at);
}

function checkSystem(system: unknown, complain: Complain): void {
  if (system === undefined || system === null) return;
  const parts = isLoose(system) && 'parts' in system ? system.parts : [system];
  const list = Array.isArray(parts) ? (parts as unknown[]) : [parts];
  const isText = (part: unknown): boolean =>
    typeof part === 'string' || (isLoose(part) && typeof part.text === 'string');
  if (list.length === 0 || !list.every(isText)) complain('G4', 0, 'the system prompt is no text');
  else if (!isEncodable(system)) complain('G0', 0, 'the system prompt holds half a surrogate pair');
}

const ROLES: readonly unknown[] = ['user', 'model', 'function'];

function checkContent(content: Loose, at: number, complain: Complain): void {
  if (!ROLES.includes(content.role)) complain('G0', at, `role ${String(content.role)} is not known`);
  if (!Array.isArray(content.parts) || content.parts.length === 0) {
    complain('G0', at, 'a content without parts');
    return;
  }
  if (!isEncodable(content)) complain('G0', at, 'half a surrogate pair');
  for (const part of content.parts as readonly unknown[])
    checkPart(part, content.role === 'model', at, complain);
}

/** Exactly one of these in a part, in either spelling. */
const SAYINGS = [
  'text',
  'functionCall',
  'functionResponse',
  'inlineData',
  'fileData',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];

function checkPart(value: unknown, isModels: boolean, at: number, complain: Complain): void {
  const part = isLoose(value) ? value : {};
  const said = SAYINGS.filter((name) => either(part, name) !== undefined);
  const signature = either(part, 'thoughtSignature');
  if (signature !== undefined && (typeof signature !== 'string' || signature === '')) {
    complain('G0', at, 'a signature that is no text');
  }
  if (said.length === 0 && signature === undefined) complain('G0', at, 'a part that says nothing');
  if (said.length > 1) complain('G0', at, `a part that says ${said.join(' and ')}`);
  if (part.text !== undefined && typeof part.text !== 'string') complain('G0', at, 'a text that is no text');
  if (part.text === '' && signature === undefined) complain('G0', at, 'a text without words');
  const call = either(part, 'functionCall');
  if (call !== undefined) {
    if (!isModels) complain('G2', at, 'a call in a turn that is not the model’s');
    checkFunction(call, 'args', true, at, complain);
  }
  const response = either(part, 'functionResponse');
  if (response !== undefined) checkFunction(response, 'response', false, at, complain);
  checkBytes(either(part, 'inlineData'), 'data', at, complain);
  checkBytes(either(part, 'fileData'), 'fileUri', at, complain);
}

function checkFunction(
  value: unknown,
  field: string,
  mayLack: boolean,
  at: number,
  complain: Complain,
): void {
  const named = isLoose(value) ? value : {};
  if (typeof named.name !== 'string' || !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(named.name)) {
    complain('G0', at, `${String(named.name)} is no name of a function`);
  }
  const said = named[field];
  if (!isLoose(said) && !(mayLack && said === undefined)) complain('G0', at, `${field} is no object`);
  if (named.id !== undefined && typeof named.id !== 'string') complain('G0', at, 'an id that is no text');
}

function checkBytes(value: unknown, field: string, at: number, complain: Complain): void {
  if (value === undefined) return;
  const source = isLoose(value) ? value : {};
  const type = either(source, 'mimeType');
  const data = either(source, field);
  if (typeof data !== 'string' || data === '') complain('G0', at, `a file without ${field}`);
  const mustName = field === 'data' || type !== undefined;
  if (mustName && (typeof type !== 'string' || !/^[\w.+-]+\/[\w.+-]+$/.test(type))) {
    complain('G0', at, `${String(type)} is no type of a file`);
  }
}

function checkTurns(contents: readonly Loose[], openEnd: boolean, complain: Complain): void {
  let before: string | undefined;
  contents.forEach((content, at) => {
    const turn = content.role === 'model' ? 'model' : 'user';
    if (at === 0 && turn === 'model') complain('G1', at, 'the model begins');
    if (turn === before) complain('G1', at, `two turns of the ${turn} in a row`);
    before = turn;
  });
  const last = contents.at(-1);
  const waits = openEnd && last !== undefined && callsIn(last).length > 0;
  if (before === 'model' && !waits) complain('G1', contents.length - 1, 'the model has the last word');
}

function checkResponses(contents: readonly Loose[], openEnd: boolean, complain: Complain): void {
  contents.forEach((content, at) => {
    const isUsers = content.role !== 'model';
    if (!isUsers && callsIn(content).length > 0 && contents[at + 1]?.role === 'model') {
      complain('G2', at, 'calls without responses');
    }
    const before = contents[at - 1];
    const calls = isUsers && before?.role === 'model' ? callsIn(before) : [];
    const responses = responsesIn(content);
    const mayWait = openEnd && at === contents.length - 1 && responses.length === partsOf(content).length;
    if (responses.length > calls.length)
      complain('G2', at, `${responses.length} responses to ${calls.length} calls`);
    if (responses.length < calls.length && !mayWait) {
      complain('G2', at - 1, `${calls.length} calls get ${responses.length} responses`);
    }
    if (responses.length !== calls.length) return;
    calls.forEach((call, i) => {
      const response = responses[i]!;
      if (call.name !== response.name) {
        complain('G2', at, `a response of ${String(response.name)} to a call of ${String(call.name)}`);
      }
      const bothNamed = call.id !== undefined && response.id !== undefined;
      if (bothNamed && call.id !== response.id)
        complain('G2', at, `the response ${String(response.id)} is out of order`);
    });
  });
  const last = contents.at(-1);
  if (!openEnd && last?.role === 'model' && callsIn(last).length > 0) {
    complain('G2', contents.length - 1, 'calls without responses');
  }
}

function checkSignatures(contents: readonly Loose[], signed: boolean | undefined, complain: Complain): void {
  const isSigned = (part: Loose): boolean => either(part, 'thoughtSignature') !== undefined;
  if (!(signed ?? contents.some((content) => partsOf(content).some(isSigned)))) return;
  let turn = contents.length - 1;
  while (turn > 0 && !isSpoken(contents[turn]!)) turn--;
  contents.slice(turn).forEach((content, i) => {
    const first = partsOf(content).find((part) => either(part, 'functionCall') !== undefined);
    if (first && !isSigned(first)) complain('G3', turn + i, 'the first call of this step has no signature');
  });
}

/** A turn of the user that is more than responses: with it, a new turn begins. */
function isSpoken(content: Loose): boolean {
  return content.role === 'user' && responsesIn(content).length < partsOf(content).length;
}

function partsOf({ parts }: Loose): readonly Loose[] {
  return Array.isArray(parts) ? parts.filter(isLoose) : [];
}

function callsIn(content: Loose): readonly Loose[] {
  return partsOf(content)
    .map((part) => either(part, 'functionCall'))
    .filter(isLoose);
}

function responsesIn(content: Loose): readonly Loose[] {
  return partsOf(content)
    .map((part) => either(part, 'functionResponse'))
    .filter(isLoose);
}

function either(part: Loose, name: string): unknown {
  return part[name] ?? part[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}
