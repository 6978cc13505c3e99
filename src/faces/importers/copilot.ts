import type { FilePart, TextPart, ToolCallPart } from '../../transcript/index.js';
import { entryOf, fieldsOf, isFields, isText, jsonText, type Fields } from '../../formats/index.js';
import * as part from './parts.js';
import { fieldsIn, asText } from './parts.js';
import { Recording, type ImportedSession, type Importer, type SessionReader } from './recording.js';

/**
 * Copilot CLI's `events.jsonl`: one event per line, in an envelope with `type` and `data`. Events of sub-agents (with
 * `agentId`, or `parentToolCallId` in older versions) are no part of the conversation and are left out, and so are
 * events that were never sent to the model: hooks, permissions, usage, progress.
 */
export const copilot: Importer = {
  name: 'copilot',
  mark: 'its lines are session events with `data`, as Copilot CLI writes them',
  recognises: (head) =>
    /^\s*\{\s*"type"\s*:\s*"(session|user|assistant|tool|system|hook|subagent|skill|abort)(\.[a-z_]+)?"\s*,\s*"data"\s*:\s*\{/.test(
      head,
    ) || /"producer"\s*:\s*"copilot-agent"/.test(head.split('\n', 1)[0]!),
  open: () => new CopilotReader(),
};

interface CopilotEvent {
  readonly id: string;
  readonly data: Fields;
  readonly time: { readonly createdAt?: number };
}

/** Builds the conversation event by event. */
class CopilotReader implements SessionReader {
  readonly #recording = new Recording('copilot');
  /** Ids of the model's calls; then calls that users made themselves, by id. */
  readonly #calls = new Set<string>();
  readonly #userCalls = new Map<string, Fields>();
  /** Number of messages before each event, so that a rewind can cut back to the event. */
  readonly #messagesBefore = new Map<string, number>();
  #thought: string | undefined;
  #sidechainEvents = 0;
  #repeated = 0;
  #events = 0;

  take(value: unknown): void {
    if (!isFields(value) || typeof value.type !== 'string' || value.ephemeral === true) return;
    const data = fieldsOf(value.data);
    this.#events += 1;
    this.#note(value.type, data);
    if (typeof value.agentId === 'string' || typeof data.parentToolCallId === 'string') {
      this.#sidechainEvents += 1;
      return;
    }
    const id = asText(value.id) ?? `e${this.#events}`;
    // Two copies of a file may have been put together.
    if (this.#messagesBefore.has(id)) return void this.#repeated++;
    this.#messagesBefore.set(id, this.#recording.messages.length);
    entryOf(this.#byKind, value.type)?.({ id, data, time: part.timeOf(asText(value.timestamp)) });
  }

  #note(type: string, { sessionId: id, copilotVersion, selectedModel, newModel, model }: Fields): void {
    if (type === 'session.start')
      this.#recording.addMeta({ id, agent_version: copilotVersion, model: selectedModel });
    else if (type === 'session.model_change') this.#recording.addMeta({ model: newModel });
    else if (type === 'tool.execution_complete') this.#recording.addMeta({ model });
  }

  /** The conversation's part of each kind of event. Events of other kinds are left out. */
  readonly #byKind: Readonly<Record<string, (event: CopilotEvent) => void>> = {
    'system.message': (event) =>
      this.#add(event, { role: 'system', origin: 'system', parts: part.text(event.data.content) }),
    'user.message': (event) => {
      const { content, attachments } = event.data;
      this.#add(event, part.userMessage([...part.text(content), ...filesOf(attachments)]));
    },
    'skill.invoked': (event) => this.#add(event, part.userMessage(part.text(event.data.content), true)),
    'assistant.reasoning': ({ data }) =>
      void (this.#thought = typeof data.content === 'string' ? data.content : undefined),
    'assistant.message': (event) => this.#addAnswer(event),
    'tool.user_requested': ({ data }) => {
      if (typeof data.toolCallId === 'string') this.#userCalls.set(data.toolCallId, data);
    },
    'tool.execution_start': (event) => this.#startCall(event),
    'tool.execution_complete': (event) => this.#completeCall(event),
    'session.compaction_complete': ({ data }) => {
      const { compactions, messages } = this.#recording;
      if (data.success === true) compactions.push(messages.length);
    },
    'session.truncation': ({ id }) =>
      this.#notice(id, 'truncated', 'Copilot cut the history here for the model; all of it is kept'),
    'session.snapshot_rewind': (event) => this.#rewind(event),
    'session.error': ({ id }) => this.#notice(id, 'api-error', 'an error is in place of an answer; left out'),
  };

  #addAnswer(event: CopilotEvent): void {
    const { content, toolRequests, reasoningText = this.#thought, reasoningOpaque: signature } = event.data;
    this.#thought = undefined;
    const calls = fieldsIn(toolRequests).map(({ toolCallId, name, arguments: args }, index) =>
      this.#call(toolCallId ?? `call_${event.id}_${index}`, name, args),
    );
    const thought = isText(reasoningText) ? [part.reasoning(reasoningText, signature)] : [];
    this.#add(event, part.modelMessage([...thought, ...part.text(content), ...calls]));
  }

  #call(id: unknown, name: unknown, args: unknown): ToolCallPart {
    const call = part.call(id, name, args);
    this.#calls.add(call.callId);
    return call;
  }

  /** Early versions record a call only when it starts; the call is added to the last answer. */
  #startCall({ id, data }: CopilotEvent): void {
    const callId = data.toolCallId;
    if (typeof callId !== 'string' || this.#calls.has(callId) || this.#userCalls.has(callId)) return;
    const { messages } = this.#recording;
    const index = messages.findLastIndex(({ role }) => role === 'assistant');
    const answer = messages[index];
    if (!answer) return;
    const call = this.#call(callId, data.toolName, data.arguments);
    messages[index] = { ...answer, parts: [...answer.parts, call] };
    this.#notice(id, 'late-call', `${call.name} was told only when it started`);
  }

  #completeCall(event: CopilotEvent): void {
    const { data } = event;
    const callId = String(data.toolCallId ?? '');
    const userCall = this.#userCalls.get(callId);
    const content = resultIn(data);
    if (!userCall)
      return this.#add(event, part.toolMessage(part.result(callId, content, data.success === false)));
    const shown = content.map((one) => (one.type === 'text' ? one.text : `[${one.mediaType}]`)).join('\n');
    const words = `Ran ${String(userCall.toolName)} ${jsonText(userCall.arguments ?? {})}\n\`\`\`\n${shown}\n\`\`\``;
    this.#add(event, { role: 'user', origin: 'user', parts: part.text(words) });
  }

  /** Removes the messages from an event on, including the event's own. The file itself may have been cut already. */
  #rewind({ id, data }: CopilotEvent): void {
    const recording = this.#recording;
    const to = this.#messagesBefore.get(String(data.upToEventId ?? '')) ?? recording.messages.length;
    const removed = recording.messages.length - to;
    recording.messages = recording.messages.slice(0, to);
    if (removed > 0) this.#notice(id, 'rewound', `${removed} messages were rewound; left out`);
  }

  #add({ id, time }: CopilotEvent, said: part.Body): void {
    this.#recording.add(id, said, time);
  }

  #notice(at: string, kind: string, what: string): void {
    this.#recording.noteAt(at)(kind, what);
  }

  finish(): ImportedSession {
    this.#recording.noteCount(this.#sidechainEvents, 'sidechain', 'events belong to sub-agents; left out');
    this.#recording.noteCount(this.#repeated, 'repeated', 'events are in the file twice; read once');
    return this.#recording.session();
  }
}

/** The tool's output to the model: `content`, or else its blocks, or else its error. */
function resultIn({ result, error }: Fields): (TextPart | FilePart)[] {
  const { content, contents }: Fields = isFields(result) ? result : { content: result };
  const blocks = fieldsIn(contents);
  const files = blocks.flatMap(({ type, data, mimeType }): FilePart[] => {
    if ((type !== 'image' && type !== 'audio') || typeof data !== 'string') return [];
    const media = part.mediaTypeOr(mimeType, `${type}/*`);
    return [part.file(media, part.dataUrl(media, data))];
  });
  if (typeof content === 'string') return [...part.text(content), ...files];
  if (blocks.length > 0) return [...blocks.flatMap(({ text }) => part.text(text)), ...files];
  return part.anyText(content ?? (isFields(error) ? error.message : error));
}

/** Attachments as files: the bytes if the event has them, or else only the name. */
const filesOf = (attachments: unknown): FilePart[] =>
  fieldsIn(attachments).map(({ data, mimeType, displayName, filePath, path }) => {
    const name = [displayName, path, filePath].find(isText);
    const media = part.mediaTypeOr(mimeType);
    return part.file(media, part.dataUrl(media, data), name);
  });
