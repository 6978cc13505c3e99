import type { RequestWriter, Serialised } from '../../spi/index.js';
import type { Message, ViewMessage } from '../../transcript/index.js';
import { isFields } from '../record.js';
import { createStepWriter, type Draft, type StepDialect } from '../steps/index.js';
import { NO_RESULT, NOTHING_SAID } from '../wording.js';
import { draft, type AnswerItem } from './draft.js';
import { FORMAT, inShape, see, withFields, type Shape } from './wire.js';

/** By the view's message object: a view that is written again allocates only where it changed. */
const drafts = new WeakMap<Message, Draft<AnswerItem>>();

const dialect: StepDialect<AnswerItem> = {
  draft,
  answered: (pairs) =>
    pairs.map(([{ item, callId }, { wireId, tool }]) => {
      const { message, isFresh } = item;
      const changes = {
        ...(wireId !== callId && { tool_call_id: wireId }),
        ...(isFresh && message.name === undefined && { name: tool }),
      };
      return Object.keys(changes).length === 0 ? message : withFields(message, changes);
    }),
  unanswered: (calls) =>
    calls.map(({ wireId, tool }) => {
      return { type: 'tool', tool_call_id: wireId, name: tool, content: NO_RESULT, status: 'error' };
    }),
  stray: (label, { item: { content } }) => {
    if (typeof content !== 'string')
      return { type: 'human', content: [{ type: 'text', text: label }, ...content] };
    return { type: 'human', content: content === '' ? label : `${label}\n${content}` };
  },
  silent: { type: 'human', content: NOTHING_SAID },
};

export function serialise(view: readonly ViewMessage[]): Serialised {
  return createWriter().write(view, 0);
}

/** Messages made here come in the shape of those they stand among. */
export function createWriter(): RequestWriter {
  const writer = createStepWriter(dialect, drafts);
  return {
    write(view, unchangedUpTo) {
      const { messages, notices } = writer.write(view, unchangedUpTo);
      const shape = shapeOf(view);
      if (shape !== 'lc' && shape !== 'stored') return { messages, notices };
      const shaped = messages.map((message) =>
        isFields(message) && see(message).shape === 'fields' ? inShape(message, shape) : message,
      );
      return { messages: shaped, notices };
    },
  };
}

/** That of the first message which came from LangChain. */
function shapeOf(view: readonly ViewMessage[]): Shape {
  for (const { message, source, made } of view) {
    const { wire } = source ?? message;
    if (!made && message.wireFormat === FORMAT && isFields(wire)) return see(wire).shape;
  }
  return 'fields';
}
