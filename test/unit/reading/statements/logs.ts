import { StatementIndex } from '../../../../src/reading/index.js';
import { Log, LogReader, type Message, type Origin, type Part } from '../../../../src/transcript/index.js';

const text = (words: string): Part[] => [{ type: 'text', text: words }];

type Said = Omit<Message, 'id'>;

export const user = (words: string, origin: Origin = 'user'): Said => ({
  role: 'user',
  origin,
  parts: text(words),
});
export const says = (words: string): Said => ({ role: 'assistant', origin: 'model', parts: text(words) });

let calls = 0;

/** A call and its answer. */
export function step(name: string, args: unknown, answer: string, isError = false): Said[] {
  const callId = `call_${++calls}`;
  return [
    {
      role: 'assistant',
      origin: 'model',
      parts: [{ type: 'tool-call', callId, name, arguments: JSON.stringify(args) }],
    },
    {
      role: 'tool',
      origin: 'tool',
      parts: [
        {
          type: 'tool-result',
          callId,
          content: [{ type: 'text', text: answer }],
          ...(isError && { isError }),
        },
      ],
    },
  ];
}

export function logOf(messages: readonly (Said | readonly Said[])[]): Log {
  const log = new Log();
  const none = { tokens: 0, bytes: 0, images: 0 };
  messages
    .flat()
    .forEach((message, i) =>
      log.append({ id: `m${i}`, ...message }, { ...none, parts: message.parts.map(() => none) }),
    );
  return log;
}

/** Everything that is claimed of a talk. */
export function ledgerOf(...messages: readonly (Said | readonly Said[])[]): StatementIndex {
  const log = logOf(messages);
  const ledger = new StatementIndex(log);
  new LogReader(log, ledger).catchUp();
  return ledger;
}
