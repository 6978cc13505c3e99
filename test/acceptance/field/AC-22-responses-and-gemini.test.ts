import { openaiChat } from '../../../src/index.js';
import { geminiWire, responsesWire, WIRES, type Wire } from '../../support/wires.js';
import { engine, prose } from '../support.js';

type Loose = Record<string, any>;

async function prepared(wire: Wire, chat: readonly Loose[], budget = 100_000) {
  const session = (await engine(budget, {}, { format: wire.format })).session();
  session.append(...openaiChat.parse(chat).messages);
  const request = await session.prepare();
  expect(wire.judge(request)).toEqual([]);
  return { ...request, messages: request.messages as Loose[], session };
}

const user = (content: string): Loose => ({ role: 'user', content });
const says = (content: string): Loose => ({ role: 'assistant', content });

describe('AC-22: provider quirks', () => {
  it('AC-22: a request to Gemini begins and ends with the user, and user and model alternate', async () => {
    const { messages } = await prepared(geminiWire, [
      says('Hello.'),
      says('Anyone?'),
      user('Yes.'),
      user('Go.'),
      says('Done.'),
    ]);
    expect(messages.map(({ role }) => role)).toEqual([
      'user',
      'model',
      'user',
      'model',
      'user',
      'model',
      'user',
    ]);
    expect(messages[4]).toEqual({ role: 'user', parts: [{ text: 'Yes.' }, { text: 'Go.' }] });
  });

  it('AC-22: Gemini gets leading system messages in one place and a later one labelled; Responses keeps all three', async () => {
    const chat = [
      { role: 'system', content: 'Be brief.' },
      { role: 'developer', content: 'Work in src.' },
      user('Go.'),
      { role: 'system', content: 'Hurry.' },
    ];
    const { beside, messages } = await prepared(geminiWire, chat);
    expect(beside).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: 'Work in src.' }] },
    });
    expect(messages[0]!.parts.map(({ text }: Loose) => text)).toEqual([
      'Go.',
      '[instructions from the operator]',
      'Hurry.',
    ]);
    expect((await prepared(responsesWire, chat)).messages.map(({ role }) => role)).toEqual([
      'system',
      'system',
      'user',
      'system',
    ]);
  });

  it('AC-22: calls of another model in the current turn carry the mark that skips the check of signatures', async () => {
    const call = { id: 'c', type: 'function', function: { name: 'ls', arguments: '{}' } };
    const chat = [
      user('Go.'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'x' },
    ];
    const { messages } = await prepared(geminiWire, chat);
    expect(messages[1]!.parts[0].thoughtSignature).toBe('skip_thought_signature_validator');
  });

  it.each(WIRES)(
    'AC-22: after a compaction the request is legal and keeps the last user message, on the wire of %s',
    async (_, wire) => {
      const chat = [{ role: 'system', content: 'Be brief.' }];
      for (let i = 0; i < 40; i++)
        chat.push(
          user(`Question ${i}: ${prose(60, i)}`) as (typeof chat)[0],
          says(prose(120, 99 + i)) as (typeof chat)[0],
        );
      chat.push(user('And the last question?') as (typeof chat)[0]);
      const { messages, session } = await prepared(wire, chat, 4_000);
      expect(session.operator.history.length).toBeGreaterThan(0);
      expect(JSON.stringify(messages.at(-1))).toContain('And the last question?');
    },
  );
});
