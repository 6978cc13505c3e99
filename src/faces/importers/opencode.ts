import type { Notice } from '../../spi/index.js';
import type { FilePart, Message, Part, TextPart, ToolResultPart } from '../../transcript/index.js';
import { isFields, jsonText, type Fields } from '../../formats/index.js';
import {
  callPart,
  counted,
  fieldsIn,
  fieldsOf,
  inlineFile,
  inPlaceOfUser,
  isText,
  mediaTypeOr,
  resultPart,
  sessionOf,
  textParts,
  unknownPart,
  when,
  type ImportedSession,
  type Importer,
  type Note,
} from './recording.js';

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
  const entries = Array.isArray(list) ? list.filter(isEntry) : [];
  const others = Array.isArray(list) ? list.length - entries.length : 0;
  const notices: Notice[] = counted(others, 'not-a-message', 'entries are no messages; left out');
  const messages = entries.flatMap((entry, index): Message[] => {
    const id = ownId(entry.info.id) ?? `m${index}`;
    const note: Note = (kind, what) => void notices.push({ at: id, kind, what });
    return entry.info.role === 'user' ? userMessages(entry, id, note) : assistantMessages(entry, id, note);
  });
  const model = entries.map((entry) => entry.info.modelID).find((one) => typeof one === 'string');
  const { id, version } = fieldsOf(info);
  return sessionOf('opencode', {
    messages: distinct(messages),
    notices,
    meta: { id, model, agent_version: version },
  });
}

/** Published exports may have ids blacked out, several to the same word. */
const ownId = (id: unknown): string | undefined =>
  typeof id === 'string' && id !== 'REDACTED' ? id : undefined;

function distinct(messages: readonly Message[]): Message[] {
  const taken = new Set<string>();
  return messages.map((message) => {
    let { id } = message;
    while (taken.has(id)) id += '+';
    taken.add(id);
    return id === message.id ? message : { ...message, id };
  });
}

/** What stands in the user's place: their words and files, what the program adds, sub-tasks they ask for. */
function userMessages({ info, parts }: Entry, id: string, note: Note): Message[] {
  const said = fieldsIn(parts).flatMap((part) =>
    spoken(part, note).map((one) => ({
      part: one,
      isAdded: part.synthetic === true || !SPOKEN.has(part.type),
    })),
  );
  if (said.length === 0) {
    note('empty-message', 'nothing said; left out');
    return [];
  }
  const own = said.filter(({ isAdded }) => !isAdded).map(({ part }) => part);
  const { origin } = inPlaceOfUser(own);
  return [
    { id, role: 'user', parts: said.map(({ part }) => part), ...when(fieldsOf(info.time).created), origin },
  ];
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

function spoken(part: Fields, note: Note): Part[] {
  // `ignored` text is shown to the person and never sent.
  if (part.type === 'text') return part.ignored === true ? [] : textParts(part.text);
  if (part.type === 'file') {
    const isLocal = typeof part.url === 'string' && part.url.startsWith('file:');
    return [fileOf(isLocal ? { ...part, url: '' } : part)];
  }
  if (part.type === 'subtask')
    return textParts(
      `[subtask ${String(part.agent)}: ${String(part.description)}]\n${String(part.prompt ?? '')}`,
    );
  return SILENT.has(part.type) ? [] : [unknownPart(part, 'a part', note)];
}

interface Step {
  readonly parts: Part[];
  readonly results: ToolResultPart[];
}

/** An assistant entry as steps: one assistant message each, its results behind it. Older versions put several into one. */
function assistantMessages({ info, parts }: Entry, id: string, note: Note): Message[] {
  const steps: Step[] = [{ parts: [], results: [] }];
  const taken = new Set<string>();
  for (const [index, part] of parts.entries()) {
    if (!isFields(part)) continue;
    const step = steps.at(-1)!;
    if (part.type === 'step-start') steps.push({ parts: [], results: [] });
    else if (part.type === 'tool')
      addTool(step, part, freeCallId(part.callID, `${id}_${index}`, taken), note);
    else if (part.type === 'text') step.parts.push(...textParts(part.text));
    else if (part.type === 'reasoning')
      step.parts.push(...textParts(part.text).map(({ text }) => ({ type: 'reasoning', text }) as const));
    else if (part.type === 'file') step.parts.push(fileOf(part));
    else if (!SILENT.has(part.type)) step.parts.push(unknownPart(part, 'a part', note));
  }
  const said = steps.filter((one) => one.parts.some((part) => part.type !== 'reasoning'));
  if (said.length === 0) note('empty-message', 'nothing said; left out');
  const time = when(fieldsOf(info.time).created);
  return said.flatMap((one, index): Message[] => {
    const stepId = index === 0 ? id : `${id}#${index}`;
    const results = one.results.map((result, at): Message => {
      return { id: `${stepId}.${at}`, role: 'tool', origin: 'tool', parts: [result], ...time };
    });
    return [{ id: stepId, role: 'assistant', origin: 'model', parts: one.parts, ...time }, ...results];
  });
}

/** Its call, and its result where it came to an end. */
function addTool({ parts, results }: Step, part: Fields, callId: string, note: Note): void {
  const { input, status, output, attachments, error } = fieldsOf(part.state);
  const call = callPart(callId, part.tool, input);
  parts.push(call);
  if (status === 'completed') {
    const text = typeof output === 'string' ? output : jsonText(output ?? '');
    const content: (TextPart | FilePart)[] = [...textParts(text), ...fieldsIn(attachments).map(fileOf)];
    results.push(resultPart(callId, content, false));
  } else if (status === 'error') {
    results.push(resultPart(callId, textParts(String(error ?? '')), true));
  } else {
    note('interrupted-call', `${call.name} was ${String(status ?? 'called')} when the session was exported`);
  }
}

function fileOf({ mime, url, filename }: Fields): FilePart {
  const name = typeof filename === 'string' ? filename : undefined;
  return inlineFile(mediaTypeOr(mime), typeof url === 'string' ? url : '', name);
}

/** The recording's own id; named after its place where that is missing, blacked out, or used twice in one message. */
function freeCallId(id: unknown, place: string, taken: Set<string>): string {
  const own = isText(id) && !taken.has(id) ? ownId(id) : undefined;
  const callId = own ?? `call_${place}`;
  taken.add(callId);
  return callId;
}
