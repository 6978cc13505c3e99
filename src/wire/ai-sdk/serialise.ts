import type { RequestWriter, Serialised } from '../../spi/index.js';
import type { Message, ViewMessage } from '../../transcript/index.js';
import { createStepWriter, type Draft, type StepDialect } from '../steps/index.js';
import { NO_RESULT, NOTHING_SAID } from '../wording.js';
import { draft, type AnswerItem } from './draft.js';
import { FORMAT, isSystemField, type WireMessage } from './wire.js';

/** By the view's message object: a view that is written again allocates only where it changed. */
const drafts = new WeakMap<Message, Draft<AnswerItem>>();

const dialect: StepDialect<AnswerItem> = {
  draft,
  answered: (pairs, { frame }) => {
    const content = pairs.map(([{ item, bound }, { wireId, tool }]) => {
      if (bound) return item.item;
      const named = item.item.toolName === 'unknown' ? { toolName: tool } : {};
      const same = item.item.toolCallId === wireId && !('toolName' in named);
      return same ? item.item : { ...item.item, toolCallId: wireId, ...named };
    });
    return [{ ...(frame as WireMessage | undefined), role: 'tool', content }];
  },
  unanswered: (calls) => {
    const output = { type: 'error-text', value: NO_RESULT };
    const content = calls.map(({ wireId, tool }) => {
      return { type: 'tool-result', toolCallId: wireId, toolName: tool, output };
    });
    return [{ role: 'tool', content }];
  },
  stray: (label, { item: { said } }) => {
    const [first, ...rest] = said;
    const words = first?.type === 'text' ? `${label}\n${String(first.text)}` : label;
    const content = [{ type: 'text', text: words }, ...(first?.type === 'text' || !first ? rest : said)];
    return { role: 'user', content };
  },
  silent: { role: 'user', content: NOTHING_SAID },
};

export function serialise(view: readonly ViewMessage[]): Serialised {
  return createWriter().write(view, 0);
}

/** Instructions that came in the field `system` go back there, as long as they stand at the head. */
export function createWriter(): RequestWriter {
  const writer = createStepWriter(dialect, drafts);
  let besides = 0;
  return {
    write(view, unchangedUpTo) {
      let count = 0;
      while (count < view.length && isBeside(view[count]!)) count++;
      const rest = count === 0 ? view : view.slice(count);
      const from = besides === count ? unchangedUpTo - count : 0;
      besides = count;
      const { messages, notices } = writer.write(rest, Math.max(0, from));
      const beside = count === 0 ? {} : { beside: { system: systemOf(view.slice(0, count)) } };
      return { messages, ...beside, notices };
    },
  };
}

function isBeside({ message, source, made }: ViewMessage): boolean {
  return !made && message.wireFormat === FORMAT && isSystemField((source ?? message).wire);
}

/** The field as it came where nothing of it was edited; else its texts, as a text or a list as before. */
function systemOf(shown: readonly ViewMessage[]): unknown {
  const [first] = shown;
  const wire = (first!.source ?? first!.message).wire;
  const original = isSystemField(wire) ? wire.system : undefined;
  const count = Array.isArray(original) ? original.length : 1;
  if (original !== undefined && count === shown.length && shown.every(({ replaced }) => !replaced))
    return original;
  const texts = shown.map(({ message }) =>
    message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n'),
  );
  return texts.length === 1 && typeof original === 'string'
    ? texts[0]
    : texts.map((content) => ({ role: 'system', content }));
}
