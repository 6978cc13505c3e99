import { createHash } from 'node:crypto';
import { WeakCache, writeJson, type ToolCallPart } from '../../../transcript/index.js';
import {
  commandsInScript,
  innerCall,
  parseArguments,
  patchInScript,
  visitTexts,
  type CallArguments,
} from './call-arguments.js';
import {
  commandOf,
  directoryOf,
  isIncidental,
  parametersOf,
  targetsOf,
  type Parameters,
  type Target,
} from './parameters.js';
import { patchTouches, type Touch } from './paths.js';
import { verbOf, writeOf } from './tool-verbs.js';

/** The action of a tool call, in terms that are valid for every agent's tools. */
export interface Action {
  readonly kind: 'read' | 'write' | 'search' | 'run' | 'other';
  /** The first file that the call names, if any. */
  readonly target?: string;
  /** Calls with equal keys ask the same question, so that the newest answer replaces the others; '' for no question. */
  readonly key: string;
  /** Every file that a file tool reads or changes by the call, in order; for a command line, those of its patch. */
  readonly touches: readonly Touch[];
}

/** Parameters whose value may name the action: editors with many commands under one tool name. */
const MODES = ['command', 'action', 'operation', 'mode'];
/** Longer keys are replaced by their head and a hash, so that a here-document is not stored twice. */
const MAX_KEY = 160;

/** Several readers use the same log; its calls never change. */
const known = new WeakCache<ToolCallPart, Action>();

/** `call` saves parsing the arguments again. */
export function actionOf(part: ToolCallPart, call?: CallArguments): Action {
  let action = known.get(part);
  if (!action) known.set(part, (action = readAction(part, call ?? parseArguments(part.arguments))));
  return action;
}

function readAction(part: ToolCallPart, outer: CallArguments): Action {
  const { name: tool, args: call } = innerCall(part.name, outer);
  const parameters = parametersOf(call.fields);
  const directory = directoryOf(parameters);
  const targets = targetsOf(parameters, directory);
  const name = (targets.length > 0 ? modeOf(parameters) : undefined) ?? tool;
  const verb = verbOf(name);

  const command = verb === 'run' ? (commandOf(parameters) ?? call.text) : undefined;
  if (typeof command === 'string') return shellCall(command, directory);
  if (command !== undefined) return shellCall(joinWords(command), directory);
  const scripted = scriptCall(call, directory);
  if (scripted) return scripted;
  if (verb === 'write') return writeCall(name, targets, call, directory);
  if (verb === 'read' && targets.length > 0)
    return readCall(targets.map((target) => ({ ...target, how: 'read' })));
  // A read of something other than a file, or any other look: a question of its own, identified by name and arguments.
  const target = targets[0]?.path;
  if (verb === 'read' || verb === 'search') return action('search', keyOf(part.name, outer), [], target);
  return action('other', '', [], target);
}

/** The action of a call whose only text is a script; undefined if the script calls no tools. */
function scriptCall({ fields }: CallArguments, directory: string): Action | undefined {
  const script = fields.input ?? fields.code ?? fields.script;
  if (typeof script !== 'string') return undefined;
  const [lines, patch] = [commandsInScript(script), patchInScript(script)];
  if (lines.length === 0 && patch === '') return undefined;
  const edits = patchTouches(patch, directory);
  return edits.length > 0 ? action('write', '', edits) : shellCall(lines.join(' && ') || script, directory);
}

/** Commands that only show something, with optional changes of folder and filters. */
const SHOWS =
  /^(?:cd [^;&|]{1,300}(?:&&|;)\s*)?(?:cat|head|tail|sed -n|nl|less|bat|grep|egrep|rg|ag|ls|find|fd|tree|wc|pwd|which|stat|file|du|jq|git (?:--no-pager )?(?:status|diff|log|show|blame|grep|branch|ls-files))\b[^;&>`]*(?:(?:&&|;)\s*(?:echo|cat|head|tail|sed -n|nl|grep|rg|ls|find|wc|git (?:status|diff|log|show))\b[^;&>`]*){0,8}$/;

/** What changes something all the same: at the end of a pipe, or by its flags. */
const CHANGES =
  /\s-(?:delete|exec)|\|\s*(?:sudo |(?:ba|z)?sh\b|tee|sponge|patch|git |xargs (?!(?:-\S+ |\d+ )*(?:e?grep|rg|cat|wc|head|tail|ls|sed -n|file|stat)\b))|\bgit branch -(?:[dmcf]\b|-(?:delete|move|copy|force))/i;

/** A command line is identified by its text; only a patch in it tells which files it changes. */
function shellCall(line: string, directory: string): Action {
  const patch = line.indexOf('*** Begin Patch');
  const touches = patch < 0 ? [] : patchTouches(line.slice(patch), directory);
  if (touches.length > 0) return action('write', '', touches);
  const shows = SHOWS.test(line.trim()) && !CHANGES.test(line);
  return action(shows ? 'search' : 'run', `run:${directory}:${line.trim()}`, []);
}

/** A list of words as a command line. */
export function joinWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(' ');
}

function readCall(touches: readonly Touch[]): Action {
  const key = touches.map((touch) => `${touch.path}:${touch.range ?? ''}`).join('\n');
  return action('read', `read:${key}`, touches);
}

function writeCall(verb: string, targets: readonly Target[], call: CallArguments, directory: string): Action {
  const touches: Touch[] = targets.map(({ path }) => ({ path, how: writeOf(verb) }));
  if (touches.length === 0) visitTexts(call, (text) => touches.push(...patchTouches(text, directory)));
  // Plans, to-do lists, bookings: writes without a file.
  return action(touches.length > 0 ? 'write' : 'other', '', touches);
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
  const askedFields = Object.entries(call.fields).filter(([field]) => !isIncidental(field));
  return `${name}:${call.text ?? writeJson(askedFields.sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

function action(
  kind: Action['kind'],
  key: string,
  touches: readonly Touch[],
  target = touches[0]?.path,
): Action {
  return { kind, ...(target !== undefined && { target }), key: shortKey(key), touches };
}

function shortKey(key: string): string {
  if (key.length <= MAX_KEY) return key;
  return `${key.slice(0, MAX_KEY / 2)}…${createHash('sha256').update(key).digest('base64')}`;
}
