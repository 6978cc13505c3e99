import { createSpillway, type Session } from '../../../src/index.js';
import { arrived, startEmulator } from '../../emulator/index.js';
import { prose, times } from '../support.js';
import { filling, loaded } from '../summarizer.js';

const message = (id: string) => ({
  id,
  role: 'user' as const,
  origin: 'user' as const,
  parts: [{ type: 'text' as const, text: `Said meanwhile: ${id}.` }],
});

it('AC-15: a user message that arrives during a compaction enters the log once, right after the compaction', async () => {
  const emulator = await startEmulator('slow');
  emulator.slowMs = 200;
  const session = await filling(emulator);
  loaded(session, 1);
  const length = session.log.length;
  const preparing = session.prepare();
  await arrived(emulator, 1);
  session.append(message('a'), message('b'));
  expect(() => session.append(message('a'))).toThrow(expect.objectContaining({ code: 'MESSAGE_ID_TAKEN' }));
  expect(session.log.length).toBe(length);
  const prepared = await preparing;
  expect(session.log.length).toBe(length + 2);
  expect(prepared.view.filter(({ message: { id } }) => id === 'a' || id === 'b')).toHaveLength(2);
  expect(prepared.view.at(-1)!.message.id).toBe('b');
  expect(() => session.append(message('b'))).toThrow(expect.objectContaining({ code: 'MESSAGE_ID_TAKEN' }));
});

describe('AC-15: a change to the session while a compaction waits for a hook', () => {
  const round = (i: number, words = 60) => [
    { role: 'assistant', content: `Part ${i}: ${prose(words, i)}` },
    { role: 'user', content: `And then, after part ${i}? ${prose(words, 100 + i)}` },
  ];
  const HISTORY = [{ role: 'user', content: 'Build a mill.' }, ...times(60, (i) => round(i))];

  /** Follows a growing history, and calls `meanwhile` each time that a hook runs. */
  async function played(meanwhile: (session: Session, sent: readonly object[]) => Promise<unknown>) {
    let disturb: (() => Promise<unknown>) | undefined;
    const preCompact = async (): Promise<void> => {
      const once = disturb;
      disturb = undefined;
      if (!once) return;
      void once();
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    };
    const plugins = [{ name: 'slow', summary: 'Takes its time.', observer: { preCompact } }];
    const session = (await createSpillway({ inputBudget: 3_000, plugins })).session();
    let disturbed = 0;
    const over: number[] = [];
    for (let length = 1; length <= HISTORY.length; length += 2) {
      const messages = HISTORY.slice(0, length);
      disturb = () => (disturbed++, meanwhile(session, messages));
      await session.follow({ messages });
      const { reading } = await session.prepare();
      if (reading.pressure > 1) over.push(reading.tokens);
    }
    return { over, disturbed };
  }

  it.each([
    ['an undo', (session: Session) => session.operator.undo()],
    ['a rollback', ({ operator, log }: Session) => operator.rollback(log.at(Math.max(1, log.length - 8)).id)],
    [
      'an edit of the client',
      (session: Session, sent: readonly object[]) =>
        session.follow({ messages: [...sent.slice(0, -4), { role: 'user', content: prose(300, 7) }] }),
    ],
  ])('leads to no request over the budget: %s', async (_, meanwhile) => {
    const { over, disturbed } = await played(meanwhile);
    expect(disturbed).toBeGreaterThan(3);
    expect(over).toEqual([]);
  });
});
