import { describe, expect, it } from '@jest/globals';
import { Background } from '../../../../src/session/ahead/background.js';

/** Work that ends when it is let go, or its signal aborts. */
function gated() {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  const work = (signal: AbortSignal): Promise<void> =>
    Promise.race([
      opened,
      new Promise<void>((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      ),
    ]);
  return { open, work };
}

describe('what an engine does between turns', () => {
  it('is so much at a time', async () => {
    const background = new Background(1);
    const { open, work } = gated();
    const done = background.do(work);
    expect(background.hasRoom).toBe(false);
    open();
    await done;
    await Promise.resolve();
    expect(background.hasRoom).toBe(true);
  });

  it('ends when the engine is closed, which waits for it', async () => {
    const background = new Background(2);
    const done = background.do(gated().work);
    const closed = background.close();
    await expect(done).rejects.toThrow('The engine was closed.');
    await closed;
    expect([background.isClosed, background.hasRoom]).toEqual([true, false]);
  });
});
