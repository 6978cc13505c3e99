import type { FilePart, Part, ToolResultPart } from '../../transcript/index.js';
import { fieldsOf, isFields, isText, type Fields } from '../../formats/index.js';
import * as part from './parts.js';
import { fieldsIn } from './parts.js';
import { Recording, unknownPart, type ImportedSession, type Importer, type Note } from './recording.js';

/** One message of an export. */
interface Entry {
  readonly info: Fields;
  readonly parts: readonly unknown[];
}

const isEntry = (value: unknown): value is Entry & Fields =>
  isFields(value) && isFields(value.info) && Array.isArray(value.parts);

/**
 * The output of `opencode export`: a session's info and its messages with their parts. Results that OpenCode pruned for
 * the model are complete in this file. The system prompt is not in the file.
 */
export const openCode: Importer = {
  name: 'opencode',
  mark: 'it holds `info` and messages with `parts`, as `opencode export` writes them',
  isWhole: true,
  recognises: (head) => /^\s*\{\s*"info"\s*:\s*\{/.test(head),
  open: () => {
    const values: Fields[] = [];
    return { take: (value) => void values.push(fieldsOf(value)), finish: () => sessionIn(values) };
  },
};

function sessionIn([{ info, messages: list } = {}, ...more]: readonly Fields[]): ImportedSession {
  const recording = new Recording('opencode');
  recording.noteCount(more.length, 'another-session', 'more exports are in the file; left out');
  const entries = Array.isArray(list) ? list.filter(isEntry) : [];
  const others = Array.isArray(list) ? list.length - entries.length : 0;
  recording.noteCount(others, 'not-a-message', 'entries are no messages; left out');
  const model = entries.map((entry) => entry.info.modelID).find((one) => typeof one === 'string');
  const { id, version } = fieldsOf(info);
  recording.addMeta({ id, model, agent_version: version });
  const usedIds = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const own = ownId(entry.info.id) ?? `m${index}`;
    const note = recording.noteAt(own);
    const said = entry.info.role === 'user' ? userMessages(entry, note) : stepMessages(entry, own, note);
    if (said.length === 0) note('empty-message', 'nothing said; left out');
    for (const { suffix = '', ...message } of said) {
      let name = own + suffix;
      while (usedIds.has(name)) name += '+';
      usedIds.add(name);
      recording.add(name, message, part.timeOf(fieldsOf(entry.info.time).created));
    }
  }
  return recording.session();
}

/** Published exports may have redacted ids, several with the same replacement. */
const ownId = (id: unknown): string | undefined => (isText(id) && id !== 'REDACTED' ? id : undefined);

/** A message, and the suffix that its id has after the id of its entry. */
type SuffixedMessage = part.Body & { readonly suffix?: string };

/** The content of a user entry: the user's text and files, the program's additions, sub-tasks requested by the user. */
function userMessages({ parts }: Entry, note: Note): SuffixedMessage[] {
  const given = fieldsIn(parts).map((one) => ({
    said: userParts(one, note),
    isOwn: one.synthetic !== true && USER_TYPES.has(one.type),
  }));
  const said = given.flatMap((one) => one.said);
  const { origin } = part.userMessage(given.flatMap((one) => (one.isOwn ? one.said : [])));
  return said.length === 0 ? [] : [{ role: 'user', origin, parts: said }];
}

/** OpenCode's own markers, which the model never sees. */
const MARKER_TYPES: ReadonlySet<unknown> = new Set([
  'step-finish',
  'snapshot',
  'patch',
  'agent',
  'retry',
  'compaction',
]);

/** Types of parts that come from a user; parts of other types are OpenCode's. */
const USER_TYPES: ReadonlySet<unknown> = new Set(['text', 'file', 'subtask']);

function userParts(given: Fields, note: Note): Part[] {
  // `ignored` text is shown to the person and never sent.
  if (given.type === 'text') return given.ignored === true ? [] : part.text(given.text);
  if (given.type === 'file') {
    const isLocal = typeof given.url === 'string' && given.url.startsWith('file:');
    return [fileOf(isLocal ? { ...given, url: '' } : given)];
  }
  if (given.type === 'subtask')
    return part.text(
      `[subtask ${String(given.agent)}: ${String(given.description)}]\n${String(given.prompt ?? '')}`,
    );
  return MARKER_TYPES.has(given.type) ? [] : [unknownPart(given, 'a part', note)];
}

interface Step {
  readonly parts: Part[];
  readonly results: ToolResultPart[];
}

/** The steps of an assistant entry: an assistant message and its results each. Older versions put several in one. */
function stepMessages({ parts }: Entry, id: string, note: Note): SuffixedMessage[] {
  const steps: Step[] = [{ parts: [], results: [] }];
  const usedIds = new Set<string>();
  for (const [index, given] of parts.entries()) {
    if (!isFields(given)) continue;
    const step = steps.at(-1)!;
    if (given.type === 'step-start') steps.push({ parts: [], results: [] });
    else if (given.type === 'tool')
      addTool(step, given, freeCallId(given.callID, `${id}_${index}`, usedIds), note);
    else if (given.type === 'reasoning')
      step.parts.push(...part.text(given.text).map(({ text }) => part.reasoning(text)));
    else if (given.type === 'file') step.parts.push(fileOf(given));
    else if (given.type === 'text') step.parts.push(...part.text(given.text));
    else if (!MARKER_TYPES.has(given.type)) step.parts.push(unknownPart(given, 'a part', note));
  }
  const said = steps.filter((one) => one.parts.some(({ type }) => type !== 'reasoning'));
  return said.flatMap((one, index): SuffixedMessage[] => {
    const step = index === 0 ? '' : `#${index}`;
    const results = one.results.map((own, at) => ({ ...part.toolMessage(own), suffix: `${step}.${at}` }));
    return [{ ...part.modelMessage(one.parts), suffix: step }, ...results];
  });
}

/** Adds a call to the step, and its result if the call ended. */
function addTool({ parts, results }: Step, given: Fields, callId: string, note: Note): void {
  const { input, status, output, attachments, error } = fieldsOf(given.state);
  const call = part.call(callId, given.tool, input);
  parts.push(call);
  if (status === 'completed') {
    const content = [...part.anyText(output), ...fieldsIn(attachments).map(fileOf)];
    results.push(part.result(callId, content, false));
  } else if (status === 'error') {
    results.push(part.result(callId, part.anyText(error), true));
  } else {
    note('interrupted-call', `${call.name} was ${String(status ?? 'called')} when the session was exported`);
  }
}

function fileOf({ mime, url, filename }: Fields): FilePart {
  const name = typeof filename === 'string' ? filename : undefined;
  return part.file(part.mediaTypeOr(mime), typeof url === 'string' ? url : '', name);
}

/** The recorded call id; a name from the call's place if the id is missing, redacted, or a duplicate in its message. */
function freeCallId(id: unknown, place: string, usedIds: Set<string>): string {
  const own = isText(id) && !usedIds.has(id) ? ownId(id) : undefined;
  const callId = own ?? `call_${place}`;
  usedIds.add(callId);
  return callId;
}
