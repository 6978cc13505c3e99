import type { Serialised, WireMemory } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { NO_RESULT, NOTHING_SAID } from '../conversation/placeholders.js';
import { resultsBehindCalls, type Call } from '../conversation/results-behind-calls.js';
import { isFields } from '../record.js';
import { draftOf, type LangChainAnswer, type LangChainDraft } from './draft.js';
import { FORMAT, inShape, see, withFields, type Shape } from './wire.js';

const write = resultsBehindCalls<Call, LangChainAnswer, LangChainDraft>({
  draft: draftOf,
  answered: (pairs, { answers, whole }) => {
    const isWhole =
      pairs.length === answers.length && pairs.every(([{ callId }, { wireId }]) => callId === wireId);
    if (whole && isWhole) return [whole];
    return pairs.map(([{ message, callId, isFresh }, { wireId, tool }]) => {
      const changes = {
        ...(wireId !== callId && { tool_call_id: wireId }),
        ...(isFresh && message.name === undefined && { name: tool }),
      };
      return Object.keys(changes).length === 0 ? message : withFields(message, changes);
    });
  },
  unanswered: (calls) =>
    calls.map(({ wireId, tool }) => {
      return { type: 'tool', tool_call_id: wireId, name: tool, content: NO_RESULT, status: 'error' };
    }),
  unmatched: (label, { content }) => {
    if (typeof content !== 'string')
      return { type: 'human', content: [{ type: 'text', text: label }, ...content] };
    return { type: 'human', content: content === '' ? label : `${label}\n${content}` };
  },
  silent: { type: 'human', content: NOTHING_SAID },
});

/** Messages made here come in the shape of those they stand among. */
export function serialise(view: readonly ViewMessage[], memory?: WireMemory): Serialised {
  const { messages, notices } = write(view, memory);
  const shape = shapeOf(view);
  if (shape !== 'lc' && shape !== 'stored') return { messages, notices };
  const shaped = messages.map((message) =>
    isFields(message) && see(message).shape === 'fields' ? inShape(message, shape) : message,
  );
  return { messages: shaped, notices };
}

/** That of the first message which came from LangChain. */
function shapeOf(view: readonly ViewMessage[]): Shape {
  for (const { message, source, made } of view) {
    const { wire } = source ?? message;
    if (!made && message.wireFormat === FORMAT && isFields(wire)) return see(wire).shape;
  }
  return 'fields';
}
