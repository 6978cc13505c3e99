import { anthropic, gemini, openaiChat } from '../../../src/formats/index.js';
import type { Parsed, Serialised, WireFormat } from '../../../src/spi/index.js';
import type { ViewMessage } from '../../../src/transcript/index.js';

type Loose = Record<string, any>;

/** Chat with one thing wrong. */
function wrong(more: Partial<WireFormat>): WireFormat {
  return { ...openaiChat, ...more };
}

const serialising = (change: (messages: Loose[], view: readonly ViewMessage[]) => unknown[]): WireFormat =>
  wrong({
    serialise: (view): Serialised => {
      const { messages, notices } = openaiChat.serialise(view);
      return { messages: change(messages as Loose[], view), notices };
    },
  });

/** A format in which some field, wherever it stands, is sent as something else, or not at all. */
function sending(format: WireFormat, change: (key: string, value: unknown) => unknown): WireFormat {
  return {
    ...format,
    serialise: (view) => {
      const { messages, ...rest } = format.serialise(view);
      return { ...rest, messages: JSON.parse(JSON.stringify(messages, change)) as unknown[] };
    },
  };
}

const isThinking = (one: unknown): boolean => /thinking/.test(String((one as Loose)?.type));

let written = 0;
const numbers = new WeakMap<object, number>();

