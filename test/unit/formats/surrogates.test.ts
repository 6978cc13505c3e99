import { formats } from '../../../src/formats/index.js';
import type { Message, Part } from '../../../src/transcript/index.js';
import { originals, withPart } from './views.js';

const HALF = '\ud83d';
const text = (words: string): Part => ({ type: 'text', text: words });
const said = (id: string, role: Message['role'], ...parts: Part[]): Message => {
  return { id, role, origin: role === 'assistant' ? 'model' : role === 'tool' ? 'tool' : 'user', parts };
};

/** Half a pair wherever text may be: words, ids, arguments, results, and results that no call waits for. */
const HISTORY: readonly Message[] = [
  said('m0', 'user', text(`go ${HALF}`)),
  said('m1', 'assistant', text(`on ${HALF}`), {
    type: 'tool-call',
    callId: `c${HALF}`,
    name: 'read',
    arguments: JSON.stringify({ path: 'a' }).replace('a"', `a${HALF}"`),
  }),
  said('m2', 'tool', {
    type: 'tool-result',
    callId: `c${HALF}`,
    content: [{ type: 'text', text: `out ${HALF}` }],
  }),
  said('m3', 'user', text('more')),
  said('m4', 'tool', {
    type: 'tool-result',
    callId: `c${HALF}`,
    content: [{ type: 'text', text: `again ${HALF}` }],
  }),
];

describe.each([...formats.values()].map((format) => ({ name: format.name, format })))(
  '$name',
  ({ format }) => {
    const wellFormed = (value: unknown): boolean => !/\\ud[89a-f]/.test(JSON.stringify(value));

    it('never sends half of a surrogate pair, and gives a notice', () => {
      const { messages, notices } = format.serialise(originals(HISTORY));
      expect(wellFormed(messages)).toBe(true);
      expect(notices.map(({ kind }) => kind)).toContain('lone-surrogate');
      // Call and result still share an id.
      const again = format.parse({ [format.messagesField]: messages }).messages.flatMap(({ parts }) => parts);
      const call = again.find((part) => part.type === 'tool-call');
      const result = again.find((part) => part.type === 'tool-result');
      expect(result?.type === 'tool-result' && result.callId).toBe(call?.type === 'tool-call' && call.callId);
    });

    it('never sends half of a surrogate pair in the name of a field', () => {
      const own = format.serialise(originals([said('m0', 'user', text('go'))])).messages;
      const named = own.map((item) => ({ ...(item as object), [`x${HALF}`]: 1 }));
      const { messages } = format.parse({ [format.messagesField]: named });
      expect(wellFormed(format.serialise(originals(messages)).messages)).toBe(true);
    });

    it('never sends half of a surrogate pair from its own messages, edited or not', () => {
      const own = format.serialise(originals(HISTORY)).messages;
      const json = JSON.stringify(own).replaceAll('\ufffd', `\\ud83d`);
      const { messages } = format.parse({ [format.messagesField]: JSON.parse(json) as unknown });
      const view = originals(messages);
      expect(wellFormed(format.serialise(view).messages)).toBe(true);
      const at = messages.findIndex(({ role }) => role === 'tool');
      view[at] = withPart(view[at]!, 0, [
        { ...messages[at]!.parts[0]!, content: [{ type: 'text', text: `cut ${HALF}` }] } as Part,
      ]);
      expect(wellFormed(format.serialise(view).messages)).toBe(true);
    });
  },
);
