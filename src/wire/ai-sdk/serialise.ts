import type { Serialised, WireMemory } from '../../spi/index.js';
import type { ViewMessage } from '../../transcript/index.js';
import { NO_RESULT, NOTHING_SAID } from '../conversation/placeholders.js';
import { resultsBehindCalls, type Call } from '../conversation/results-behind-calls.js';
import { draftOf, type AiSdkAnswer, type AiSdkDraft } from './draft.js';
import { FORMAT, isSystemField } from './wire.js';

const writeRest = resultsBehindCalls<Call, AiSdkAnswer, AiSdkDraft>({
  draft: draftOf,
  answered: (pairs, { answers, whole, frame }) => {
    const isWhole =
      pairs.length === answers.length && pairs.every(([{ callId }, { wireId }]) => callId === wireId);
    if (whole && isWhole) return [whole];
    const content = pairs.map(([{ item, bound }, { wireId, tool }]) => {
      if (bound) return item;
      const named = item.toolName === 'unknown' ? { toolName: tool } : {};
      const same = item.toolCallId === wireId && !('toolName' in named);
      return same ? item : { ...item, toolCallId: wireId, ...named };
    });
    return [{ ...frame, role: 'tool', content }];
  },
  unanswered: (calls) => {
    const output = { type: 'error-text', value: NO_RESULT };
    const content = calls.map(({ wireId, tool }) => {
      return { type: 'tool-result', toolCallId: wireId, toolName: tool, output };
    });
    return [{ role: 'tool', content }];
  },
  unmatched: (label, { said }) => {
    const [first, ...rest] = said;
    const words = first?.type === 'text' ? `${label}\n${String(first.text)}` : label;
    const content = [{ type: 'text', text: words }, ...(first?.type === 'text' || !first ? rest : said)];
    return { role: 'user', content };
  },
  silent: { role: 'user', content: NOTHING_SAID },
});

/** Instructions that came in the field `system` go back there, as long as they stand at the head. */
export function serialise(view: readonly ViewMessage[], memory?: WireMemory): Serialised {
  let count = 0;
  while (count < view.length && isBeside(view[count]!)) count++;
  const { messages, notices } = writeRest(count === 0 ? view : view.slice(count), memory);
  const beside = count === 0 ? {} : { beside: { system: systemOf(view.slice(0, count)) } };
  return { messages, ...beside, notices };
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
