import { describe, expect, it } from '@jest/globals';
import { arrived, startEmulator } from '../../emulator/index.js';
import { filling, loaded } from '../summarizer.js';

const message = (id: string) => ({
  id,
  role: 'user' as const,
  origin: 'user' as const,
  parts: [{ type: 'text' as const, text: `Said meanwhile: ${id}.` }],
});

describe('AC-15: a user message that arrives during compaction', () => {
  it('is taken in exactly once, right after it', async () => {
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
});
