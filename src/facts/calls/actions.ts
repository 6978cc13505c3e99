import type { ToolCallPart } from '../../transcript/index.js';
import { canonicalJson, parseArguments, visitTexts, type CallArguments } from './call-arguments.js';
import {
  commandOf,
  directoryOf,
  isAside,
  moveOf,
  parametersOf,
  targetsOf,
  type Parameters,
  type Target,
} from './parameters.js';
import { innerCall } from './inner-call.js';
import { patchTouches } from '../files/patch.js';
import { commandsInScript, patchInScript } from '../shell/scripted.js';
import { joinWords, shellAction } from '../shell/action.js';
import { verbOf, writeOf } from './tool-verbs.js';
import type { Touch } from '../files/touch.js';

/** What a tool call does, in terms that hold for every agent's tools. */
export interface Action {
  readonly kind: 'read' | 'write' | 'search' | 'run' | 'other';
  /** The first file it names, where it names one. */
  readonly target?: string;
  /** The part of `target` a read asks for; absent for the whole. */
  readonly range?: string;
  /** Calls with the same key ask the same question, so that the newest answer stands for all; '' where none is asked. */
  readonly key: string;
  /** Every file it plainly reads or changes, in order. */
  readonly touches: readonly Touch[];
  /** Of a command line: how many of them stand before its last command. Absent of what is done whole or not at all. */
  readonly before?: number;
}

/** A parameter that takes such a word says what the tool does: editors with many commands behind one name. */
const MODES = ['command', 'action', 'operation', 'mode'];
/** Longer keys are told by their head and a hash: a here-document must not be kept twice. */
const MAX_KEY = 160;

/** Several read the same log, each for its own ends; calls in it never change. */
const known = new WeakMap<ToolCallPart, Action>();

/** `call` spares parsing the arguments again where that was done. */
export function actionOf(part: ToolCallPart, call?: CallArguments): Action {
  let action = known.get(part);
  if (!action) known.set(part, (action = readAction(part, call ?? parseArguments(part.arguments))));
  return action;
}

function readAction(part: ToolCallPart, outer: CallArguments): Action {
  const { name: tool, given: call } = innerCall(part.name, outer);
  const parameters = parametersOf(call.fields);
  const directory = directoryOf(parameters);
  const targets = targetsOf(parameters, directory);
  const name = (targets.length > 0 ? modeOf(parameters) : undefined) ?? tool;
  const verb = verbOf(name);

  const command = verb === 'run' ? (commandOf(parameters) ?? call.text) : undefined;
  if (typeof command === 'string') return shellCall(command, directory);
  if (command !== undefined) return shellCall(joinWords(command), directory);
  const scripted = scriptOf(call);
  if (scripted) return scriptCall(scripted, directory);
  if (verb === 'write') return writeCall(name, targets, call, parameters, directory);
  if (verb === 'read' && targets.length > 0)
    return readCall(targets.map((target) => ({ ...target, how: 'read' })));
  // Reading what is no file, and every other look: a question of its own, told by name and arguments.
  const where = targets[0] ? { target: targets[0].path } : {};
  if (verb === 'read' || verb === 'search') return made('search', keyOf(part.name, outer), where);
  return made('other', '', where);
}

/** The script of a call that has no other text. */
function scriptOf({ fields }: CallArguments): string | undefined {
  const script = fields.input ?? fields.code ?? fields.script;
  return typeof script === 'string' && (commandsInScript(script).length > 0 || patchInScript(script) !== '')
    ? script
    : undefined;
}

function scriptCall(script: string, directory: string): Action {
  const patched = patchTouches(patchInScript(script), directory);
  const line = commandsInScript(script).join(' && ');
  if (line === '') return made('write', '', firstOf(patched), patched);
  const action = shellCall(line, directory);
  return patched.length === 0
    ? action
    : { ...action, kind: 'write', key: '', touches: [...patched, ...action.touches] };
}

function shellCall(line: string, directory: string): Action {
  const { kind, touches, before = 0 } = shellAction(line, directory);
  if (kind === 'read') return readCall(touches);
  const key = kind === 'write' ? '' : `${kind}:${directory}:${line.trim()}`;
  const action = made(kind, key, firstOf(touches), touches);
  return before > 0 ? { ...action, before } : action;
}

function readCall(touches: readonly Touch[]): Action {
  const key = touches.map((touch) => `${touch.path}:${touch.range ?? ''}`).join('\n');
  return made('read', `read:${key}`, firstOf(touches), touches);
}

function writeCall(
  verb: string,
  targets: readonly Target[],
  call: CallArguments,
  parameters: Parameters,
  directory: string,
): Action {
  const touches: Touch[] = targets.map(({ path }) => ({
    path,
    how: /undo/.test(verb) ? 'restored' : writeOf(verb),
  }));
  const move = touches.length === 0 ? moveOf(parameters, directory) : undefined;
  if (move)
    touches.push({ path: move.from, how: 'deleted' }, { path: move.to, how: 'created', from: move.from });
  if (touches.length === 0) visitTexts(call, (text) => touches.push(...patchTouches(text, directory)));
  // Plans, to-do lists, bookings: writes to no file.
  return made(touches.length > 0 ? 'write' : 'other', '', firstOf(touches), touches);
}

function modeOf(parameters: Parameters): string | undefined {
  for (const name of MODES) {
    const value = parameters.get(name);
    if (typeof value === 'string' && /^[a-z]+(_[a-z]+)*$/.test(value) && verbOf(value) !== 'other')
      return value;
  }
  return undefined;
}

function keyOf(name: string, call: CallArguments): string {
  return `${name}:${call.text ?? canonicalJson(call.fields, isAside)}`;
}

function firstOf(touches: readonly Touch[]): Pick<Action, 'target' | 'range'> {
  const first = touches[0];
  if (!first) return {};
  return { target: first.path, ...(first.range === undefined ? {} : { range: first.range }) };
}

function made(
  kind: Action['kind'],
  key: string,
  where: Pick<Action, 'target' | 'range'>,
  touches: readonly Touch[] = [],
): Action {
  return { kind, ...where, key: shortKey(key), touches };
}

function shortKey(key: string): string {
  if (key.length <= MAX_KEY) return key;
  let a = 0x811c9dc5;
  let b = 0;
  for (let i = 0; i < key.length; i++) {
    const unit = key.charCodeAt(i);
    a = Math.imul(a ^ unit, 0x01000193);
    b = (Math.imul(b, 31) + unit) | 0;
  }
  return `${key.slice(0, MAX_KEY - 40)}…${key.length}:${(a >>> 0).toString(36)}${(b >>> 0).toString(36)}`;
}
