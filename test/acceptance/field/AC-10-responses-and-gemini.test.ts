import { WIRES, type Wire } from '../../support/wires.js';
import { engine } from '../support.js';

/** A few words and megabytes of screenshots, from the user and from a tool. */
const screens = (wire: Wire): unknown[] => [
  ...wire.user('Mend the page.'),
  ...[...'ABCDEF'].flatMap((letter, i) => [
    ...wire.user(`It looks like this (${i}).`, { bytes: 350_000, letter }),
    ...wire.calls([[`s${i}`, 'screenshot', {}]]),
    ...wire.result(`s${i}`, 'screenshot', `screen ${i}`, { bytes: 350_000, letter: letter.toLowerCase() }),
    ...wire.says(`Screen ${i} is mended.`),
  ]),
  ...wire.user('And this one?', { bytes: 350_000, letter: 'Z' }),
];

const bytesOf = (messages: readonly unknown[]): number => Buffer.byteLength(JSON.stringify(messages));

describe.each(WIRES)('AC-10: images and bytes, on the wire of %s', (_, wire) => {
  const sessionOf = async (limits: { bytes?: number; images?: number }) => {
    const session = (await engine(200_000, { limits }, { format: wire.format })).session();
    session.append(...wire.format.parse(screens(wire)).messages);
    return session;
  };

  it('AC-10: many bytes are the binding limit even if there are few tokens', async () => {
    const { reading } = await sessionOf({ bytes: 5_000_000 });
    expect(reading).toMatchObject({ binding: 'bytes', images: 13 });
    expect(reading.bytes).toBeGreaterThan(0.95 * bytesOf(screens(wire)));
  });

  it('AC-10: media of earlier turns become placeholders with a handle; text, pairs and the newest picture remain', async () => {
    const session = await sessionOf({ bytes: 1_000_000 });
    const prepared = await session.prepare();
    const sent = JSON.stringify(prepared.messages);
    expect(bytesOf(prepared.messages)).toBeLessThanOrEqual(1_000_000);
    expect(wire.judge(prepared)).toEqual([]);
    expect([sent.includes('ZZZZ'), sent.includes('AAAA')]).toEqual([true, false]);
    expect(sent).toMatch(/\[image\/png, 350,0\d\d bytes, left out; m\d+#\d/);
    expect(sent).toContain('It looks like this (0).');
    expect(sent).toContain('screen 0');
  });

  it('AC-10: a limit on the number of images holds, and the newest picture remains', async () => {
    const prepared = await (await sessionOf({ images: 5 })).prepare();
    expect(prepared.reading.images).toBeLessThanOrEqual(5);
    expect(wire.judge(prepared)).toEqual([]);
    const sent = JSON.stringify(prepared.messages);
    const left = [...'AaBbCcDdEeFfZ'].filter((letter) => sent.includes(letter.repeat(1_000)));
    expect(left.length).toBeLessThanOrEqual(5);
    expect(left).toContain('Z');
  });

  it('AC-10: an undo brings a removed picture back from the log', async () => {
    const session = await sessionOf({ bytes: 1_000_000 });
    await session.prepare();
    session.operator.undo();
    const sent = JSON.stringify(wire.format.serialise(session.view).messages);
    expect(sent.includes('A'.repeat(350_000))).toBe(true);
  });
});
