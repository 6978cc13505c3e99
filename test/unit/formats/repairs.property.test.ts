import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { openaiChat } from '../../../src/formats/index.js';
import { validateOpenAiChat } from '../../../src/testkit/index.js';
import { histories } from './histories.js';
import { made, originals, withPart } from './views.js';

const RUNS = { numRuns: 500 };

describe('whatever a log holds', () => {
  it('its request is legal, and nothing that was said is missing', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const { messages } = openaiChat.serialise(originals(openaiChat.parse(history).messages));
        expect(validateOpenAiChat(messages)).toEqual([]);
        const sent = JSON.stringify(messages);
        for (const { content } of history) if (typeof content === 'string') expect(sent).toContain(content);
      }),
      RUNS,
    );
  });

  it('each request before an assistant message is a byte prefix of every later one', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const whole = bytesOf(history);
        history.forEach((message, index) => {
          if (message.role !== 'assistant') return;
          const request = bytesOf(history.slice(0, index));
          expect(whole.slice(0, request.length)).toEqual(request);
        });
      }),
      RUNS,
    );
  });

  it('every message without a notice comes back as the very object it was', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const { messages, notices } = openaiChat.serialise(originals(openaiChat.parse(history).messages));
        const sent = new Set(messages);
        const changed = history.filter((message) => !sent.has(message));
        if (notices.length === 0) expect(messages).toEqual(history);
        expect(changed.length).toBeLessThanOrEqual(notices.length);
      }),
      RUNS,
    );
  });

  it('every request is legal, growing, cut back and edited anywhere', () => {
    const step = fc.record({ upTo: fc.nat(41), edit: fc.option(fc.nat(40)), span: fc.nat(6) });
    fc.assert(
      fc.property(histories, fc.array(step, { maxLength: 12 }), (history, steps) => {
        const full = originals(openaiChat.parse(history).messages);
        for (const { upTo, edit, span } of steps) {
          const next = full.slice(0, upTo);
          if (edit !== null && edit < next.length) {
            const text = [{ type: 'text' as const, text: 'short' }];
            const at = next[edit]!;
            if (span > 0)
              next.splice(
                edit,
                span,
                made({ id: `s${edit}`, role: 'user', origin: 'synthetic', parts: text }),
              );
            else if (at.message.parts[0]?.type === 'text') next[edit] = withPart(at, 0, text);
          }
          const written = openaiChat.serialise(next);
          // The replacement may stand where the instructions were; pairs hold even where it split an exchange.
          if (next.length > 0)
            expect(validateOpenAiChat(written.messages).filter(({ rule }) => rule !== 'C5')).toEqual([]);
        }
      }),
      RUNS,
    );
  });
});

function bytesOf(history: readonly unknown[]): string[] {
  if (history.length === 0) return [];
  const { messages } = openaiChat.serialise(originals(openaiChat.parse(history).messages));
  return messages.map((message) => JSON.stringify(message));
}