export const WRONG_FORMATS: readonly (readonly [rule: string, what: string, format: WireFormat])[] = [
  ['FORMAT-01', 'has capitals in its name', wrong({ name: 'OpenAI Chat' })],
  ['FORMAT-01', 'does not say where its messages stand', wrong({ messagesField: '' })],
  [
    'FORMAT-02',
    'takes anything for an empty conversation',
    wrong({ parse: () => ({ messages: [], notices: [] }) }),
  ],
  [
    'FORMAT-02',
    'throws whatever comes to hand',
    wrong({
      parse: (input) => ({ messages: (input as { messages: [] }).messages.map((one) => one), notices: [] }),
    }),
  ],
  ['FORMAT-03', 'drops results', serialising((messages) => messages.filter(({ role }) => role !== 'tool'))],
  [
    'FORMAT-03',
    'puts a word between calls and results',
    serialising((messages) =>
      messages.flatMap((one) => (one.tool_calls ? [one, { role: 'user', content: '…' }] : [one])),
    ),
  ],
  [
    'FORMAT-03',
    'writes arguments as objects',
    serialising((messages) =>
      messages.map((one) =>
        one.tool_calls
          ? {
              ...one,
              tool_calls: one.tool_calls.map((call: Loose) => ({
                ...call,
                function: { ...call.function, arguments: {} },
              })),
            }
          : one,
      ),
    ),
  ],
  [
    'FORMAT-04',
    'trims what people say, each time a little more',
    serialising((messages) =>
      messages.map((one) =>
        typeof one.content === 'string' && one.content.length > 9
          ? { ...one, content: one.content.slice(0, -1) }
          : one,
      ),
    ),
  ],
  [
    'FORMAT-05',
    'writes only the fields it knows',
    serialising((messages) =>
      messages.map(({ role, content, tool_calls, tool_call_id }) => ({
        role,
        content,
        ...(tool_calls && { tool_calls }),
        ...(tool_call_id && { tool_call_id }),
      })),
    ),
  ],
  [
    'FORMAT-05',
    'sorts fields',
    serialising((messages) => messages.map((one) => Object.fromEntries(Object.entries(one).sort()))),
  ],
  [
    'FORMAT-06',
    'numbers its requests',
    serialising((messages) => [...messages, { role: 'user', content: `request ${written++}` }]),
  ],
  [
    'FORMAT-06',
    'marks the messages it has written',
    serialising((messages, view) => {
      for (const shown of view) (shown.message as Loose).written = true;
      return messages;
    }),
  ],
  [
    'FORMAT-06',
    'numbers the objects that it is given',
    serialising((messages, view) =>
      messages.map((one, at) => {
        const { message } = view[Math.min(at, view.length - 1)]!;
        if (!numbers.has(message)) numbers.set(message, written++);
        return { ...one, number: numbers.get(message) };
      }),
    ),
  ],
  [
    'FORMAT-08',
    'says in front how long the conversation is',
    serialising((messages) => [{ role: 'system', content: `${messages.length} messages` }, ...messages]),
  ],
  [
    'FORMAT-09',
    'cuts long results in silence',
    serialising((messages) =>
      messages.map((one) =>
        one.role === 'tool' ? { ...one, content: String(one.content).slice(0, 20) } : one,
      ),
    ),
  ],
  [
    'FORMAT-10',
    'mends in silence',
    wrong({ serialise: (view) => ({ ...openaiChat.serialise(view), notices: [] }) }),
  ],
  [
    'FORMAT-10',
    'has something to say about everything',
    wrong({
      serialise: (view) => ({
        ...openaiChat.serialise(view),
        notices: [{ at: 'm0', kind: 'fine', what: 'all is well' }],
      }),
    }),
  ],
  [
    'FORMAT-11',
    'has a reader that does not look at what it has read before',
    wrong({
      createReader: () => {
        let last: Parsed | undefined;
        return {
          read: (body) => {
            const { messages, ...whole } = openaiChat.parse(body);
            const known = last?.messages ?? [];
            last = {
              ...whole,
              messages: [...known.slice(0, messages.length), ...messages.slice(known.length)],
            };
            return last;
          },
        };
      },
    }),
  ],
  [
    'FORMAT-11',
    'has a reader that says that nothing is new',
    wrong({ createReader: () => ({ read: (body) => ({ ...openaiChat.parse(body), changedFrom: 1_000 }) }) }),
  ],
  [
    'FORMAT-11',
    'has a reader that parses everything each time',
    wrong({ createReader: () => ({ read: openaiChat.parse }) }),
  ],
  [
    'FORMAT-12',
    'sends every call without its arguments',
    sending(openaiChat, (key, value) => (key === 'arguments' ? '{}' : value)),
  ],
  [
    'FORMAT-12',
    'calls every tool by one name',
    sending(anthropic, (key, value) => (key === 'name' ? 'tool' : value)),
  ],
  [
    'FORMAT-12',
    'leaves pictures out',
    sending(openaiChat, (_, value) =>
      Array.isArray(value) ? value.filter((one: Loose | null) => one?.type !== 'image_url') : value,
    ),
  ],
  [
    'FORMAT-13',
    'sends no thinking',
    sending(anthropic, (_, value) =>
      Array.isArray(value) ? value.filter((one) => !isThinking(one)) : value,
    ),
  ],
  [
    'FORMAT-13',
    'sends thinking without its signature',
    sending(anthropic, (key, value) => (key === 'signature' ? undefined : value)),
  ],
  [
    'FORMAT-13',
    'sends calls without what signs them',
    sending(gemini, (key, value) => (key === 'thoughtSignature' ? undefined : value)),
  ],
  [
    'FORMAT-13',
    'sends failed results as good ones',
    sending(anthropic, (key, value) => (key === 'is_error' ? undefined : value)),
  ],
  [
    'FORMAT-14',
    'writes what it remembers, whatever the view has become',
    wrong({
      serialise: (view, memory = {}) => {
        const { messages, notices } = openaiChat.serialise(view);
        const known = (memory.kept ?? []) as readonly unknown[];
        memory.kept = messages;
        return { messages: [...known.slice(0, messages.length), ...messages.slice(known.length)], notices };
      },
    }),
  ],
  [
    'FORMAT-14',
    'does not take back what it mended at the end of a shorter view',
    wrong({
      serialise: (view, memory = {}) => {
        const { messages, notices } = openaiChat.serialise(view);
        const known = (memory.kept ?? notices) as typeof notices;
        memory.kept = known;
        return { messages, notices: known };
      },
    }),
  ],
];
