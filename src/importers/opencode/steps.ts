import type { FilePart, Message, Part, TextPart, ToolResultPart } from '../../transcript/index.js';
import { inlineFile } from '../inline-file.js';
import { isFields, jsonText, type Fields } from '../../wire/index.js';
import { createdAt, type Entry } from './entry.js';

type Note = (kind: string, what: string) => void;

/** Marks of the program's own, of which the model sees nothing. */
const SILENT: ReadonlySet<unknown> = new Set([
  'step-finish',
  'snapshot',
  'patch',
  'agent',
  'retry',
  'compaction',
]);

/** An assistant entry as steps: one assistant message each, its results behind it. Older versions put several into one. */
export function assistantMessages({ info, parts }: Entry, id: string, note: Note): Message[] {
  const steps: Step[] = [];
  let step = newStep();
  const close = () => {
    if (step.parts.length > 0) steps.push(step);
    step = newStep();
  };
  const taken = new Set<string>();
  parts.forEach((part, index) => {
    if (!isFields(part)) return;
    if (part.type === 'step-start') close();
    else if (part.type === 'tool')
      addTool(step, part, freeCallId(part.callID, `${id}_${index}`, taken), note);
    else if (!SILENT.has(part.type)) step.parts.push(...saidIn(part, note));
  });
  close();
  const said = steps.filter((one) => one.parts.some((part) => part.type !== 'reasoning'));
  if (said.length === 0) note('empty-message', 'nothing said; left out');
  const when = createdAt(info);
  return said.flatMap((one, index): Message[] => {
    const stepId = index === 0 ? id : `${id}#${index}`;
    const results = one.results.map((result, at): Message => {
      return { id: `${stepId}.${at}`, role: 'tool', origin: 'tool', parts: [result], ...when };
    });
    return [{ id: stepId, role: 'assistant', origin: 'model', parts: one.parts, ...when }, ...results];
  });
}

interface Step {
  readonly parts: Part[];
  readonly results: ToolResultPart[];
}

function newStep(): Step {
  return { parts: [], results: [] };
}

function saidIn(part: Fields, note: Note): Part[] {
  if (part.type === 'text' || part.type === 'reasoning') {
    return typeof part.text === 'string' && part.text !== '' ? [{ type: part.type, text: part.text }] : [];
  }
  if (part.type === 'file') return [fileOf(part)];
  note('unknown-part', `a part of type ${jsonText(part.type) || 'none'} is kept as its JSON text`);
  return [{ type: 'text', text: jsonText(part) }];
}

/** Its call, and its result where it came to an end. */
function addTool(step: Step, part: Fields, callId: string, note: Note): void {
  const state = isFields(part.state) ? part.state : {};
  const input = state.input ?? {};
  const args = typeof input === 'string' ? input : jsonText(input);
  const name = typeof part.tool === 'string' ? part.tool : 'unknown';
  step.parts.push({ type: 'tool-call', callId, name, arguments: args });
  if (state.status === 'completed') {
    const text = typeof state.output === 'string' ? state.output : jsonText(state.output ?? '');
    const files = Array.isArray(state.attachments) ? state.attachments.filter(isFields).map(fileOf) : [];
    step.results.push({ type: 'tool-result', callId, content: [...textParts(text), ...files] });
  } else if (state.status === 'error') {
    const content = textParts(String(state.error ?? ''));
    step.results.push({ type: 'tool-result', callId, content, isError: true });
  } else {
    note('interrupted-call', `${name} was ${String(state.status ?? 'called')} when the session was exported`);
  }
}

function textParts(text: string): (TextPart | FilePart)[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function fileOf(part: Fields): FilePart {
  const mime = typeof part.mime === 'string' ? part.mime : 'application/octet-stream';
  const url = typeof part.url === 'string' ? part.url : '';
  return inlineFile(mime, url, typeof part.filename === 'string' ? part.filename : undefined);
}

/** The recording's own id; named after its place where that is missing, blacked out, or used twice in one message. */
function freeCallId(id: unknown, place: string, taken: Set<string>): string {
  const isOwn = typeof id === 'string' && id !== '' && id !== 'REDACTED' && !taken.has(id);
  const callId = isOwn ? id : `call_${place}`;
  taken.add(callId);
  return callId;
}
