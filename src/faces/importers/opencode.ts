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
 * What `opencode export` writes: a session's info and its messages, each with its parts. Results that OpenCode itself
 * had pruned for the model are whole here. The system prompt is not in the file.
 */
export const openCode: Importer = {
  name: 'opencode',
  mark: 'it holds `info` and messages with `parts`, as `opencode export` writes them',
  isWhole: true,
  recognises: (head) => /^\s*\{\s*"info"\s*:\s*\{/.test(head),
  open: () => {
    let whole: Fields = {};
    return {
      take: (value) => void (whole = fieldsOf(value)),
      finish: () => exported(whole),
    };
  },
};

function exported({ info, messages: list }: Fields): ImportedSession {
  const recording = new Recording('opencode');
  const entries = Array.isArray(list) ? list.filter(isEntry) : [];
  const others = Array.isArray(list) ? list.length - entries.length : 0;
  recording.counted(others, 'not-a-message', 'entries are no messages; left out');
  const model = entries.map((entry) => entry.info.modelID).find((one) => typeof one === 'string');
  const { id, version } = fieldsOf(info);
  recording.about({ id, model, agent_version: version });
  const taken = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const own = ownId(entry.info.id) ?? `m${index}`;
    const note = recording.noteAt(own);
    const said = entry.info.role === 'user' ? userMessages(entry, note) : answerOf(entry, own, note);
    if (said.length === 0) note('empty-message', 'nothing said; left out');
    for (const { suffix = '', ...message } of said) {
      let name = own + suffix;
      while (taken.has(name)) name += '+';
      taken.add(name);
      recording.add(name, message, part.when(fieldsOf(entry.info.time).created));
    }
  }
  return recording.session();
}

/** Published exports may have ids blacked out, several to the same word. */
const ownId = (id: unknown): string | undefined => (isText(id) && id !== 'REDACTED' ? id : undefined);

/** A message, and what stands behind the id of its entry in its own. */
type Named = part.Said & { readonly suffix?: string };

/** What stands in the user's place: their words and files, what the program adds, sub-tasks they ask for. */
function userMessages({ parts }: Entry, note: Note): Named[] {
  const given = fieldsIn(parts).map((one) => ({
    said: spoken(one, note),
    isOwn: one.synthetic !== true && SPOKEN.has(one.type),
  }));
  const said = given.flatMap((one) => one.said);
  const { origin } = part.inPlaceOfUser(given.flatMap((one) => (one.isOwn ? one.said : [])));
  return said.length === 0 ? [] : [{ role: 'user', origin, parts: said }];
}

/** Marks of the program's own, of which the model sees nothing. */
const SILENT: ReadonlySet<unknown> = new Set([
  'step-finish',
  'snapshot',
  'patch',
  'agent',
  'retry',
  'compaction',
]);

/** What people put there; what else stands there is the program's. */
const SPOKEN: ReadonlySet<unknown> = new Set(['text', 'file', 'subtask']);

function spoken(given: Fields, note: Note): Part[] {
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
  return SILENT.has(given.type) ? [] : [unknownPart(given, 'a part', note)];
}

interface Step {
  readonly parts: Part[];
  readonly results: ToolResultPart[];
}

/** An assistant entry as steps: one assistant message each, its results behind it. Older versions put several into one. */
function answerOf({ parts }: Entry, id: string, note: Note): Named[] {
  const steps: Step[] = [{ parts: [], results: [] }];
  const taken = new Set<string>();
  for (const [index, given] of parts.entries()) {
    if (!isFields(given)) continue;
    const step = steps.at(-1)!;
    if (given.type === 'step-start') steps.push({ parts: [], results: [] });
    else if (given.type === 'tool')
      addTool(step, given, freeCallId(given.callID, `${id}_${index}`, taken), note);
    else if (given.type === 'reasoning')
      step.parts.push(...part.text(given.text).map(({ text }) => part.reasoning(text)));
    else if (given.type === 'file') step.parts.push(fileOf(given));
    else if (given.type === 'text') step.parts.push(...part.text(given.text));
    else if (!SILENT.has(given.type)) step.parts.push(unknownPart(given, 'a part', note));
  }
  const said = steps.filter((one) => one.parts.some(({ type }) => type !== 'reasoning'));
  return said.flatMap((one, index): Named[] => {
    const step = index === 0 ? '' : `#${index}`;
    const results = one.results.map((result, at) => ({ ...part.byTool(result), suffix: `${step}.${at}` }));
    return [{ ...part.byModel(one.parts), suffix: step }, ...results];
  });
}

/** Its call, and its result where it came to an end. */
function addTool({ parts, results }: Step, given: Fields, callId: string, note: Note): void {
  const { input, status, output, attachments, error } = fieldsOf(given.state);
  const call = part.call(callId, given.tool, input);
  parts.push(call);
  if (status === 'completed') {
    const content = [...part.words(output), ...fieldsIn(attachments).map(fileOf)];
    results.push(part.result(callId, content, false));
  } else if (status === 'error') {
    results.push(part.result(callId, part.words(error), true));
  } else {
    note('interrupted-call', `${call.name} was ${String(status ?? 'called')} when the session was exported`);
  }
}

function fileOf({ mime, url, filename }: Fields): FilePart {
  const name = typeof filename === 'string' ? filename : undefined;
  return part.file(part.mediaTypeOr(mime), typeof url === 'string' ? url : '', name);
}

/** The recording's own id; named after its place where that is missing, blacked out, or used twice in one message. */
function freeCallId(id: unknown, place: string, taken: Set<string>): string {
  const own = isText(id) && !taken.has(id) ? ownId(id) : undefined;
  const callId = own ?? `call_${place}`;
  taken.add(callId);
  return callId;
}
