import { describe, expect, it } from '@jest/globals';
import { POISON, startEmulator, type Act } from '../../emulator/index.js';
import { filling, pressed, summariesOf } from '../summarizer.js';

const BAD: readonly (readonly [Act, RegExp])[] = [
  ['empty', /is empty/],
  ['refusal', /is a refusal/],
  ['error-text', /is an error text/],
  ['open-think', /ends in its thinking/],
  ['tool-call', /calls a tool/],
  ['length', /was cut off/],
  ['not-json', /no usable answer|HTTP/],
  ['echo', /repeats its prompt/],
  ['cut', /endpoint|no usable answer|HTTP/],
  ['rate-limit', /HTTP 429/],
  ['server-error', /HTTP 500/],
];

describe('AC-06: a bad summary never becomes history', () => {
  it.each(BAD)('%s: the deterministic text stands', async (act, reason) => {
    const emulator = await startEmulator();
    emulator.otherwise = act;
    const session = await filling(emulator);
    const run = await pressed(session, 1);
    expect(run.kind).toBe('committed');
    expect(run.calls).toEqual([expect.objectContaining({ reason: expect.stringMatching(reason) })]);
    expect(run.record!.fallbacks).toEqual([expect.stringMatching(reason)]);
    expect(summariesOf(session)).toEqual([expect.stringContaining('Earlier in this session')]);
    expect(JSON.stringify([session.history, session.view])).not.toContain(POISON);
  });

  it('thinking is taken out, what is too long is cut, and the record says so', async () => {
    const emulator = await startEmulator();
    emulator.script = ['think', 'oversized'];
    const session = await filling(emulator);
    const mended = [await pressed(session, 1), await pressed(session, 2)].map(({ calls }) => calls![0]);
    expect(mended).toEqual([
      expect.objectContaining({ outcome: 'filled', reason: 'thinking taken out' }),
      expect.objectContaining({ outcome: 'filled', reason: expect.stringMatching(/^cut to \d+ tokens$/) }),
    ]);
    expect(JSON.stringify(session.view)).not.toContain(POISON);
  });
});
