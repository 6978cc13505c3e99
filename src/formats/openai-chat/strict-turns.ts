import type { Notice, WireFormat } from '../../spi/index.js';
import { OPENING_TURN } from '../conversation/placeholders.js';
import type { RepairKind } from '../conversation/repairs.js';
import { asText, listOf, withFields, type Fields } from '../record.js';
import { MIDWAY } from './serialise.js';
import { FORMAT, isKnownRole, REASONING_DETAILS, REASONING_FIELDS } from './wire.js';
import type { WireMessage } from './wire.js';

/** Sent between the result of a tool and the user's next words if the assistant said nothing. */
const NO_ANSWER = '[No answer was given here.]';

/** A format with turns as the settings ask; only OpenAI chat has templates that refuse free turns. */
export function withTurns(format: WireFormat, turns: 'free' | 'strict'): WireFormat {
  return turns === 'strict' && format.name === FORMAT ? withStrictTurns(format) : format;
}

/**
 * The format for servers whose chat template takes one system message first, then the user and the assistant by turns,
 * and refuses anything else (Mistral's, Gemma's, some of Qwen's). Neighbours of one role become one message; no word is
 * lost. A message that joins the newest one changes it: requests extend each other in words only.
 */
function withStrictTurns(format: WireFormat): WireFormat {
  return {
    ...format,
    serialise: (view, memory) => {
      const { messages, notices, ...rest } = format.serialise(view, memory);
      const strict = toStrictTurns(messages as readonly WireMessage[]);
      return { ...rest, messages: strict.messages, notices: [...notices, ...strict.notices] };
    },
  };
}

function toStrictTurns(messages: readonly WireMessage[]): { messages: WireMessage[]; notices: Notice[] } {
  const out: WireMessage[] = [];
  const notices: Notice[] = [];
  const report = (kind: RepairKind, at: number, what: string): void =>
    void notices.push({ at: `message ${at}`, kind, what });
  messages.forEach((message, at) => {
    const last = out.at(-1);
    const isFirst = last === undefined || isInstruction(last);
    if (isInstruction(message)) {
      if (last === undefined) return void out.push(message);
      report(isFirst ? 'merged-turns' : 'midway-instructions', at, 'the template takes one system message');
      if (isFirst) return void (out[out.length - 1] = joined(last, message));
      return add({ role: 'user', content: labelled(message.content) }, at);
    }
    return add(message, at);
  });
  return { messages: out, notices };

  function add(message: WireMessage, at: number): void {
    const last = out.at(-1);
    if (message.role === 'assistant' && (last === undefined || isInstruction(last))) {
      report('begins-with-assistant', at, 'the template begins with the user');
      out.push({ role: 'user', content: OPENING_TURN });
    } else if (message.role === 'user' && last && isAnswer(last)) {
      report('turn-between', at, 'the template wants the assistant between a result and the user');
      out.push({ role: 'assistant', content: NO_ANSWER });
    } else if (last && last.role === message.role && isSpeaker(message) && !hasCalls(last)) {
      report('merged-turns', at, `the template takes no two ${asText(message.role)} messages in a row`);
      out[out.length - 1] = joined(last, message);
      return;
    }
    out.push(message);
  }
}

const isInstruction = ({ role }: WireMessage): boolean => role === 'system' || role === 'developer';
const isAnswer = ({ role }: WireMessage): boolean => role === 'tool';
const isSpeaker = ({ role }: WireMessage): boolean =>
  isKnownRole(role) && (role === 'user' || role === 'assistant');
const hasCalls = (message: WireMessage): boolean => listOf(message.tool_calls).length > 0;

/** Fields that contain words, and the signatures of these words. */
const TEXT_FIELDS = ['content', 'refusal', ...REASONING_FIELDS, REASONING_DETAILS];

/** Both messages as one. The second message's other fields win, because any calls are in the second. */
function joined(first: WireMessage, second: WireMessage): WireMessage {
  const said = TEXT_FIELDS.map((field) => [field, bothOf(first[field], second[field])]);
  return withFields({ ...first, ...second, role: first.role }, Object.fromEntries(said) as Fields);
}

function bothOf(first: unknown, second: unknown): unknown {
  if (isEmpty(first)) return second;
  if (isEmpty(second)) return first;
  if (typeof first === 'string' && typeof second === 'string') return `${first}\n\n${second}`;
  return [...partsOf(first), ...partsOf(second)];
}

const isEmpty = (content: unknown): boolean => content === undefined || content === null || content === '';
const partsOf = (content: unknown): readonly unknown[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
const labelled = (content: unknown): unknown => bothOf(MIDWAY, content);
