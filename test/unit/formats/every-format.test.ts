import { coerceMessageLikeToMessage, mapStoredMessagesToChatMessages } from '@langchain/core/messages';
import type { MessageFieldWithRole, StoredMessage } from '@langchain/core/messages';
import { modelMessageSchema } from 'ai';
import fc from 'fast-check';
import { formats, openaiChat } from '../../../src/formats/index.js';
import type { WireFormat } from '../../../src/spi/index.js';
import { validateGemini, validators } from '../../../src/testkit/index.js';
import type { Message, ViewMessage } from '../../../src/transcript/index.js';
import { histories } from '../../support/histories.js';
import { call, calls, conversation, result, says, summary, text, user } from '../../support/messages.js';
import type { Draft } from '../../support/messages.js';
import { SAMPLES } from '../../support/samples.js';
import { histories as chatHistories } from './histories.js';
import { made, originals, withPart } from './views.js';

type Body = Readonly<Record<string, unknown>>;

const FORMATS = [...formats.values()].map((format) => ({ name: format.name, format }));

/** Logs of no format, and logs with the objects of chat completions. */
const LOGS: fc.Arbitrary<readonly Message[]> = fc.oneof(
  histories(25),
  chatHistories.map((history) => openaiChat.parse(history).messages),
);

function bodyOf({ serialise, messagesField }: WireFormat, view: readonly ViewMessage[]): Body {
  const { messages, beside } = serialise(view);
  return { ...beside, [messagesField]: messages };
}

const listIn = ({ messagesField }: WireFormat, body: Body) => body[messagesField] as readonly object[];

/** Checks a request by our rules and with the vendor's own package. */
function demandLegal(format: WireFormat, view: readonly ViewMessage[]): Body {
  const body = bodyOf(format, view);
  // An empty list is no request.
  if (listIn(format, body).length > 0) expect(validators.get(format.name)!(body)).toEqual([]);
  for (const message of listIn(format, body)) {
    if (format.name === 'ai-sdk') expect(modelMessageSchema.safeParse(message).error).toBeUndefined();
    if (format.name !== 'langchain') continue;
    if ('data' in message) mapStoredMessagesToChatMessages([message as StoredMessage]);
    else coerceMessageLikeToMessage(message as MessageFieldWithRole);
  }
  return body;
}

/** Placeholders for a request that would say nothing or end with the model: no later request needs them. */
const STANDS_IN = /\[nothing was said\]|\[Nothing was said yet\.\]/;

/** What a request says, in order. For Anthropic, consecutive messages of one role are one turn. */
function saidIn(format: WireFormat, view: readonly ViewMessage[]): string[] {
  const list = listIn(format, bodyOf(format, view)) as { role?: string; content?: unknown }[];
  if (format.name !== 'anthropic') return list.map((message) => JSON.stringify(message));
  return list.flatMap(({ role, content }) =>
    (Array.isArray(content) ? content : [{ type: 'text', text: content }]).map(
      (block) => `${role} ${JSON.stringify(block)}`,
    ),
  );
}

/** Gemini calls that wait for some of their responses, and words after instructions, make no request that is sent. */
function isSent(format: WireFormat, before: Message | undefined, said: readonly string[]): boolean {
  if (before === undefined || said.some((one) => STANDS_IN.test(one))) return false;
  if (format.name === 'anthropic')
    return !['assistant', 'system'].includes(before.role) && !said.some((one) => one.includes('[Continue.]'));
  const contents = said.map((one) => JSON.parse(one) as unknown);
  return format.name !== 'gemini' || validateGemini(contents, { openEnd: false }).length === 0;
}

const kindsOf = (notices: readonly { readonly kind: string }[]): string[] => notices.map(({ kind }) => kind);

/** Broken logs, the kind of their notice, and the formats that need none. */
const BROKEN: readonly (readonly [kind: string, Draft[], besides?: readonly string[]])[] = [
  ['interrupted-call', [calls(call('a', {}, 'x'), call('b', {}, 'y')), result('x', 'saw x'), user('stop')]],
  ['late-result', [calls(call('a', {}, 'x')), says('on'), result('x', 'saw x'), user('so')]],
  ['duplicate-result', [calls(call('a', {}, 'x')), result('x', 'saw x'), result('x', 'saw y'), user('so')]],
  ['orphan-result', [result('x', 'saw x'), user('so')]],
  [
    'displaced-result',
    [calls(call('a', {}, 'x')), user('hm'), result('x', 'saw x'), user('so')],
    // Items keep the order of the log, and one turn takes all that the user says.
    ['openai-responses', 'gemini'],
  ],
  [
    'call-id',
    [calls(call('a', {}, 'x'), call('b', {}, 'x')), result('x', 'saw x'), result('x', 'saw y'), user('so')],
    // Gemini's calls go by their order.
    ['gemini'],
  ],
];

