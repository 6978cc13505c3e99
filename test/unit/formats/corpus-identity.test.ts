import { gemini, openaiChat, openaiResponses } from '../../../src/formats/index.js';
import { readSession } from '../../../src/faces/importers/index.js';
import { validateOpenAiChat, validators } from '../../../src/testkit/index.js';
import { CORPUS, hasCorpus, originals, sessions } from './views.js';

(hasCorpus ? describe : describe.skip)('every recorded session', () => {
  it.each(sessions)('%s is sent as the same objects, and each of its requests is legal', async (name) => {
    const { parsed, format } = await readSession(`${CORPUS}/sessions/${name}`);
    expect(format).toBe('corpus');
    const wires = parsed.messages.map((message) => message.wire);
    const view = originals(parsed.messages);
    const whole = openaiChat.serialise(view);

    // The same objects that were read; each new one has a notice.
    const known = new Set(wires);
    const kept = whole.messages.filter((message) => known.has(message));
    expect(kept.length).toBe(wires.length);
    expect(kept.every((message, index) => message === wires[index])).toBe(true);
    expect(whole.messages.length - kept.length).toBe(whole.notices.length);
    expect(whole.notices.every((notice) => notice.kind === 'interrupted-call')).toBe(true);
    expect(validateOpenAiChat(whole.messages)).toEqual([]);

    const faults = view.flatMap((shown, index) => {
      if (shown.message.role !== 'assistant') return [];
      const request = openaiChat.serialise(view.slice(0, index)).messages;
      const illegal = validateOpenAiChat(request).map(({ rule }) => `${index}: ${rule}`);
      const differs = request.findIndex((message, at) => !same(message, whole.messages[at]));
      return differs < 0 ? illegal : [...illegal, `${index}: message ${differs} is another`];
    });
    // A chat that the assistant began: nothing was sent before its first words.
    expect(faults).toEqual(view[0]!.message.role === 'assistant' ? ['0: C0'] : []);

    // In other formats it is legal, and comes back from its own bytes.
    for (const { name: other, messagesField, parse, serialise } of [openaiResponses, gemini]) {
      const sent = (shown: typeof view): Record<string, unknown> => {
        const { messages, beside } = serialise(shown);
        return JSON.parse(JSON.stringify({ [messagesField]: messages, ...beside })) as Record<
          string,
          unknown
        >;
      };
      const body = sent(view);
      expect(validators.get(other)!(body)).toEqual([]);
      expect(same(sent(originals(parse(body).messages)), body)).toBe(true);
    }
  });
});

function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
