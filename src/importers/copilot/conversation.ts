import type { Notice } from '../../spi/index.js';
import type { Message, Part, ToolCallPart } from '../../transcript/index.js';
import { isProgramWritten, isFields, jsonText, type Fields } from '../../wire/index.js';
import { filesOf, resultOf } from './content.js';

interface CopilotEvent {
  readonly id: string;
  readonly type: string;
  readonly data: Fields;
  readonly createdAt: number | undefined;
}

/** Builds the conversation event by event. */
export class Conversation {
  #messages: Message[] = [];
  readonly #notices: Notice[] = [];
  readonly #compactions: number[] = [];
  /** Calls that the model made, and those that users made themselves, by id. */
  readonly #calls = new Set<string>();
  readonly #byUser = new Map<string, Fields>();
  /** How many messages stood before each event, so that a rewind may cut back to it. */
  readonly #before = new Map<string, number>();
  readonly #taken = new Set<string>();
  #thought: string | undefined;

  take(event: CopilotEvent): void {
    this.#before.set(event.id, this.#messages.length);
    const { data } = event;
    switch (event.type) {
      case 'system.message':
        return this.#add(event, { role: 'system', origin: 'system', parts: text(data.content) });
      case 'user.message':
        return this.#user(event);
      case 'skill.invoked':
        return this.#add(event, { role: 'user', origin: 'synthetic', parts: text(data.content) });
      case 'assistant.reasoning':
        this.#thought = typeof data.content === 'string' ? data.content : undefined;
        return;
      case 'assistant.message':
        return this.#assistant(event);
      case 'tool.user_requested':
        if (typeof data.toolCallId === 'string') this.#byUser.set(data.toolCallId, data);
        return;
      case 'tool.execution_start':
        return this.#started(event);
      case 'tool.execution_complete':
        return this.#completed(event);
      case 'session.compaction_complete':
        if (data.success === true) this.#compactions.push(this.#messages.length);
        return;
      case 'session.truncation':
        return this.#note(
          event,
          'truncated',
          'Copilot cut the history here for the model; all of it is kept',
        );
      case 'session.snapshot_rewind':
        return this.#rewind(event);
      case 'session.error':
        return this.#note(event, 'api-error', 'an error stands where the model would speak; left out');
      default:
    }
  }

  finish(): { messages: readonly Message[]; compactions: readonly number[]; notices: readonly Notice[] } {
    return { messages: this.#messages, compactions: this.#compactions, notices: this.#notices };
  }

  #user(event: CopilotEvent): void {
    const { content, attachments } = event.data;
    const parts = [...text(content), ...filesOf(attachments)];
    const machine = parts.every((part) => part.type === 'text' && isProgramWritten(part.text));
    this.#add(event, { role: 'user', origin: machine ? 'synthetic' : 'user', parts });
  }

  #assistant(event: CopilotEvent): void {
    const { content, toolRequests, reasoningText = this.#thought, reasoningOpaque: signature } = event.data;
    this.#thought = undefined;
    const thought: Part[] =
      typeof reasoningText === 'string' && reasoningText !== ''
        ? [{ type: 'reasoning', text: reasoningText, ...(typeof signature === 'string' && { signature }) }]
        : [];
    const requests = Array.isArray(toolRequests) ? toolRequests.filter(isFields) : [];
    const calls = requests.map(({ toolCallId, name, arguments: args }, index) =>
      this.#call(toolCallId ?? `call_${event.id}_${index}`, name, args),
    );
    const said = [...text(content), ...calls];
    this.#add(event, {
      role: 'assistant',
      origin: 'model',
      parts: said.length > 0 ? [...thought, ...said] : [],
    });
  }

  #call(id: unknown, name: unknown, args: unknown): ToolCallPart {
    const callId = String(id);
    this.#calls.add(callId);
    const written = typeof args === 'string' ? args : jsonText(args ?? {});
    return {
      type: 'tool-call',
      callId,
      name: typeof name === 'string' ? name : 'unknown',
      arguments: written,
    };
  }

  /** Early versions tell a call only when it starts: then it belongs to the last answer. */
  #started({ id, data }: CopilotEvent): void {
    const callId = data.toolCallId;
    if (typeof callId !== 'string' || this.#calls.has(callId) || this.#byUser.has(callId)) return;
    const index = this.#messages.findLastIndex(({ role }) => role === 'assistant');
    const answer = this.#messages[index];
    if (!answer) return;
    const call = this.#call(callId, data.toolName, data.arguments);
    this.#messages[index] = { ...answer, parts: [...answer.parts, call] };
    this.#notices.push({ at: id, kind: 'late-call', what: `${call.name} was told only when it started` });
  }

  #completed(event: CopilotEvent): void {
    const { data } = event;
    const callId = String(data.toolCallId ?? '');
    const asked = this.#byUser.get(callId);
    const result = resultOf(callId, data);
    if (!asked) return this.#add(event, { role: 'tool', origin: 'tool', parts: [result] }, true);
    const shown = result.content
      .map((part) => (part.type === 'text' ? part.text : `[${part.mediaType}]`))
      .join('\n');
    const words = `Ran ${String(asked.toolName)} ${jsonText(asked.arguments ?? {})}\n\`\`\`\n${shown}\n\`\`\``;
    this.#add(event, { role: 'user', origin: 'user', parts: text(words) });
  }

  /** Takes back what came after the event, that one included; the file may have been cut already. */
  #rewind(event: CopilotEvent): void {
    const to = this.#before.get(String(event.data.upToEventId ?? ''));
    if (to === undefined) return;
    const gone = this.#messages.length - to;
    this.#messages = this.#messages.slice(0, to);
    if (gone > 0) this.#note(event, 'rewound', `${gone} messages were rewound; left out`);
  }

  #add(event: CopilotEvent, said: Omit<Message, 'id'>, evenEmpty = false): void {
    if (said.parts.length === 0 && !evenEmpty)
      return this.#note(event, 'empty-message', 'nothing said; left out');
    const when = event.createdAt === undefined ? {} : { createdAt: event.createdAt };
    const id = this.#taken.has(event.id) ? `${event.id}+${this.#messages.length}` : event.id;
    this.#taken.add(id);
    this.#messages.push({ id, ...said, ...when });
  }

  #note({ id }: CopilotEvent, kind: string, what: string): void {
    this.#notices.push({ at: id, kind, what });
  }
}

function text(value: unknown): Part[] {
  return typeof value === 'string' && value !== '' ? [{ type: 'text', text: value }] : [];
}