describe.each(FORMATS)('$name', ({ name, format }) => {
  it('gives back its own messages byte for byte and without a notice', () => {
    for (const sample of SAMPLES[name]!) {
      const own: Body = Array.isArray(sample) ? { [format.messagesField]: sample } : (sample as Body);
      const { messages, notices } = format.parse(own);
      const written = format.serialise(originals(messages));
      expect([notices, written.notices]).toEqual([[], []]);
      expect(JSON.stringify(written.messages)).toBe(JSON.stringify(own[format.messagesField]));
      // One message of Anthropic's may be several of the log.
      if (name !== 'anthropic')
        written.messages.forEach((message, at) => expect(message).toBe(listIn(format, own)[at]));
    }
  });

  it('refuses a list of unknown messages; Anthropic gives a notice of the role', () => {
    const odd = [{ role: 'nobody', type: 7 }];
    if (name === 'anthropic') expect(kindsOf(format.parse(odd).notices)).toEqual(['unknown-role']);
    else expect(() => format.parse(odd)).toThrow(expect.objectContaining({ code: 'INPUT_FORMAT' }));
  });

  it.each(BROKEN)(
    'mends %s, with a notice of that kind unless it needs none, and loses no result',
    (kind, drafts, besides = []) => {
      const view = originals(conversation(user('go'), ...drafts));
      const sent = JSON.stringify(demandLegal(format, view));
      expect(kindsOf(format.serialise(view).notices).includes(kind)).toBe(!besides.includes(name));
      for (const words of ['saw x', 'saw y'])
        expect(sent.includes(words)).toBe(JSON.stringify(drafts).includes(words));
    },
  );

  it('makes a legal request of any log, and the same messages when that request is read back', () => {
    fc.assert(
      fc.property(LOGS, (log) => {
        const sent = JSON.parse(JSON.stringify(demandLegal(format, originals(log)))) as Body;
        if (listIn(format, sent).length === 0) return;
        const again = bodyOf(format, originals(format.parse(sent).messages));
        expect(again[format.messagesField]).toEqual(sent[format.messagesField]);
      }),
      { numRuns: 120 },
    );
  });

  it('sends before each answer a request that is a prefix of the complete one', () => {
    fc.assert(
      fc.property(LOGS, (log) => {
        const whole = saidIn(format, originals(log));
        log.forEach(({ role }, index) => {
          if (role !== 'assistant') return;
          const request = saidIn(format, originals(log.slice(0, index)));
          if (isSent(format, log[index - 1], request))
            expect(whole.slice(0, request.length)).toEqual(request);
        });
      }),
      { numRuns: 120 },
    );
  });

  it('writes legal requests when a log grows, is cut back or is edited', () => {
    const step = fc.record({ upTo: fc.nat(26), edit: fc.option(fc.nat(25)), span: fc.nat(6) });
    fc.assert(
      fc.property(LOGS, fc.array(step, { maxLength: 8 }), (log, steps) => {
        const full = originals(log);
        for (const { upTo, edit, span } of steps) {
          const next = full.slice(0, upTo);
          if (edit !== null && edit < next.length) {
            if (span > 0) next.splice(edit, span, made(summary(`s${edit}`, 'short')));
            else if (next[edit]!.message.parts[0]?.type === 'text')
              next[edit] = withPart(next[edit]!, 0, [text('short')]);
          }
          // The replacement may stand where the instructions were.
          const faults = validators.get(name)!(bodyOf(format, next)).filter(({ rule }) => rule !== 'C5');
          if (next.length > 0 && listIn(format, bodyOf(format, next)).length > 0) expect(faults).toEqual([]);
        }
      }),
      { numRuns: 120 },
    );
  });
});

it('chat: every message without a notice is sent as the same object, and no text is lost', () => {
  fc.assert(
    fc.property(chatHistories, (history) => {
      const { messages, notices } = openaiChat.serialise(originals(openaiChat.parse(history).messages));
      const sent = new Set(messages);
      if (notices.length === 0) expect(messages).toEqual(history);
      expect(history.filter((message) => !sent.has(message)).length).toBeLessThanOrEqual(notices.length);
      for (const { content } of history)
        if (typeof content === 'string') expect(JSON.stringify(messages)).toContain(content);
    }),
    { numRuns: 300 },
  );
});
